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

// worked returns a queue of which a worker takes all that comes, in no time, and
// what it is told.
func worked(t *testing.T, o queue.Options[string]) (*queue.Queue[string], *recorder) {
	t.Helper()
	r := &recorder{}
	o.Observer, o.RateLimiter = r, doubling()
	q := queue.New("test", o)
	go func() {
		for {
			key, shutdown := q.Get()
			if shutdown {
				return
			}
			q.Done(key)
		}
	}()
	synctest.Wait()
	t.Cleanup(q.ShutDown)
	return q, r
}

func watched(q *queue.Queue[string], key string) {
	q.AddWithSource(trigger.Watched, priorityqueue.AddOpts{}, key)
}

// starts returns when the runs started, counted from start.
func (r *recorder) starts(start time.Time) []time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	var at []time.Duration
	for _, info := range r.delivered {
		at = append(at, info.Started.Sub(start))
	}
	return at
}

// A burst of watched events causes one run, a second after the last of them; that
// time is deliberate.
func TestBurstIsOneRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		q, observer := worked(t, queue.Options[string]{Debounce: time.Second})
		for range 4 {
			watched(q, "k")
			sleep(500 * ms)
		}
		watched(q, "other")
		require.Equal(t, 2, q.Snapshot().Delayed)
		require.Equal(t, 500*ms, q.Snapshot().NextDue)
		require.Zero(t, q.Len())
		sleep(500 * ms)
		info := observer.last(t)
		require.Equal(t, 2500*ms, info.Delay())
		require.Zero(t, info.Wait())
		require.Equal(t, trigger.SetOf(trigger.Watched), info.Sources)
		sleep(time.Minute)
		require.Equal(t, []time.Duration{2500 * ms, 3 * time.Second}, observer.starts(start))
		require.Equal(t, []string{"watched", "watched merged", "watched merged", "watched merged", "watched"}, observer.added)
	})
}

// Events that never end put a run off by DebounceMax at most, which is ten times
// Debounce if nothing is said.
func TestDebounceEnds(t *testing.T) {
	for _, tc := range []struct{ limit, want time.Duration }{
		{2 * time.Second, 2 * time.Second},
		{0, 10 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			q, observer := worked(t, queue.Options[string]{Debounce: time.Second, DebounceMax: tc.limit})
			for range 150 {
				watched(q, "k")
				sleep(300 * ms)
			}
			at := observer.starts(start)
			require.Equal(t, tc.want, at[0])
			// The next burst starts with the event after that run.
			next := tc.want.Truncate(300*ms) + 300*ms
			require.Equal(t, next+tc.want, at[1])
		})
	}
}

// Whatever else comes ends a debounce at once. The events that it held have come:
// they are among the causes, and the delay counts from the first.
func TestDebounceIsCutShort(t *testing.T) {
	for _, source := range []trigger.Source{trigger.Primary, trigger.External, trigger.Retry, trigger.Periodic, trigger.Resync} {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			q, observer := worked(t, queue.Options[string]{Debounce: time.Second})
			watched(q, "k")
			sleep(200 * ms)
			watched(q, "k")
			sleep(200 * ms)
			q.AddWithSource(source, priorityqueue.AddOpts{}, "k")
			sleep(time.Minute)
			require.Equal(t, []time.Duration{400 * ms}, observer.starts(start))
			info := observer.last(t)
			require.Equal(t, trigger.SetOf(source, trigger.Watched), info.Sources)
			require.Equal(t, 400*ms, info.Delay())
			if source < trigger.Watched {
				require.Equal(t, start.Add(400*ms), info.Caused)
			} else {
				require.Equal(t, start, info.Caused)
			}
		})
	}
}

// A debounce and a timer are one wait: the earlier of the two counts, whichever
// came first, and no event puts that off. One run, and none when the other was due.
func TestDebounceAndTimer_RQ06_RQ09(t *testing.T) {
	periodic := func(q *queue.Queue[string], after time.Duration) {
		q.AddWithSource(trigger.Periodic, priorityqueue.AddOpts{After: after}, "k")
	}
	for _, tc := range []struct {
		name    string
		do      func(q *queue.Queue[string])
		at      time.Duration
		sources trigger.Set
	}{
		{"debounce ends before the timer, which has not come then", func(q *queue.Queue[string]) {
			periodic(q, time.Hour)
			watched(q, "k")
		}, time.Second, trigger.SetOf(trigger.Watched)},
		{"the timer is sooner, and an event is one more cause", func(q *queue.Queue[string]) {
			periodic(q, 1500*ms)
			sleep(700 * ms)
			watched(q, "k")
			sleep(700 * ms)
			watched(q, "k")
		}, 1500 * ms, trigger.SetOf(trigger.Watched, trigger.Periodic)},
		{"events put the run off until the timer that they overtook", func(q *queue.Queue[string]) {
			periodic(q, 1500*ms)
			watched(q, "k")
			sleep(700 * ms)
			watched(q, "k")
			require.Equal(t, 800*ms, q.Snapshot().NextDue)
		}, 1500 * ms, trigger.SetOf(trigger.Watched)},
		{"a sooner timer comes while events wait", func(q *queue.Queue[string]) {
			watched(q, "k")
			periodic(q, 500*ms)
			sleep(400 * ms)
			watched(q, "k")
		}, 500 * ms, trigger.SetOf(trigger.Watched, trigger.Periodic)},
		{"a later retry comes while events wait", func(q *queue.Queue[string]) {
			watched(q, "k")
			q.AddWithSource(trigger.Retry, priorityqueue.AddOpts{After: 1200 * ms}, "k")
			sleep(900 * ms)
			watched(q, "k")
		}, 1200 * ms, trigger.SetOf(trigger.Watched, trigger.Retry)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				q, observer := worked(t, queue.Options[string]{Debounce: time.Second})
				tc.do(q)
				sleep(2 * time.Hour)
				require.Equal(t, []time.Duration{tc.at}, observer.starts(start))
				require.Equal(t, tc.sources, observer.last(t).Sources)
				require.Equal(t, tc.at, observer.last(t).Started.Sub(start))
				require.Zero(t, observer.last(t).Wait())
			})
		})
	}
}

// One more event of a watched object, with a delay of its own, ends a debounce sooner:
// that source has been waiting since the first.
func TestDebounceAndADelayOfItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		q, observer := worked(t, queue.Options[string]{Debounce: time.Second})
		watched(q, "k")
		sleep(200 * ms)
		q.AddWithSource(trigger.Watched, priorityqueue.AddOpts{After: 100 * ms}, "k")
		sleep(time.Minute)
		require.Equal(t, []time.Duration{300 * ms}, observer.starts(start))
		require.Equal(t, start, observer.last(t).Caused)
		require.Equal(t, 300*ms, observer.last(t).Delay())
	})
}

// What is no bare event of a watched object is not debounced.
func TestNotDebounced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		q, observer := worked(t, queue.Options[string]{Debounce: time.Second})
		q.AddWithSource(trigger.Watched, priorityqueue.AddOpts{After: 20 * ms}, "k") // has a delay
		q.AddWithSource(trigger.Watched, priorityqueue.AddOpts{RateLimited: true}, "l")
		q.AddWithSource(trigger.Watched, at(-100), "m") // of the initial list
		q.Add("n")
		q.AddWithSource(trigger.Watched, priorityqueue.AddOpts{RateLimited: true, After: -1}, "o") // a failure
		sleep(time.Minute)
		require.Equal(t, []time.Duration{0, 0, 0, 10 * ms, 20 * ms}, observer.starts(start))
	})
}

// An event for what is ready already merges: nothing is put off.
func TestNoDebounceOfWhatIsReady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := queue.New("test", queue.Options[string]{Debounce: time.Second})
		q.Add("k")
		watched(q, "k")
		require.Equal(t, []string{"k@0"}, drain(t, q))

		// Also at the very moment at which the debounce ends.
		watched(q, "k")
		time.Sleep(time.Second)
		watched(q, "k")
		require.Equal(t, []string{"k@-20"}, drain(t, q))
		sleep(time.Minute)
		require.Zero(t, standing(q))
	})
}

// Events during a run wait for more of them, too; the run may end meanwhile.
func TestDebounceDuringARun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &recorder{}
		q := queue.New("test", queue.Options[string]{Debounce: time.Second, Observer: r})
		q.Add("k")
		takeKey(t, q, "k")
		watched(q, "k")
		require.Zero(t, q.Len(), "not behind its own run")
		require.Equal(t, 1, q.Snapshot().Delayed)
		sleep(600 * ms)
		q.Done("k")
		watched(q, "k")
		sleep(time.Second - 1)
		require.Zero(t, standing(q))
		sleep(1)
		takeKey(t, q, "k")
		info := r.last(t)
		require.Equal(t, 1600*ms, info.Delay())
		require.Zero(t, info.OwnRun)

		// A run that takes longer is in the way, as ever.
		watched(q, "k")
		sleep(1500 * ms)
		require.Equal(t, 1, q.Len())
		q.Done("k")
		takeKey(t, q, "k")
		info = r.last(t)
		require.Equal(t, time.Second, info.Delay())
		require.Equal(t, 500*ms, info.OwnRun)
		require.Zero(t, info.Wait())

		// So is one when a stronger event comes.
		watched(q, "k")
		q.Add("k")
		require.Equal(t, 1, q.Len())
		q.Done("k")
		require.Equal(t, []string{"k@0"}, drain(t, q))
	})
}

// A RequeueAfter and events during one run lead to one run.
func TestDebounceAndRequeueAfter_RQ10_RQ17(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := queue.New("test", queue.Options[string]{Debounce: time.Second})
		for i, after := range []time.Duration{300 * ms, time.Minute} {
			q.Add("k")
			popped := takeKey(t, q, "k")
			watched(q, "k")
			answer(q, "k", popped, reconcile.Result{RequeueAfter: after}, nil)
			watched(q, "k")
			q.Done("k")
			require.Equal(t, 1, q.Snapshot().Delayed)
			wait := min(after, time.Second)
			sleep(wait - 1)
			require.Zero(t, standing(q), i)
			sleep(1)
			require.Len(t, drain(t, q), 1, i)
			sleep(time.Hour)
			require.Zero(t, standing(q), i)
		}
	})
}

// What waits for more events is dropped by a drain, as all that is delayed.
func TestDrainDropsTheDebounced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, observer := worked(t, queue.Options[string]{Debounce: time.Second})
		watched(q, "k")
		q.ShutDownWithDrain()
		sleep(time.Minute)
		require.Empty(t, observer.delivered)
	})
}
