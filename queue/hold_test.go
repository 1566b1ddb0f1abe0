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

// failing returns a queue in which a run of "k" has just failed: its retry is due
// after 10 ms.
func failing(t *testing.T, o queue.Options[string]) (*queue.Queue[string], *recorder) {
	t.Helper()
	r := &recorder{}
	o.Observer, o.RateLimiter = r, doubling()
	q := queue.New("test", o)
	q.Add("k")
	popped := takeKey(t, q, "k")
	answer(q, "k", popped, reconcile.Result{}, errBroken)
	q.Done("k")
	return q, r
}

// Events of the chosen sources don't cut a backoff short, however many come; they
// cause the retry, too. Any other ends it, and has those with it that have come.
func TestBackoffIsHeld(t *testing.T) {
	held := trigger.SetOf(trigger.Watched, trigger.Resync)
	for _, tc := range []struct {
		name    string
		cut     func(q *queue.Queue[string])
		at      time.Duration
		sources trigger.Set
		caused  time.Duration
	}{
		{"no other", func(*queue.Queue[string]) {}, 10 * ms, trigger.SetOf(trigger.Watched, trigger.Retry, trigger.Resync), ms},
		{"the user", func(q *queue.Queue[string]) { q.Add("k") }, 3 * ms, trigger.SetOf(trigger.Primary, trigger.Watched, trigger.Resync), 3 * ms},
		{"a timer", func(q *queue.Queue[string]) {
			q.AddWithSource(trigger.Periodic, priorityqueue.AddOpts{After: ms}, "k")
		}, 4 * ms, trigger.SetOf(trigger.Periodic, trigger.Watched, trigger.Resync), ms},
		{"a held source with a delay", func(q *queue.Queue[string]) {
			q.AddWithSource(trigger.Watched, priorityqueue.AddOpts{After: ms}, "k")
		}, 10 * ms, trigger.SetOf(trigger.Watched, trigger.Retry, trigger.Resync), ms},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				q, observer := failing(t, queue.Options[string]{HoldBackoff: held})
				sleep(ms)
				watched(q, "k")
				q.AddWithSource(trigger.Resync, priorityqueue.AddOpts{}, "k")
				sleep(ms)
				watched(q, "k")
				require.Zero(t, standing(q))
				require.Equal(t, 8*ms, q.Snapshot().NextDue)
				sleep(ms)
				tc.cut(q)
				sleep(tc.at - 3*ms)
				priority := takeKey(t, q, "k")
				if tc.sources.Has(trigger.Retry) { // It counts as Watched, but comes when a retry does.
					require.Equal(t, queue.DefaultPriority(trigger.Retry), priority)
				}
				info := observer.last(t)
				require.Equal(t, tc.at, info.Ready.Sub(start))
				require.Equal(t, tc.sources, info.Sources)
				require.Equal(t, tc.caused, info.Caused.Sub(start))
				require.Equal(t, info.Started.Sub(info.Added), info.Delay())
				q.Done("k")
				sleep(time.Hour)
				require.Zero(t, standing(q), "one run")
			})
		})
	}
}

// Without a failure there is nothing to hold.
func TestOnlyARetryHolds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := queue.New("test", queue.Options[string]{HoldBackoff: trigger.SetOf(trigger.Watched)})
		watched(q, "k")
		require.Equal(t, []string{"k@-20"}, drain(t, q))
		q.AddAfter("k", time.Hour)
		watched(q, "k")
		require.Equal(t, []string{"k@0"}, drain(t, q))
	})
	synctest.Test(t, func(t *testing.T) {
		q, _ := failing(t, queue.Options[string]{HoldBackoff: trigger.SetOf(trigger.Watched)})
		sleep(10 * ms) // The retry has come; the next event is of another failure, or none.
		require.Len(t, drain(t, q), 1)
		watched(q, "k")
		require.Len(t, drain(t, q), 1)
	})
}

// What comes during the run that fails waits for the retry, too, unless one of it
// need not.
func TestBackoffHoldsWhatCameDuringTheRun(t *testing.T) {
	watches := trigger.SetOf(trigger.Watched)
	for _, tc := range []struct {
		name     string
		held     trigger.Set
		debounce time.Duration
		stronger bool
		at       time.Duration
	}{
		{"ready behind the run", watches, 0, false, 15 * ms},
		{"debounced", watches, 2 * ms, false, 15 * ms},
		{"debounced for longer than the retry takes", watches, time.Hour, false, 15 * ms},
		{"a user's change, too", watches, 0, true, 5 * ms},
		{"debounced, and a user's change", watches, 2 * ms, true, 5 * ms},
		{"debounced, and not held", trigger.SetOf(trigger.Resync), 2 * ms, false, 6 * ms},
		{"not held", trigger.SetOf(trigger.Resync), 0, false, 5 * ms},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				observer := &recorder{}
				q := queue.New("test", queue.Options[string]{
					HoldBackoff: tc.held, Debounce: tc.debounce, RateLimiter: doubling(), Observer: observer,
				})
				q.Add("k")
				popped := takeKey(t, q, "k")
				sleep(4 * ms)
				watched(q, "k")
				if tc.stronger {
					q.Add("k")
				}
				sleep(ms)
				answer(q, "k", popped, reconcile.Result{}, errBroken)
				if tc.held == watches {
					watched(q, "k")
				}
				if tc.at > 5*ms {
					require.Zero(t, q.Len())
				}
				q.Done("k")
				sleep(tc.at - 5*ms)
				require.Equal(t, 1, standing(q))
				takeKey(t, q, "k")
				info := observer.last(t)
				require.True(t, info.Sources.Has(trigger.Watched))
				require.Equal(t, tc.at, info.Ready.Add(info.OwnRun).Sub(start))
				require.Equal(t, 4*ms, info.Added.Sub(start))
				require.Equal(t, info.Started.Sub(info.Added), info.Delay()+info.Wait()+info.OwnRun)
				q.Done("k")
				sleep(2 * time.Hour)
				require.Zero(t, standing(q))
			})
		})
	}
}

// The series count what is held once, and not as ready.
func TestSeriesOfWhatIsHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &meters{}
		q := queue.New("test", queue.Options[string]{
			HoldBackoff: trigger.SetOf(trigger.Watched), MinInterval: 100 * ms, RateLimiter: doubling(), MetricsProvider: m,
		})
		defer q.ShutDown()
		depth := func() float64 { return m.values()["depth"] }
		q.Add("k")
		popped := takeKey(t, q, "k")
		watched(q, "k")
		require.InDelta(t, 1, depth(), 0)
		answer(q, "k", popped, reconcile.Result{}, errBroken)
		require.Zero(t, depth())
		q.Done("k")
		sleep(100 * ms)
		require.InDelta(t, 1, depth(), 0)
		require.InDelta(t, 2, m.values()["adds"], 0)

		takeKey(t, q, "k") // The rest holds what stood behind the run.
		q.Add("k")
		require.InDelta(t, 1, depth(), 0)
		q.Done("k")
		require.Zero(t, depth())
		sleep(100 * ms)
		require.InDelta(t, 1, depth(), 0)
		require.InDelta(t, 3, m.values()["adds"], 0)
	})
}
