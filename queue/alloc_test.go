package queue_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/trimtab/trimtab/queue"
	"github.com/trimtab/trimtab/ratelimit"
	"github.com/trimtab/trimtab/trigger"
)

// What happens to a key again and again allocates nothing once it is warm, with series
// or without.
func TestAllocations(t *testing.T) {
	limiter := ratelimit.NewExponential[reconcile.Request](ratelimit.ExponentialOptions{BaseDelay: time.Hour, MaxDelay: time.Hour})
	q := queue.New("test", queue.Options[reconcile.Request]{RateLimiter: limiter, MetricsProvider: &priorityMeters{}})
	t.Cleanup(q.ShutDown)
	keys := make([]reconcile.Request, 500)
	for i := range keys {
		keys[i].Namespace, keys[i].Name = "ns", fmt.Sprint(i)
	}
	opts, zero := priorityqueue.AddOpts{Priority: ptr(-100)}, ptr(0)
	hour := reconcile.Result{RequeueAfter: time.Hour}
	served := func(int) {
		key, _ := q.Get()
		q.Forget(key)
		q.Done(key)
	}
	for _, tc := range []struct {
		name string
		once func(i int)
	}{
		{"add, get, done of one key", func(i int) {
			q.Add(keys[0])
			served(i)
		}},
		{"of many keys in turn", func(i int) {
			q.Add(keys[i%len(keys)])
			served(i)
		}},
		{"at several priorities", func(i int) {
			q.Add(keys[1])
			q.AddWithOpts(opts, keys[1])
			q.AddWithOpts(opts, keys[2])
			q.AddWithSource(trigger.Watched, priorityqueue.AddOpts{}, keys[3])
			served(i)
			served(i)
			served(i)
		}},
		{"delayed, then cut short", func(i int) {
			q.AddAfter(keys[i%len(keys)], time.Hour)
			q.Add(keys[i%len(keys)])
			served(i)
		}},
		{"rate limited, then cut short", func(i int) {
			q.AddRateLimited(keys[4])
			q.Add(keys[4])
			served(i)
		}},
		{"behind its own run", func(i int) {
			q.Add(keys[5])
			key, _ := q.Get()
			q.Add(keys[5])
			q.Done(key)
			served(i)
		}},
		{"caused by what is stronger", func(i int) {
			q.AddWithSource(trigger.Resync, priorityqueue.AddOpts{}, keys[6])
			q.Add(keys[6])
			served(i)
		}},
		{"with a chain that asks for a wake-up", func(i int) {
			q.Add(keys[i%20])
			key, _ := q.Get()
			q.Running(key)
			q.Report(key, queue.Outcome{Result: hour})
			q.Forget(key)
			q.AddWithOpts(priorityqueue.AddOpts{After: time.Hour, Priority: zero}, key)
			q.Done(key)
			q.Add(key)
			served(i)
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			i := 0
			once := func() {
				tc.once(i)
				i++
			}
			for range 3 * len(keys) {
				once()
			}
			require.Zero(t, testing.AllocsPerRun(3*len(keys), once))
		})
	}
}
