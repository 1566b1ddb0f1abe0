package queue_test

import (
	"runtime"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/trimtab/trimtab/queue"
)

func TestShutDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		require.False(t, q.ShuttingDown())
		ended := make(chan bool, 3)
		for range 3 {
			go func() {
				_, _, shutdown := q.GetWithPriority()
				ended <- shutdown
			}()
		}
		synctest.Wait()
		require.Empty(t, ended)
		q.ShutDown()
		for range 3 {
			require.True(t, <-ended)
		}
		require.True(t, q.ShuttingDown())
		q.ShutDown()
		q.ShutDownWithDrain()
		key, shutdown := q.Get()
		require.True(t, shutdown)
		require.Empty(t, key)
	})
}

func TestShutDownDropsEverything(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		q.Add("in flight")
		takeKey(t, q, "in flight")
		q.Add("ready")
		q.AddAfter("delayed", time.Second)
		q.ShutDown()
		_, shutdown := q.Get()
		require.True(t, shutdown)

		q.Add("added")
		q.AddAfter("added", time.Second)
		q.AddRateLimited("added")
		q.AddWithOpts(at(3), "added", "in flight")
		q.Report("in flight", queue.Outcome{Err: errBroken})
		answer(q, "in flight", 0, reconcile.Result{}, errBroken)
		q.Done("in flight")
		q.Done("in flight")
		sleep(time.Hour)
		require.Zero(t, q.Snapshot().Delayed)
		require.Zero(t, q.Snapshot().Running)
		_, shutdown = q.Get()
		require.True(t, shutdown)
		require.Zero(t, q.NumRequeues("in flight"))
	})
}

// The end of a drain, told by a channel.
func draining(q *queue.Queue[string]) chan struct{} {
	done := make(chan struct{})
	go func() {
		q.ShutDownWithDrain()
		close(done)
	}()
	synctest.Wait()
	return done
}

func isClosed(c chan struct{}) bool {
	synctest.Wait()
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// What is ready, what stands behind its own run and what is in flight is finished;
// what waits for its time is dropped, and so is what is added.
func TestShutDownWithDrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		q.Add("in flight")
		takeKey(t, q, "in flight")
		q.Add("in flight") // once more, behind its own run
		q.Add("ready")
		q.AddAfter("delayed", time.Second)
		done := draining(q)
		other := draining(q)
		require.True(t, q.ShuttingDown())
		q.Add("added")
		sleep(time.Minute)

		takeKey(t, q, "ready")
		answer(q, "ready", 0, reconcile.Result{}, errBroken)
		q.Done("ready")
		require.False(t, isClosed(done))
		got := make(chan string, 9)
		for range 2 { // Two workers wait: one gets the last, both learn the end.
			go func() {
				for {
					key, shutdown := q.Get()
					if shutdown {
						got <- "end"
						return
					}
					got <- key
					time.Sleep(time.Second)
					q.Done(key)
				}
			}()
		}
		synctest.Wait()
		require.Empty(t, got)
		q.Done("in flight")
		synctest.Wait()
		require.Len(t, got, 1)
		require.False(t, isClosed(done))
		sleep(time.Second)
		require.True(t, isClosed(done))
		require.True(t, isClosed(other))
		require.Equal(t, "in flight", <-got)
		require.Equal(t, "end", <-got)
		require.Equal(t, "end", <-got)
		_, shutdown := q.Get()
		require.True(t, shutdown)
		q.ShutDownWithDrain() // returns at once
		q.ShutDown()
	})
}

// RL06: no end keeps a record of a request that fails, nor makes one.
func TestShutDownForgetsFailures_RL06(t *testing.T) {
	for name, end := range map[string]func(q *queue.Queue[string]){
		"at once": func(q *queue.Queue[string]) { q.ShutDown() },
		"drain":   func(q *queue.Queue[string]) { go q.ShutDownWithDrain() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var q *queue.Queue[string]
				q = queue.New("test", queue.Options[string]{GiveUp: 1, RateLimiter: doubling(), OnGiveUp: func(string, int, error) {
					require.Equal(t, 1, q.Failing())
					end(q) // between two retries of one call
					synctest.Wait()
				}})
				q.Add("given up")
				popped := takeKey(t, q, "given up")
				q.Report("given up", queue.Outcome{Err: errBroken})
				answer(q, "given up", popped, reconcile.Result{}, errBroken)
				q.Report("given up", queue.Outcome{Err: errBroken})
				q.Add("fails")
				takeKey(t, q, "fails")
				q.Report("fails", queue.Outcome{Err: errBroken})
				q.AddWithOpts(priorityqueue.AddOpts{RateLimited: true, Priority: &popped}, "given up", "fails")
				require.True(t, q.ShuttingDown())
				require.Zero(t, q.Failing())
				q.Done("given up")
				q.Done("fails")
				require.Zero(t, q.Failing()+q.Snapshot().Running)
			})
		})
	}
}

func TestShutDownWithDrainOfNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		q.AddAfter("delayed", time.Second)
		require.True(t, isClosed(draining(q)))
		_, shutdown := q.Get()
		require.True(t, shutdown)
	})
}

// A waiting Get learns of a drain that has nothing to do.
func TestShutDownWithDrainWakesGet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		ended := make(chan struct{})
		go func() {
			q.Get()
			close(ended)
		}()
		synctest.Wait()
		require.True(t, isClosed(draining(q)))
		require.True(t, isClosed(ended))
	})
}

func TestShutDownEndsDrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		q.Add("in flight")
		takeKey(t, q, "in flight")
		q.Add("ready")
		done := draining(q)
		require.False(t, isClosed(done))
		q.ShutDown()
		require.True(t, isClosed(done))
		_, shutdown := q.Get()
		require.True(t, shutdown)
		q.Done("in flight")
	})
}

// A queue that was shut down is held by no timer.
func TestShutDownLetsTheQueueGo(t *testing.T) {
	used := func() weak.Pointer[queue.Queue[string]] {
		q := newQueue()
		q.AddAfter("k", time.Hour)
		q.ShutDown()
		return weak.Make(q)
	}()
	for range 100 { // The runtime drops a stopped timer when it next looks at its own.
		runtime.GC()
		if used.Value() == nil {
			return
		}
		runtime.Gosched()
	}
	require.Fail(t, "the queue is still in use")
}

// No goroutine is left behind, whatever was going on: a bubble ends when all have.
func TestShutDownLeavesNoGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		for i := range 100 {
			q.AddAfter(string(rune('a'+i)), time.Duration(i)*ms)
		}
		for range 8 {
			go func() {
				for {
					key, shutdown := q.Get()
					if shutdown {
						return
					}
					q.AddAfter(key, ms)
					q.Done(key)
				}
			}()
		}
		sleep(50 * ms)
		q.ShutDown()
	})
}
