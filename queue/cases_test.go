package queue_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/trimtab/trimtab/queue"
	"github.com/trimtab/trimtab/trigger"
)

// An urgent item that had a delay does not wait behind what was ready before.
func TestUrgentAfterDelay_QU01(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		q.AddWithOpts(at(-100), "foo", "bar")
		q.AddWithOpts(priorityqueue.AddOpts{After: 50 * ms}, "prio")
		sleep(100 * ms)
		require.Equal(t, []string{"prio@0", "foo@-100", "bar@-100"}, drain(t, q))
	})
}

// Periodic requeues that come faster than one worker drains do not starve the
// initial list: they stand in line with it.
func TestInitialListIsServed_QU02(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		first := map[string]time.Duration{}
		q := startController(t, 1, queue.Options[string]{}, false,
			func(_ context.Context, key string) (reconcile.Result, error) {
				if _, ran := first[key]; !ran {
					first[key] = time.Since(start)
				}
				time.Sleep(50 * ms)
				if strings.HasPrefix(key, "poll") {
					return reconcile.Result{RequeueAfter: 500 * ms}, nil
				}
				return reconcile.Result{}, nil
			})
		for i := range 20 {
			q.Add(fmt.Sprint("poll", i))
		}
		for i := range 100 {
			q.AddWithOpts(at(-100), fmt.Sprint("initial", i))
		}
		sleep(30 * time.Second)
		require.Len(t, first, 120)
		for key, at := range first {
			require.LessOrEqual(t, at, 30*time.Second, key)
		}
	})
}

// A user's change overtakes 1000 periodic runs: it is next.
func TestUserOvertakesPeriodic_QU05(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var order []string
		q := startController(t, 1, queue.Options[string]{}, false,
			func(_ context.Context, key string) (reconcile.Result, error) {
				order = append(order, key)
				time.Sleep(time.Second)
				if len(order) <= 1000 {
					return reconcile.Result{RequeueAfter: time.Hour}, nil
				}
				return reconcile.Result{}, nil
			})
		for i := range 1000 {
			q.Add(fmt.Sprint(i))
		}
		sleep(3700 * time.Second) // All have run once; the first hundred again.
		ran := len(order)
		require.Greater(t, ran, 1000)
		q.Add("999") // its own wake-up is pending
		sleep(time.Second)
		require.Equal(t, "999", order[ran])
	})
}

// Equal keys are one request, whatever they are made of.
func TestEqualKeysAreOne_QU10(t *testing.T) {
	type key struct{ cluster, name string }
	synctest.Test(t, func(t *testing.T) {
		q := queue.New("test", queue.Options[key]{})
		for _, name := range []string{"a", "b", "a"} {
			q.Add(key{"c", strings.Clone(name)})
			q.AddRateLimited(key{"c", strings.Clone(name)})
		}
		require.Equal(t, 2, q.Len())
		require.Equal(t, 2, q.NumRequeues(key{"c", "a"}))
	})
}

// Error backoff and the wish to be looked at again do not pile up: one timer.
func TestOneTimerPerKey_RQ10(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, observer := observed()
		for range 3 {
			q.AddWithSource(trigger.Retry, priorityqueue.AddOpts{After: 8 * time.Second}, "k")
			q.AddWithSource(trigger.Periodic, priorityqueue.AddOpts{After: 5 * time.Second}, "k")
		}
		require.Equal(t, 1, q.Snapshot().Delayed)
		sleep(5*time.Second - 1)
		require.Zero(t, standing(q))
		sleep(1)
		require.Equal(t, []string{"k@-10"}, drain(t, q))
		require.True(t, observer.last(t).Sources.Has(trigger.Periodic))
		sleep(time.Hour)
		require.Zero(t, standing(q))
	})
}
