package queue_test

import (
	"errors"
	"fmt"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/trimtab/trimtab/queue"
	"github.com/trimtab/trimtab/trigger"
)

var errBroken = errors.New("broken")

// A run, as a chain reports it and the controller then requeues it: which source
// and priority the requeue gets.
func TestEcho(t *testing.T) {
	type outcome struct {
		result reconcile.Result
		err    error
	}
	for _, tc := range []struct {
		name    string
		outcome outcome
		source  trigger.Source
		want    []string // with a chain
		plain   []string // without one
	}{
		{"error", outcome{err: errBroken}, trigger.Retry, []string{"k@-10"}, nil},
		{"Requeue", outcome{result: reconcile.Result{Requeue: true}}, trigger.Retry, []string{"k@-10"}, nil}, //nolint:staticcheck // Deprecated, and still in use.
		{"RequeueAfter", outcome{result: reconcile.Result{RequeueAfter: 10 * ms}}, trigger.Periodic, []string{"k@-100"}, nil},
		{"error with own priority", outcome{result: reconcile.Result{Priority: ptr(5)}, err: errBroken}, trigger.Retry, []string{"k@5"}, nil},
		{"RequeueAfter with own priority", outcome{result: reconcile.Result{Priority: ptr(-20), RequeueAfter: 10 * ms}}, trigger.Periodic, []string{"k@-20"}, nil},
		// Without a chain nobody can tell an own priority that is just the old one.
		{"own priority like the old one", outcome{result: reconcile.Result{Priority: ptr(3), RequeueAfter: 10 * ms}}, trigger.Periodic, []string{"k@3"}, []string{"k@-100"}},
		{"both error and RequeueAfter", outcome{result: reconcile.Result{RequeueAfter: time.Hour}, err: errBroken}, trigger.Retry, []string{"k@-10"}, nil},
		{"success", outcome{}, 0, []string{}, nil},
		{"negative RequeueAfter is success", outcome{result: reconcile.Result{RequeueAfter: -1}}, 0, []string{}, nil},
	} {
		for _, chained := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, chain %t", tc.name, chained), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					q, observer := observed()
					q.AddWithOpts(at(3), "k")
					popped := takeKey(t, q, "k")
					if chained {
						_, ok := q.Running("k")
						require.True(t, ok)
						q.Report("k", queue.Outcome{Err: tc.outcome.err, Result: tc.outcome.result})
					}
					answer(q, "k", popped, tc.outcome.result, tc.outcome.err)
					q.Done("k")
					sleep(10 * ms)

					want := tc.want
					if !chained && tc.plain != nil {
						want = tc.plain
					}
					require.Equal(t, want, drain(t, q))
					if len(tc.want) == 0 {
						require.Empty(t, observer.requeued)
						return
					}
					// Without a chain, an own priority is that of an event.
					if own := tc.outcome.result.Priority; chained || own == nil || *own == popped {
						require.Equal(t, []trigger.Source{tc.source}, observer.requeued)
						require.Equal(t, trigger.SetOf(tc.source), observer.last(t).Sources)
					} else {
						require.Empty(t, observer.requeued)
						require.Equal(t, trigger.SetOf(trigger.Primary), observer.last(t).Sources)
					}
				})
			})
		}
	}
}

// What comes for a request in flight, and is not what the controller would add.
func TestEventInFlightIsNoEcho(t *testing.T) {
	retry := priorityqueue.AddOpts{RateLimited: true}
	for _, tc := range []struct {
		name string
		add  func(q *queue.Queue[string])
		from trigger.Source
	}{
		{"plain", func(q *queue.Queue[string]) { q.Add("k") }, trigger.Primary},
		{"at the priority of the run", func(q *queue.Queue[string]) { q.AddWithOpts(at(0), "k") }, trigger.Primary},
		{"delayed", func(q *queue.Queue[string]) { q.AddAfter("k", 5*ms) }, trigger.Primary},
		{"rate limited", func(q *queue.Queue[string]) { q.AddRateLimited("k") }, trigger.Primary},
		{"rate limited, other priority", func(q *queue.Queue[string]) {
			q.AddWithOpts(priorityqueue.AddOpts{RateLimited: true, Priority: ptr(1)}, "k")
		}, trigger.Primary},
		{"tagged and delayed", func(q *queue.Queue[string]) {
			q.AddWithSource(trigger.Watched, priorityqueue.AddOpts{After: 5 * ms}, "k")
		}, trigger.Watched},
		{"tagged and rate limited", func(q *queue.Queue[string]) { q.AddWithSource(trigger.Watched, retry, "k") }, trigger.Watched},
		{"tagged, rate limited, at the priority of the run", func(q *queue.Queue[string]) {
			q.AddWithSource(trigger.Watched, priorityqueue.AddOpts{RateLimited: true, Priority: ptr(0)}, "k")
		}, trigger.Watched},
	} {
		for _, when := range []string{"without a chain", "before Report", "after Report"} {
			t.Run(tc.name+", "+when, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					q, observer := observed()
					q.Add("k")
					popped := takeKey(t, q, "k")
					if when == "without a chain" {
						tc.add(q)
						require.Empty(t, observer.requeued)
						answer(q, "k", popped, reconcile.Result{}, errBroken)
					} else {
						q.Running("k")
						if when == "before Report" {
							tc.add(q)
						}
						q.Report("k", queue.Outcome{Err: errBroken})
						if when == "after Report" {
							tc.add(q)
						}
						require.Empty(t, observer.requeued)
						answer(q, "k", popped, reconcile.Result{}, errBroken)
					}
					q.Done("k")
					require.Equal(t, []trigger.Source{trigger.Retry}, observer.requeued)
					require.Contains(t, observer.added[1], tc.from.String())
					sleep(time.Second)
					require.Len(t, drain(t, q), 1)
					require.True(t, observer.last(t).Sources.Has(tc.from))
				})
			})
		}
	}
}

// A run that knows that it will be reported is answered by one add only, and by
// none before the report.
func TestEchoComesOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, observer := observed()
		q.Add("k")
		popped := takeKey(t, q, "k")
		q.Running("k")
		answer(q, "k", popped, reconcile.Result{}, errBroken) // the very same add, too early
		require.Empty(t, observer.requeued)
		q.Report("k", queue.Outcome{Result: reconcile.Result{RequeueAfter: time.Second}})
		answer(q, "k", popped, reconcile.Result{RequeueAfter: time.Minute}, nil)
		require.Empty(t, observer.requeued, "another delay")
		answer(q, "k", popped, reconcile.Result{RequeueAfter: time.Second}, nil)
		require.Equal(t, []trigger.Source{trigger.Periodic}, observer.requeued)
		answer(q, "k", popped, reconcile.Result{RequeueAfter: time.Second}, nil)
		require.Len(t, observer.requeued, 1)
	})
}

// The second run starts afresh: what the first expected is forgotten.
func TestEchoBelongsToItsRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, observer := observed()
		q.Add("k")
		popped := takeKey(t, q, "k")
		q.Running("k")
		q.Report("k", queue.Outcome{Err: errBroken})
		q.Done("k") // The controller never asked for the retry.

		q.Add("k")
		takeKey(t, q, "k")
		q.Running("k")
		answer(q, "k", popped, reconcile.Result{}, errBroken)
		require.Empty(t, observer.requeued)
		q.Done("k")
	})
}

func TestReportAndRunningOfNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		q.Add("k")
		for _, key := range []string{"unknown", "k"} {
			_, ok := q.Running(key)
			require.False(t, ok, key)
			q.Report(key, queue.Outcome{Err: errBroken})
		}
		require.Equal(t, []string{"k@0"}, drain(t, q))
		_, ok := q.Running("k")
		require.False(t, ok)
	})
}

// A periodic wake-up is told by its content, at whatever priority the request was
// taken, and drops to its own priority again after an event had raised it.
func TestPriorityFallsBackAfterEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		run := func() int {
			popped := takeKey(t, q, "k")
			q.Running("k")
			result := reconcile.Result{RequeueAfter: time.Second}
			q.Report("k", queue.Outcome{Result: result})
			answer(q, "k", popped, result, nil)
			q.Done("k")
			return popped
		}
		q.Add("k")
		require.Equal(t, 0, run())
		sleep(time.Second)
		require.Equal(t, -100, run())
		q.Add("k") // overtakes the pending wake-up
		require.Equal(t, 0, run())
		sleep(time.Second)
		require.Equal(t, -100, run())
	})
}

// The attempt counts the failures in a row, the last class says what the last was.
func TestAttemptAndLastClass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		run := func(class string, err error) trigger.Info {
			popped := takeKey(t, q, "k")
			info, ok := q.Running("k")
			require.True(t, ok)
			q.Report("k", queue.Outcome{Class: class, Err: err, Result: reconcile.Result{RequeueAfter: time.Second}})
			answer(q, "k", popped, reconcile.Result{RequeueAfter: time.Second}, err)
			q.Done("k")
			sleep(time.Second)
			return info
		}
		q.Add("k")
		for _, want := range []struct {
			attempt int
			class   string
			err     error
			last    string
		}{
			{1, "conflict", errBroken, ""},
			{2, "timeout", errBroken, "conflict"},
			{3, "success", nil, "timeout"},
			{1, "error", errBroken, ""},
			{2, "success", nil, "error"},
		} {
			info := run(want.class, want.err)
			require.Equal(t, want.attempt, info.Attempt)
			require.Equal(t, want.last, info.LastClass)
		}
	})
}

func TestTerminalErrorForgets_RL09(t *testing.T) {
	for name, terminal := range map[string]error{
		"plain":   reconcile.TerminalError(errBroken),
		"wrapped": fmt.Errorf("more: %w", reconcile.TerminalError(errBroken)),
		"joined":  errors.Join(errBroken, reconcile.TerminalError(errBroken)),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q, observer := observed()
				q.Add("k")
				fail := func() {
					popped := takeKey(t, q, "k")
					q.Running("k")
					q.Report("k", queue.Outcome{Err: errBroken})
					answer(q, "k", popped, reconcile.Result{}, errBroken)
					q.Done("k")
				}
				for range 8 {
					fail()
					sleep(time.Minute)
				}
				require.Equal(t, 8, q.NumRequeues("k"))

				takeKey(t, q, "k")
				q.Running("k")
				q.Report("k", queue.Outcome{Err: terminal})
				q.Done("k")
				require.Zero(t, q.NumRequeues("k"))
				require.Len(t, observer.requeued, 8)

				q.Add("k")
				fail()
				require.Equal(t, 1, q.NumRequeues("k"))
				sleep(10*ms - 1)
				require.Zero(t, standing(q))
				sleep(1)
				require.Equal(t, 1, standing(q))
			})
		})
	}
}

// There may be more classes than a queue tells apart: the rest are errors.
func TestManyClasses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, o := observed()
		defer q.ShutDown()
		for i := range 300 {
			q.Add("a")
			key, popped := take(t, q)
			switch last := o.last(t).LastClass; {
			case i == 0:
				require.Empty(t, last)
			case i <= 199:
				require.Equal(t, fmt.Sprint("class ", i-1), last)
			default:
				require.Contains(t, []string{"error", "class 199"}, last)
			}
			q.Running(key)
			q.Report(key, queue.Outcome{Err: errBroken, Class: fmt.Sprint("class ", i)})
			answer(q, key, popped, reconcile.Result{}, errBroken)
			q.Done(key)
		}
		require.Equal(t, "error", o.last(t).LastClass)
	})
}

// A failure that the chain keeps from the controller is answered by a Requeue in
// its place: it is the same failure for the queue.
func TestEchoOfAQuietFailure_RC08(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, observer := observed()
		defer q.ShutDown()
		q.AddWithOpts(at(3), "k")
		popped := takeKey(t, q, "k")
		q.Running("k")
		quiet := reconcile.Result{Requeue: true} //nolint:staticcheck // Deprecated, and what the controller sees.
		q.Report("k", queue.Outcome{Err: errBroken, Class: "conflict", Result: quiet})
		answer(q, "k", popped, quiet, nil)
		q.Done("k")
		sleep(10 * ms)
		require.Equal(t, -10, takeKey(t, q, "k"))
		require.Equal(t, []trigger.Source{trigger.Retry}, observer.requeued)
		require.Equal(t, []string{"conflict 10ms"}, observer.limited)
		require.Equal(t, "conflict", observer.last(t).LastClass)
	})
}

// RQ01: a run may say itself how long its retry waits. The limiter counts the failure
// all the same, so that the next one's delay is the second of the row.
func TestRetryAfter_RQ01(t *testing.T) {
	for name, tc := range map[string]struct {
		after, within time.Duration
		want          []string
	}{
		"less than the limiter":   {ms, 0, []string{"error 1ms", "error 20ms"}},
		"more than the limiter":   {time.Hour, 0, []string{"error 1h0m0s", "error 20ms"}},
		"none":                    {0, 0, []string{"error 10ms", "error 20ms"}},
		"negative":                {-time.Hour, -time.Hour, []string{"error 10ms", "error 20ms"}},
		"for ever":                {math.MaxInt64, 0, []string{"error 2562047h47m16.854775807s", "error 20ms"}},
		"at most, sooner":         {0, ms, []string{"error 1ms", "error 20ms"}},
		"at most, later":          {0, time.Hour, []string{"error 10ms", "error 20ms"}},
		"at most, beside another": {time.Hour, time.Minute, []string{"error 1m0s", "error 20ms"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q, observer := observed()
				defer q.ShutDown()
				for _, o := range []queue.Outcome{{Err: errBroken, RetryAfter: tc.after, RetryWithin: tc.within}, {Err: errBroken}} {
					q.Add("k")
					popped := takeKey(t, q, "k")
					q.Running("k")
					q.Report("k", o)
					answer(q, "k", popped, reconcile.Result{}, errBroken)
					q.Done("k")
					require.Equal(t, 1, q.Snapshot().Delayed)
				}
				require.Equal(t, tc.want, observer.limited)
				require.Equal(t, 2, q.NumRequeues("k"))
			})
		})
	}
}
