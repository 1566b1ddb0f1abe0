package queue_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/trimtab/trimtab/queue"
	"github.com/trimtab/trimtab/trigger"
)

// subject is what the stress test knows of one key.
type subject struct {
	added, seen atomic.Int32 // the version that was added last, and that a run saw last
	running     atomic.Bool
	runs        atomic.Int32
}

// 8 workers of controller-runtime's controller, 4 that add, 100,000 keys: each is
// delivered after its last add, and none to two workers at once.
func TestControllerOnManyKeys(t *testing.T) {
	const keys, adders, workers = 100_000, 4, 8
	synctest.Test(t, func(t *testing.T) {
		subjects := make([]subject, keys)
		var twice atomic.Int32
		q := startController(t, workers, queue.Options[int]{}, false, func(_ context.Context, key int) (reconcile.Result, error) {
			s := &subjects[key]
			if !s.running.CompareAndSwap(false, true) {
				twice.Add(1)
			}
			defer s.running.Store(false)
			s.seen.Store(s.added.Load())
			switch run := s.runs.Add(1); {
			case key%100 == 1 && run <= 3:
				return reconcile.Result{}, errBroken
			case key%100 == 2 && run <= 3:
				return reconcile.Result{RequeueAfter: ms}, nil
			case key%100 == 3 && run <= 3:
				return reconcile.Result{}, reconcile.TerminalError(errors.New("for good"))
			}
			return reconcile.Result{}, nil
		})
		for adder := range adders {
			go func() {
				add := func(key, i int) {
					subjects[key].added.Add(1)
					switch i % 5 {
					case 0:
						q.AddWithOpts(at(-100), key)
					case 1:
						q.AddAfter(key, time.Duration(i%7)*ms)
					case 2:
						q.AddWithSource(trigger.Watched, priorityqueue.AddOpts{}, key)
					default:
						q.Add(key)
					}
				}
				for i := range keys / adders {
					add(i*adders+adder, i)
					add((i*7919+adder)%(keys/100), i) // some come again and again, from all sides
				}
			}()
		}
		sleep(time.Hour)

		require.Zero(t, twice.Load())
		for key := range subjects {
			s := &subjects[key]
			if added, seen := s.added.Load(), s.seen.Load(); added == 0 || seen != added {
				require.Failf(t, "lost", "key %d: added %d times, %d when it last ran", key, added, seen)
			}
			if runs := s.runs.Load(); runs < 4 && (key%100 == 1 || key%100 == 2) {
				require.Failf(t, "not requeued", "key %d: %d runs", key, runs)
			}
		}
		s := q.Snapshot()
		require.Zero(t, s.Delayed)
		require.Zero(t, s.Running)
		require.Zero(t, q.Len())
		require.Equal(t, workers, s.Workers)
	})
}

// A Done of who does not own the request is a fault of the caller's. It ends the run,
// and does not change what the worker is given, not even while it is given that.
func TestStrayDone(t *testing.T) {
	q, _ := observed()
	var workers sync.WaitGroup
	var got []string
	workers.Go(func() {
		for {
			key, shutdown := q.Get()
			if shutdown {
				return
			}
			got = append(got, key)
			q.Done(key)
		}
	})
	workers.Go(func() {
		for !q.ShuttingDown() {
			q.Done("a")
		}
	})
	for range 20_000 {
		q.Add("a")
	}
	q.ShutDownWithDrain() // At least one is delivered.
	workers.Wait()
	require.NotEmpty(t, got)
	require.NotContains(t, got, "")
}
