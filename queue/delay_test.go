package queue_test

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"

	"github.com/trimtab/trimtab/queue"
)

// Each case adds k, and says when it is delivered.
func TestDelay(t *testing.T) {
	const nothing = -1
	for _, tc := range []struct {
		name string
		add  func(q *queue.Queue[string])
		want time.Duration
	}{
		{"none", func(q *queue.Queue[string]) { q.Add("k") }, 0},
		{"zero", func(q *queue.Queue[string]) { q.AddAfter("k", 0) }, 0},
		{"negative", func(q *queue.Queue[string]) { q.AddAfter("k", -time.Hour) }, 0},
		{"most negative", func(q *queue.Queue[string]) { q.AddAfter("k", math.MinInt64) }, 0},
		{"one nanosecond", func(q *queue.Queue[string]) { q.AddAfter("k", 1) }, 1},
		{"one hour", func(q *queue.Queue[string]) { q.AddAfter("k", time.Hour) }, time.Hour},
		{"huge", func(q *queue.Queue[string]) { q.AddAfter("k", math.MaxInt64) }, nothing},
		{"huge, after a while", func(q *queue.Queue[string]) {
			sleep(time.Second)
			q.AddAfter("k", math.MaxInt64)
			q.AddAfter("k", math.MaxInt64-1)
		}, nothing},
		{"huge, then sooner", func(q *queue.Queue[string]) {
			q.AddAfter("k", math.MaxInt64)
			q.AddAfter("k", time.Minute)
		}, time.Minute},
		{"RQ06: cut short by an add", func(q *queue.Queue[string]) {
			q.AddAfter("k", 400*ms)
			q.Add("k")
		}, 0},
		{"RQ06: cut short after a while", func(q *queue.Queue[string]) {
			q.AddAfter("k", 400*ms)
			sleep(100 * ms)
			q.Add("k")
		}, 100 * ms},
		{"RQ09: a later one moves nothing", func(q *queue.Queue[string]) {
			q.AddAfter("k", time.Second)
			q.AddAfter("k", 30*time.Second)
		}, time.Second},
		{"RQ09: a sooner one does", func(q *queue.Queue[string]) {
			q.AddAfter("k", time.Second)
			q.AddAfter("k", 200*ms)
		}, 200 * ms},
		{"RQ10: backoff 8s and periodic 5s", func(q *queue.Queue[string]) {
			q.AddAfter("k", 8*time.Second)
			q.AddAfter("k", 5*time.Second)
		}, 5 * time.Second},
		{"After and RateLimited: the limiter's is less", func(q *queue.Queue[string]) {
			q.AddWithOpts(priorityqueue.AddOpts{After: time.Second, RateLimited: true}, "k")
		}, 10 * ms},
		{"After and RateLimited: After is less", func(q *queue.Queue[string]) {
			q.AddWithOpts(priorityqueue.AddOpts{After: 3 * ms, RateLimited: true}, "k")
		}, 3 * ms},
		{"After negative and RateLimited", func(q *queue.Queue[string]) {
			q.AddWithOpts(priorityqueue.AddOpts{After: -1, RateLimited: true}, "k")
		}, 0},
		{"RateLimited alone", func(q *queue.Queue[string]) { q.AddRateLimited("k") }, 10 * ms},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := newQueue()
				start := time.Now()
				var got []time.Duration
				go func() {
					for {
						key, shutdown := q.Get()
						if shutdown {
							return
						}
						if key == "k" {
							got = append(got, time.Since(start))
						}
						q.Done(key)
					}
				}()
				tc.add(q)
				sleep(100 * 24 * time.Hour)
				q.ShutDown()
				synctest.Wait()
				if tc.want == nothing {
					require.Empty(t, got)
				} else {
					require.Equal(t, []time.Duration{tc.want}, got)
				}
			})
		})
	}
}

// What became ready at different times is served in that order, and at one time
// in the order of priority, then of adds; whether or not a worker waited.
func TestDelayedBecomeReadyInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		q.AddAfter("third", 30*ms)
		q.AddAfter("first", 10*ms)
		q.AddAfter("second", 20*ms)
		q.AddAfter("also first", 10*ms)
		q.AddWithOpts(priorityqueue.AddOpts{After: 30 * ms, Priority: ptr(1)}, "prio")
		require.Zero(t, q.Len())
		require.Equal(t, 5, q.Snapshot().Delayed)
		sleep(10 * ms)
		q.Add("now")
		require.Equal(t, 3, q.Len())
		sleep(time.Second)
		require.Equal(t, []string{"prio@1", "first@0", "also first@0", "now@0", "second@0", "third@0"}, drain(t, q))
	})
}

// The priority of an add counts while the request waits, too.
func TestDelayedTakesHigherPriority(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		q.AddWithOpts(priorityqueue.AddOpts{After: time.Second, Priority: ptr(1)}, "a")
		q.AddWithOpts(priorityqueue.AddOpts{After: time.Minute, Priority: ptr(2)}, "a")
		q.AddWithOpts(priorityqueue.AddOpts{After: time.Minute, Priority: ptr(-2)}, "a")
		sleep(time.Second)
		require.Equal(t, []string{"a@2"}, drain(t, q))
	})
}

// A delay of a request in flight counts from the add, and ends behind its run.
func TestDelayBehindOwnRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		q.Add("a")
		takeKey(t, q, "a")
		q.AddAfter("a", time.Second)
		sleep(2 * time.Second)
		require.Equal(t, 1, q.Len())
		require.Zero(t, standing(q))
		require.Zero(t, q.Snapshot().Delayed)
		q.Done("a")
		require.Equal(t, []string{"a@0"}, drain(t, q))

		q.Add("a")
		takeKey(t, q, "a")
		q.AddAfter("a", time.Second)
		q.Done("a")
		require.Zero(t, q.Len())
		sleep(time.Second)
		require.Equal(t, []string{"a@0"}, drain(t, q))
	})
}

// The kind of RQ17: whatever one timer stood for, another add is not lost with it.
func TestNoTimerIsLost_RQ17(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		q.AddAfter("a", time.Second)
		q.AddAfter("b", 2*time.Second)
		q.Add("a") // The timer of a has nothing to do when it fires.
		require.Equal(t, []string{"a@0"}, drain(t, q))
		time.Sleep(time.Second) // It fires at this instant,
		q.AddAfter("a", 5*time.Second)
		synctest.Wait()
		require.Zero(t, q.Len())
		sleep(time.Second)
		require.Equal(t, []string{"b@0"}, drain(t, q))
		sleep(4 * time.Second)
		require.Equal(t, []string{"a@0"}, drain(t, q))

		takeAt := func(d time.Duration) {
			q.AddAfter("c", d)
			sleep(d)
			require.Equal(t, []string{"c@0"}, drain(t, q))
		}
		takeAt(time.Hour)
		takeAt(time.Nanosecond) // after the queue was idle
		takeAt(time.Minute)
	})
}

// A request that is cut short is taken out of the middle of the others.
func TestManyDelaysCutShort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		keys := []string{}
		for i := range 100 {
			keys = append(keys, string(rune('A'+i)))
			q.AddAfter(keys[i], time.Duration(1+i*37%100)*time.Second)
		}
		for i := 0; i < 100; i += 3 {
			q.Add(keys[i])
		}
		require.Len(t, drain(t, q), 34)
		for i := 1; i < 100; i += 3 {
			q.AddAfter(keys[i], time.Duration(1+i)*ms)
		}
		sleep(100 * ms)
		require.Len(t, drain(t, q), 33)
		start := time.Now()
		for i := range 100 {
			time.Sleep(time.Until(start.Add(time.Duration(1+i)*time.Second - 100*ms)))
			synctest.Wait()
			got := drain(t, q)
			if k := i * 73 % 100; k%3 == 2 { // 73 is the inverse of 37
				require.Equal(t, []string{keys[k] + "@0"}, got)
			} else {
				require.Empty(t, got)
			}
		}
	})
}
