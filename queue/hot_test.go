package queue_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/trimtab/trimtab/queue"
)

// polls makes a run of key that takes so long, ends like o and asks for a wake-up, and
// the run that follows from that.
func polls(t *testing.T, q *queue.Queue[string], key string, took time.Duration, o queue.Outcome) {
	t.Helper()
	o.Result.RequeueAfter = time.Nanosecond
	q.Add(key)
	popped := takeKey(t, q, key)
	q.Running(key)
	sleep(took)
	q.Report(key, o)
	answer(q, key, popped, o.Result, nil)
	q.Done(key)
	sleep(1)
	takeKey(t, q, key)
	q.Report(key, o)
	q.Done(key)
}

// What was counted is worth half after ten minutes, and nothing in the end.
func TestHotCoolsDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		for range 8 {
			polls(t, q, "a", time.Second, queue.Outcome{})
		}
		look := func() (requeues uint64, busy time.Duration) {
			s := q.Snapshot()
			if len(s.Hot) > 0 {
				requeues = s.Hot[0].Requeues
			}
			if len(s.Busiest) > 0 {
				busy = s.Busiest[0].Time.Truncate(time.Second / 1000)
			}
			return requeues, busy
		}
		for i, want := range []uint64{8, 4, 2, 1, 0} {
			requeues, busy := look()
			require.Equal(t, want, requeues)
			require.InDelta(t, float64(8*time.Second)/float64(int(1)<<i), float64(busy), float64(2*ms))
			sleep(10 * time.Minute)
		}
		require.Empty(t, q.Snapshot().Hot)

		// After a long time nothing is left, and counting goes on. What is counted now
		// is not halved for the windows before.
		sleep(10_000 * time.Hour)
		require.Empty(t, q.Snapshot().Busiest)
		polls(t, q, "a", 2*time.Second, queue.Outcome{})
		requeues, busy := look()
		require.Equal(t, uint64(1), requeues)
		require.InDelta(t, float64(2*time.Second), float64(busy), float64(2*ms))
	})
}

// A burst that nobody looked at cools down before what comes later is added to it.
func TestHotCoolsDownUnseen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		for range 8 {
			polls(t, q, "a", 0, queue.Outcome{})
		}
		sleep(10 * time.Minute)
		for range 5 {
			polls(t, q, "b", 0, queue.Outcome{})
		}
		require.Equal(t, []queue.Hot[string]{{"b", 5}, {"a", 4}}, q.Snapshot().Hot)
	})
}

// Busiest is by time, not by number.
func TestBusiest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		run := func(key string, took time.Duration) {
			q.Add(key)
			takeKey(t, q, key)
			sleep(took)
			q.Done(key)
		}
		require.Empty(t, q.Snapshot().Busiest)
		for range 100 {
			run("often", ms)
		}
		run("long", time.Second)
		run("instantly", 0)
		require.Equal(t, []queue.Busy[string]{{"long", time.Second}, {"often", 100 * ms}}, q.Snapshot().Busiest)

		for i := range 1000 { // Many others hide neither.
			run(fmt.Sprint("once ", i), ms)
		}
		require.Equal(t, []queue.Busy[string]{{"long", time.Second}, {"often", 100 * ms}}, q.Snapshot().Busiest[:2])
	})
}

// Of short runs a sample is counted, as large as they are in all.
func TestShortRunsAreSampled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		for range 20_000 {
			q.Add("a")
			takeKey(t, q, "a")
			time.Sleep(ms / 4)
			q.Done("a")
		}
		busy := q.Snapshot().Busiest
		require.Len(t, busy, 1)
		// 5 s, and six times the standard deviation of the sample.
		require.InDelta(t, 5, busy[0].Time.Seconds(), 0.37)
	})
}

// RL06: what is deleted is in no list any more.
func TestWhatIsGoneIsNotHot_RL06(t *testing.T) {
	for name, tc := range map[string]struct {
		object queue.Object
		gone   bool
	}{
		"nothing is known": {queue.Object{}, false},
		"found":            {object(1), false},
		"being deleted":    {deleting(object(1)), false},
		"missed":           {queue.Object{Gone: true}, true},
		"released":         {queue.Object{Gone: true, UID: "1", Generation: 1, Deleting: true}, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := newQueue()
				for i := range 100 {
					polls(t, q, fmt.Sprint(i), ms, queue.Outcome{Object: object(1)})
				}
				require.Len(t, q.Snapshot().Hot, 100)
				require.Len(t, q.Snapshot().Busiest, 100)
				for i := range 100 {
					key := fmt.Sprint(i)
					q.Add(key)
					takeKey(t, q, key)
					q.Report(key, queue.Outcome{Object: tc.object})
					sleep(ms)
					q.Done(key)
				}
				if tc.gone {
					require.Empty(t, q.Snapshot().Hot)
					require.Empty(t, q.Snapshot().Busiest)
				} else {
					require.Len(t, q.Snapshot().Hot, 100)
					require.Len(t, q.Snapshot().Busiest, 100)
				}
			})
		})
	}
}

// A run of an object that is gone counts for nothing, though it failed.
func TestAFailureOfWhatIsGoneIsNotHot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		q.Add("a")
		for range 3 {
			popped := takeKey(t, q, "a")
			sleep(ms)
			q.Report("a", queue.Outcome{Err: errBroken, Object: queue.Object{Gone: true}})
			answer(q, "a", popped, reconcile.Result{}, errBroken)
			q.Done("a")
			sleep(time.Second)
		}
		require.Empty(t, q.Snapshot().Hot)
		require.Empty(t, q.Snapshot().Busiest)
	})
}
