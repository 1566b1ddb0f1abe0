package queue_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/trimtab/trimtab/queue"
	"github.com/trimtab/trimtab/ratelimit"
	"github.com/trimtab/trimtab/trigger"
)

// With all that holds requests back in use, too, nothing is allocated once warm.
func TestAllocationsOfHolds(t *testing.T) {
	limiter := ratelimit.NewExponential[reconcile.Request](ratelimit.ExponentialOptions{BaseDelay: time.Second, MaxDelay: time.Second})
	options := queue.Options[reconcile.Request]{
		RateLimiter: limiter, Debounce: time.Second, HoldBackoff: trigger.SetOf(trigger.Watched), MinInterval: time.Second,
	}
	keys := make([]reconcile.Request, 500)
	for i := range keys {
		keys[i].Namespace, keys[i].Name = "ns", fmt.Sprint(i)
	}
	zero := ptr(0)
	served := func(q *queue.Queue[reconcile.Request]) {
		key, _ := q.Get()
		q.Forget(key)
		q.Done(key)
	}
	for _, tc := range []struct {
		name string
		once func(q *queue.Queue[reconcile.Request], key reconcile.Request)
	}{
		{"a key that has rested", func(q *queue.Queue[reconcile.Request], key reconcile.Request) {
			q.Add(key)
			served(q)
		}},
		{"one that rests", func(q *queue.Queue[reconcile.Request], key reconcile.Request) {
			q.Add(key)
			served(q)
			q.Add(key)
			sleep(time.Second)
			served(q)
		}},
		{"behind its own run", func(q *queue.Queue[reconcile.Request], key reconcile.Request) {
			q.Add(key)
			q.Get()
			q.Add(key)
			q.Done(key)
			sleep(time.Second)
			served(q)
		}},
		{"debounced", func(q *queue.Queue[reconcile.Request], key reconcile.Request) {
			q.AddWithSource(trigger.Watched, priorityqueue.AddOpts{}, key)
			q.AddWithSource(trigger.Watched, priorityqueue.AddOpts{}, key)
			sleep(time.Second)
			served(q)
		}},
		{"held by a retry", func(q *queue.Queue[reconcile.Request], key reconcile.Request) {
			q.Add(key)
			q.Get()
			q.AddWithOpts(priorityqueue.AddOpts{RateLimited: true, Priority: zero}, key)
			q.Done(key)
			q.AddWithSource(trigger.Watched, priorityqueue.AddOpts{}, key)
			sleep(time.Second)
			served(q)
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := queue.New("test", options)
				defer q.ShutDown()
				i := 0
				once := func() {
					tc.once(q, keys[i%len(keys)])
					sleep(2 * time.Second) // It has rested.
					i++
				}
				for range 2 * len(keys) {
					once()
				}
				require.Zero(t, testing.AllocsPerRun(len(keys), once))
			})
		})
	}
}
