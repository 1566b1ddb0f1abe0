package queue_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/trimtab/trimtab/queue"
	"github.com/trimtab/trimtab/trigger"
)

// A request without a next run gets one, whatever the last one came to.
func TestMaxInterval(t *testing.T) {
	found := queue.Outcome{Object: queue.Object{Found: true}}
	with := func(f func(*queue.Outcome)) queue.Outcome {
		o := found
		f(&o)
		return o
	}
	const every = 10 * time.Minute
	for name, tc := range map[string]struct {
		outcome queue.Outcome
		want    []time.Duration // of the runs in an hour
	}{
		"success":    {found, []time.Duration{0, every, 2 * every, 3 * every, 4 * every, 5 * every}},
		"terminal":   {with(func(o *queue.Outcome) { o.Err = reconcile.TerminalError(errBroken) }), []time.Duration{0, every, 2 * every, 3 * every, 4 * every, 5 * every}},
		"given up":   {with(func(o *queue.Outcome) { o.Err = errBroken }), []time.Duration{0, 10 * ms, every + 10*ms, 2*every + 10*ms, 3*every + 10*ms, 4*every + 10*ms, 5*every + 10*ms}},
		"stopped":    {with(func(o *queue.Outcome) { o.Stopped = true }), []time.Duration{0}},
		"not found":  {queue.Outcome{Object: queue.Object{UID: "1", Generation: 3}}, []time.Duration{0}},
		"comes back": {with(func(o *queue.Outcome) { o.Result.RequeueAfter = 40 * time.Minute }), []time.Duration{0, 40 * time.Minute}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				observer := &recorder{}
				start := time.Now()
				var at []time.Duration
				q := startReporting(t, queue.Options[string]{RateLimiter: doubling(), Observer: observer, GiveUp: 1, MaxInterval: every},
					func(string) queue.Outcome {
						at = append(at, time.Since(start))
						return tc.outcome
					})
				q.Add("k")
				sleep(time.Hour - 1)
				require.Equal(t, tc.want, at)
				last := observer.last(t)
				if len(tc.want) > 1 {
					require.Equal(t, trigger.SetOf(trigger.Periodic), last.Sources)
					require.Equal(t, -100, last.Priority)
					require.Zero(t, last.Wait())
					require.Equal(t, tc.want[len(tc.want)-1]-tc.want[len(tc.want)-2], last.Delay())
				}
				if tc.outcome.Err != nil && name != "given up" {
					require.Empty(t, observer.requeued)
				}
				require.GreaterOrEqual(t, len(observer.added), len(at), "each run has its add")
			})
		})
	}
}

// The time counts from the end of the last run, whatever caused that; an event is
// not held back, and what waits already comes in place of it.
func TestMaxIntervalAndEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var at []time.Duration
		q := startReporting(t, queue.Options[string]{MaxInterval: 10 * time.Minute}, func(string) queue.Outcome {
			at = append(at, time.Since(start))
			time.Sleep(time.Minute)
			return queue.Outcome{Object: queue.Object{Found: true}}
		})
		q.Add("k")
		sleep(5 * time.Minute)
		q.Add("k") // at 5
		sleep(30 * time.Second)
		q.Add("k") // parked until 6
		sleep(30 * time.Second)
		sleep(time.Minute) // It ends at 7.
		q.AddAfter("k", 2*time.Minute)
		sleep(14 * time.Minute)
		require.Equal(t, []time.Duration{0, 5 * time.Minute, 6 * time.Minute, 9 * time.Minute, 20 * time.Minute}, at)
	})
}

// What waits for a debounce has a next run, and MaxInterval adds none; where that has
// its time already, it takes what is debounced along.
func TestMaxIntervalAndDebounce(t *testing.T) {
	const debounce, every = 20 * time.Second, 10 * time.Second
	run := func(q *queue.Queue[string], during bool) {
		takeKey(t, q, "k")
		if during {
			watched(q, "k")
		}
		q.Report("k", queue.Outcome{Object: queue.Object{Found: true}})
		q.Done("k")
	}
	for _, during := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			r := &recorder{}
			q := queue.New("test", queue.Options[string]{Debounce: debounce, MaxInterval: every, Observer: r})
			defer q.ShutDown()
			q.Add("k")
			run(q, during)
			want := trigger.SetOf(trigger.Watched)
			if !during {
				sleep(time.Second)
				watched(q, "k")
				want = trigger.SetOf(trigger.Watched, trigger.Periodic)
			}
			start := time.Now()
			next := every - time.Second
			if during {
				next = debounce
			}
			require.Equal(t, next, q.Snapshot().NextDue)
			sleep(next)
			run(q, false)
			require.Equal(t, want, r.last(t).Sources)
			require.Equal(t, start.Add(next), r.last(t).Ready)
			require.Equal(t, every, q.Snapshot().NextDue, "one run for both")
		})
	}
}

// RL06: a request whose object is gone is gone, too; one that no chain reports has
// no object that could be found.
func TestMaxIntervalEnds_RL06(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := queue.New("test", queue.Options[string]{MaxInterval: time.Minute})
		run := func(o queue.Outcome) {
			takeKey(t, q, "k")
			q.Report("k", o)
			q.Done("k")
		}
		q.Add("k")
		run(queue.Outcome{Object: queue.Object{Found: true}})
		require.Equal(t, 1, q.Snapshot().Delayed)
		sleep(time.Minute)
		run(queue.Outcome{})
		require.Zero(t, q.Snapshot().Delayed)

		q.Add("k")
		require.Equal(t, []string{"k@0"}, drain(t, q))
		require.Zero(t, q.Snapshot().Delayed, "the run was not reported")

		q.Add("k")
		takeKey(t, q, "k")
		q.Report("k", queue.Outcome{Object: queue.Object{Found: true}})
		q.Report("k", queue.Outcome{}) // The last word counts.
		q.Done("k")
		require.Zero(t, q.Snapshot().Delayed)
	})
}

// A queue that shuts down plans nothing.
func TestMaxIntervalAndShutDown(t *testing.T) {
	for name, end := range map[string]func(q *queue.Queue[string]){
		"at once": func(q *queue.Queue[string]) { q.ShutDown() },
		"drain":   func(q *queue.Queue[string]) { go q.ShutDownWithDrain() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				observer := &recorder{}
				q := queue.New("test", queue.Options[string]{MaxInterval: time.Minute, Observer: observer})
				q.Add("k")
				takeKey(t, q, "k")
				q.Report("k", queue.Outcome{Object: queue.Object{Found: true}})
				end(q)
				synctest.Wait()
				q.Done("k")
				require.Zero(t, q.Snapshot().Delayed)
				require.Len(t, observer.added, 1)
				_, shutdown := q.Get()
				require.True(t, shutdown)
			})
		})
	}
}

// What a terminal error was is known to the run that MaxInterval brings.
func TestLastClassAfterTerminal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		observer := &recorder{}
		q := startReporting(t, queue.Options[string]{MaxInterval: time.Minute, Observer: observer}, func(string) queue.Outcome {
			return queue.Outcome{Class: "terminal", Err: reconcile.TerminalError(errBroken), Object: queue.Object{Found: true}}
		})
		q.Add("k")
		sleep(time.Minute)
		require.Equal(t, "terminal", observer.last(t).LastClass)
	})
}
