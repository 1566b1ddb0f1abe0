package queue_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/trimtab/trimtab/queue"
	"github.com/trimtab/trimtab/trigger"
)

// times is an Info with its times counted in seconds.
type times struct {
	sources              trigger.Set
	added, ready, caused float64
	ownRun, started      float64
}

func timesOf(start time.Time, info trigger.Info) times {
	at := func(t time.Time) float64 { return t.Sub(start).Seconds() }
	return times{
		sources: info.Sources,
		added:   at(info.Added), ready: at(info.Ready), caused: at(info.Caused),
		ownRun: info.OwnRun.Seconds(), started: at(info.Started),
	}
}

// Each case starts with a worker that has asked, at second 0, and says what is
// known of the delivery of k that it causes.
func TestInfo(t *testing.T) {
	tagged := func(q *queue.Queue[string], s trigger.Source, after time.Duration) {
		q.AddWithSource(s, priorityqueue.AddOpts{After: after}, "k")
	}
	const s = time.Second
	for _, tc := range []struct {
		name string
		add  func(t *testing.T, q *queue.Queue[string])
		want times
	}{
		{"at once", func(_ *testing.T, q *queue.Queue[string]) {
			sleep(s)
			q.Add("k")
		}, times{sources: trigger.SetOf(trigger.Primary), added: 1, ready: 1, caused: 1, started: 1}},
		{"delay, then wait", func(_ *testing.T, q *queue.Queue[string]) {
			sleep(s)
			tagged(q, trigger.Watched, 4*s)
			sleep(10 * s)
		}, times{sources: trigger.SetOf(trigger.Watched), added: 1, ready: 5, caused: 1, started: 11}},
		{"behind its own run, then wait", func(t *testing.T, q *queue.Queue[string]) {
			t.Helper()
			q.Add("k")
			takeKey(t, q, "k")
			sleep(s)
			q.Add("k")
			sleep(4 * s)
			q.Done("k")
			sleep(2 * s)
		}, times{sources: trigger.SetOf(trigger.Primary), added: 1, ready: 1, caused: 1, ownRun: 4, started: 7}},
		{"delay, own run, wait", func(t *testing.T, q *queue.Queue[string]) {
			t.Helper()
			q.Add("k")
			takeKey(t, q, "k")
			sleep(s)
			tagged(q, trigger.External, 2*s)
			sleep(9 * s)
			q.Done("k")
			sleep(s)
		}, times{sources: trigger.SetOf(trigger.External), added: 1, ready: 3, caused: 1, ownRun: 7, started: 11}},
		{"delay that ends after the own run", func(t *testing.T, q *queue.Queue[string]) {
			t.Helper()
			q.Add("k")
			takeKey(t, q, "k")
			tagged(q, trigger.Watched, 5*s)
			sleep(s)
			q.Done("k")
			sleep(5 * s)
		}, times{sources: trigger.SetOf(trigger.Watched), added: 0, ready: 5, caused: 0, started: 6}},
		{"merged while ready: the strongest's own time", func(_ *testing.T, q *queue.Queue[string]) {
			tagged(q, trigger.Resync, 0)
			sleep(s)
			tagged(q, trigger.Watched, 0)
			sleep(s)
			tagged(q, trigger.Primary, 0)
			sleep(s)
			tagged(q, trigger.Primary, 0)
			tagged(q, trigger.External, 0)
			sleep(s)
		}, times{sources: trigger.SetOf(trigger.Primary, trigger.External, trigger.Watched, trigger.Resync), added: 0, ready: 0, caused: 2, started: 4}},
		{"merged while ready, for later: no cause", func(_ *testing.T, q *queue.Queue[string]) {
			tagged(q, trigger.Resync, 0)
			tagged(q, trigger.Primary, s)
			sleep(2 * s)
		}, times{sources: trigger.SetOf(trigger.Resync), started: 2}},
		{"merged while parked", func(t *testing.T, q *queue.Queue[string]) {
			t.Helper()
			q.Add("k")
			takeKey(t, q, "k")
			tagged(q, trigger.Watched, 0)
			sleep(s)
			tagged(q, trigger.Primary, 0)
			tagged(q, trigger.External, s)
			sleep(s)
			q.Done("k")
		}, times{sources: trigger.SetOf(trigger.Primary, trigger.Watched), caused: 1, ownRun: 2, started: 2}},
		{"a pending wake-up that an event overtakes is no cause", func(_ *testing.T, q *queue.Queue[string]) {
			tagged(q, trigger.Periodic, 100*s)
			sleep(10 * s)
			tagged(q, trigger.Watched, 0)
			sleep(s)
		}, times{sources: trigger.SetOf(trigger.Watched), added: 10, ready: 10, caused: 10, started: 11}},
		{"nor is one that a debounced event overtakes", func(_ *testing.T, q *queue.Queue[string]) {
			tagged(q, trigger.Periodic, 100*s)
			sleep(10 * s)
			tagged(q, trigger.Watched, 2*s)
			sleep(5 * s)
		}, times{sources: trigger.SetOf(trigger.Watched), added: 10, ready: 12, caused: 10, started: 15}},
		{"two for the same time are both causes", func(_ *testing.T, q *queue.Queue[string]) {
			tagged(q, trigger.Periodic, 10*s)
			sleep(s)
			tagged(q, trigger.Watched, 9*s)
			sleep(9 * s)
		}, times{sources: trigger.SetOf(trigger.Watched, trigger.Periodic), added: 0, ready: 10, caused: 1, started: 10}},
		{"what comes while it waits, for later, joins it", func(_ *testing.T, q *queue.Queue[string]) {
			tagged(q, trigger.Retry, 10*s)
			sleep(s)
			tagged(q, trigger.Watched, 100*s)
			sleep(9 * s)
		}, times{sources: trigger.SetOf(trigger.Watched, trigger.Retry), added: 0, ready: 10, caused: 1, started: 10}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q, observer := observed()
				q.Add("warm up")
				takeKey(t, q, "warm up")
				start := time.Now()
				tc.add(t, q)
				takeKey(t, q, "k")
				require.Equal(t, tc.want, timesOf(start, observer.last(t)))
				running, ok := q.Running("k")
				require.True(t, ok)
				require.Equal(t, 1, running.Attempt)
				require.Equal(t, running.Since(), running.First)
				running.Attempt, running.First = 0, time.Time{}
				require.Equal(t, observer.last(t), running)
			})
		})
	}
}

// A request whose time has come counts as ready, though its timer has yet to run:
// what comes at that instant joins it.
func TestDueRequestIsReadyBeforeItsTimer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, observer := observed()
		q.Add("busy")
		takeKey(t, q, "busy")
		for range 100 { // Some find the timer first, some do not.
			q.AddWithSource(trigger.Periodic, priorityqueue.AddOpts{After: time.Second, Priority: ptr(0)}, "k")
			time.Sleep(time.Second)
			q.Add("other")
			q.Add("k")
			takeKey(t, q, "k")
			require.True(t, observer.last(t).Sources.Has(trigger.Periodic))
			takeKey(t, q, "other")
			q.Done("k")
			q.Done("other")
		}
	})
}

// So it does for a worker that asks at that instant.
func TestDueRequestIsTakenBeforeItsTimer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		for range 100 {
			q.Add("other")
			q.AddWithOpts(priorityqueue.AddOpts{After: time.Second, Priority: ptr(1)}, "k")
			time.Sleep(time.Second)
			for _, want := range []string{"k", "other"} {
				key, _ := q.Get()
				require.Equal(t, want, key)
				q.Done(key)
			}
		}
	})
}

// What stands in a queue before a worker first asks, as on a warm standby, waits
// from then on.
func TestTimesStartWithTheFirstGet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, observer := observed()
		start := time.Now()
		q.Add("old")
		q.AddAfter("came due", 10*time.Second)
		q.AddAfter("comes due", 110*time.Second)
		sleep(100 * time.Second)
		require.Zero(t, q.Snapshot().OldestWaiting)
		require.Zero(t, q.Snapshot().OverFor)

		took := func(key string) times {
			takeKey(t, q, key)
			return timesOf(start, observer.last(t))
		}
		primary := trigger.SetOf(trigger.Primary)
		require.Equal(t, times{sources: primary, added: 100, ready: 100, caused: 100, started: 100}, took("old"))
		sleep(time.Second)
		require.Equal(t, time.Second, q.Snapshot().OldestWaiting)
		require.Equal(t, times{sources: primary, added: 100, ready: 100, caused: 100, started: 101}, took("came due"))
		sleep(11 * time.Second)
		require.Equal(t, times{sources: primary, added: 100, ready: 110, caused: 100, started: 112}, took("comes due"))
	})
}

// controller-runtime's low priority, which it gives to the initial list and to
// resyncs, makes an event a Resync; a requeue at that priority stays what it is.
func TestLowPriorityIsResync(t *testing.T) {
	for _, tc := range []struct {
		source trigger.Source
		want   trigger.Source
	}{
		{trigger.Primary, trigger.Resync},
		{trigger.External, trigger.Resync},
		{trigger.Watched, trigger.Resync},
		{trigger.Retry, trigger.Retry},
		{trigger.Periodic, trigger.Periodic},
		{trigger.Resync, trigger.Resync},
	} {
		t.Run(tc.source.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q, observer := observed()
				q.AddWithSource(tc.source, at(-100), "k")
				require.Equal(t, -100, takeKey(t, q, "k"))
				require.Equal(t, trigger.SetOf(tc.want), observer.last(t).Sources)
				require.Equal(t, []string{tc.want.String()}, observer.added)
				q.Done("k")

				q.AddWithSource(tc.source, at(-99), "k")
				require.Equal(t, -99, takeKey(t, q, "k"))
				require.Equal(t, trigger.SetOf(tc.source), observer.last(t).Sources)
			})
		})
	}
	t.Run("a retry of one is a retry", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			q, observer := observed()
			q.AddWithOpts(at(-100), "k")
			popped := takeKey(t, q, "k")
			answer(q, "k", popped, reconcile.Result{}, errBroken)
			q.Done("k")
			sleep(10 * ms)
			require.Equal(t, -10, takeKey(t, q, "k"))
			require.Equal(t, trigger.SetOf(trigger.Retry), observer.last(t).Sources)
		})
	})
}
