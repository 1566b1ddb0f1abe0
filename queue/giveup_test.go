package queue_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/trimtab/trimtab/queue"
	"github.com/trimtab/trimtab/trigger"
)

// startReporting is startController with a chain that reports what run returns.
func startReporting[T comparable](t *testing.T, opts queue.Options[T], run func(key T) queue.Outcome) *queue.Queue[T] {
	t.Helper()
	var q *queue.Queue[T]
	q = startController(t, 1, opts, true, func(_ context.Context, key T) (reconcile.Result, error) {
		q.Running(key)
		o := run(key)
		q.Report(key, o)
		return o.Result, o.Err
	})
	return q
}

// lines is a log that remembers.
type lines []string

func (l *lines) logger() logr.Logger {
	return funcr.New(func(_, args string) { *l = append(*l, args) }, funcr.Options{})
}

// RL10: of 5 allowed retries there are 5, and the sixth failure ends them. That is
// told once. Events still run the request, a success starts the count anew.
func TestGiveUp_RL10(t *testing.T) {
	for _, plain := range []bool{false, true} {
		t.Run(fmt.Sprintf("plain %t", plain), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var told []string
				var log lines
				observer := &recorder{}
				start := time.Now()
				var at []time.Duration
				answer := errBroken
				q := startController(t, 1, queue.Options[string]{
					RateLimiter: doubling(), Observer: observer, Log: log.logger(), GiveUp: 5,
					OnGiveUp: func(key string, failures int, err error) {
						told = append(told, fmt.Sprint(key, " ", failures, " ", err))
					},
				}, plain, func(context.Context, string) (reconcile.Result, error) {
					at = append(at, time.Since(start))
					return reconcile.Result{}, answer
				})
				want := "k 6 broken"
				if plain {
					want = "k 6 <nil>"
				}
				six := []time.Duration{0, 10 * ms, 30 * ms, 70 * ms, 150 * ms, 310 * ms}

				q.Add("k")
				sleep(24 * time.Hour)
				require.Equal(t, six, at)
				require.Equal(t, []string{want}, told)
				require.Equal(t, 1, observer.gaveUp)
				require.Len(t, log, 1)
				require.Contains(t, log[0], `"request"="k"`)
				require.Contains(t, log[0], `"failures"=6`)
				require.Contains(t, log[0], "Events still run it, as does MaxInterval if that is set")
				require.Len(t, observer.requeued, 5)
				require.Equal(t, 5, q.NumRequeues("k"), "the limiter was asked for what is retried")

				for range 3 {
					q.Add("k")
					sleep(time.Hour)
				}
				require.Len(t, at, 9, "each event runs it once")
				require.Equal(t, 1, observer.gaveUp)
				require.Len(t, told, 1)
				require.Equal(t, 1, q.Failing())

				answer = nil
				q.Add("k")
				sleep(time.Hour)
				require.Len(t, at, 10)
				require.Zero(t, q.Failing())

				answer, at, start = errBroken, nil, time.Now()
				q.Add("k")
				sleep(24 * time.Hour)
				require.Equal(t, six, at)
				require.Equal(t, []string{want, want}, told)
				require.Equal(t, 2, observer.gaveUp)
			})
		})
	}
}

// The number of failures that is told is the attempt that the last run was; later
// runs are that attempt, too, since the limiter was not asked.
func TestAttemptsAndGiveUp_RL10(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := queue.New("test", queue.Options[string]{RateLimiter: doubling(), GiveUp: 2, OnGiveUp: func(_ string, failures int, _ error) {
			require.Equal(t, 3, failures)
		}})
		for _, attempt := range []int{1, 2, 3, 3, 3} {
			q.Add("k")
			popped := takeKey(t, q, "k")
			info, _ := q.Running("k")
			require.Equal(t, attempt, info.Attempt)
			q.Report("k", queue.Outcome{Err: errBroken})
			answer(q, "k", popped, reconcile.Result{}, errBroken)
			q.Done("k")
		}
	})
}

// An event that comes during the last run still runs.
func TestGiveUpKeepsEvents_RL10(t *testing.T) {
	for name, add := range map[string]func(q *queue.Queue[string]){
		"parked":  func(q *queue.Queue[string]) { q.Add("k") },
		"delayed": func(q *queue.Queue[string]) { q.AddAfter("k", time.Minute) },
		"limited": func(q *queue.Queue[string]) { q.AddRateLimited("k") },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := queue.New("test", queue.Options[string]{RateLimiter: doubling(), GiveUp: 1})
				run := func() {
					popped := takeKey(t, q, "k")
					q.Running("k")
					q.Report("k", queue.Outcome{Err: errBroken})
					answer(q, "k", popped, reconcile.Result{}, errBroken)
					q.Done("k")
				}
				q.Add("k")
				run()
				sleep(10 * ms)
				popped := takeKey(t, q, "k")
				q.Running("k")
				add(q)
				q.Report("k", queue.Outcome{Err: errBroken})
				answer(q, "k", popped, reconcile.Result{}, errBroken)
				q.Done("k")
				sleep(time.Hour)
				run()
				sleep(time.Hour)
				require.Zero(t, q.Len()+q.Snapshot().Delayed)
			})
		})
	}
}

// A Result.Requeue without an error neither counts as a failure nor ends the row of
// them; without a chain nobody can tell.
func TestGiveUpAndRequeue_RL10(t *testing.T) {
	requeue := queue.Outcome{Result: reconcile.Result{Requeue: true}} //nolint:staticcheck // Deprecated, and still in use.
	failed := queue.Outcome{Err: errBroken}
	for name, tc := range map[string]struct {
		plain    bool
		outcomes []queue.Outcome
		runs     int
	}{
		"mixed":           {false, []queue.Outcome{failed, requeue, requeue, failed, requeue, requeue, failed}, 7},
		"requeues":        {false, []queue.Outcome{requeue, requeue, requeue, requeue, {}}, 5},
		"after the limit": {false, []queue.Outcome{failed, failed, failed}, 3},
		"without a chain": {true, []queue.Outcome{requeue, failed, requeue, {}}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				runs := 0
				next := func() queue.Outcome {
					runs++
					return tc.outcomes[min(runs, len(tc.outcomes))-1]
				}
				opts := queue.Options[string]{RateLimiter: doubling(), GiveUp: 2}
				var q *queue.Queue[string]
				if tc.plain {
					q = startController(t, 1, opts, true, func(context.Context, string) (reconcile.Result, error) {
						o := next()
						return o.Result, o.Err
					})
				} else {
					q = startReporting(t, opts, func(string) queue.Outcome { return next() })
				}
				q.Add("k")
				sleep(time.Hour)
				require.Equal(t, tc.runs, runs)
			})
		})
	}
}

// Forget starts the count anew; a terminal error does, too, and is not given up.
func TestForgetAndGiveUp_RL09_RL10(t *testing.T) {
	for name, forget := range map[string]func(q *queue.Queue[string]){
		"forget": func(q *queue.Queue[string]) {
			q.Forget("k")
			q.Report("k", queue.Outcome{Err: errBroken})
			q.AddWithOpts(priorityqueue.AddOpts{RateLimited: true, Priority: ptr(-10)}, "k")
		},
		"terminal": func(q *queue.Queue[string]) {
			q.Report("k", queue.Outcome{Err: reconcile.TerminalError(errBroken)})
			q.Add("k")
		},
		"success": func(q *queue.Queue[string]) {
			q.Report("k", queue.Outcome{})
			q.Add("k")
		},
		"requeue after": func(q *queue.Queue[string]) {
			q.Report("k", queue.Outcome{Result: reconcile.Result{RequeueAfter: 1}})
			q.Add("k")
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				observer := &recorder{}
				q := queue.New("test", queue.Options[string]{RateLimiter: doubling(), Observer: observer, GiveUp: 1})
				q.Add("k")
				popped := takeKey(t, q, "k")
				q.Running("k")
				q.Report("k", queue.Outcome{Err: errBroken})
				answer(q, "k", popped, reconcile.Result{}, errBroken)
				q.Done("k")
				require.Equal(t, 1, q.Failing())

				sleep(10 * ms)
				takeKey(t, q, "k")
				q.Running("k")
				forget(q)
				q.Done("k")
				sleep(time.Second)
				require.Zero(t, observer.gaveUp)
				takeKey(t, q, "k")
				q.Report("k", queue.Outcome{})
				require.Zero(t, q.Failing())
			})
		})
	}
}

// OnGiveUp may call the queue and may panic: that is logged, and the worker lives.
func TestOnGiveUpPanics_RL10(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log lines
		var q *queue.Queue[string]
		var runs atomic.Int32
		q = startReporting(t, queue.Options[string]{
			RateLimiter: doubling(), Log: log.logger(), GiveUp: 1,
			OnGiveUp: func(key string, _ int, _ error) {
				q.AddAfter(key, time.Hour)
				panic("told")
			},
		}, func(string) queue.Outcome {
			runs.Add(1)
			return queue.Outcome{Err: errBroken}
		})
		q.Add("k")
		sleep(time.Hour)
		require.EqualValues(t, 2, runs.Load())
		require.Len(t, log, 2)
		require.Contains(t, log[1], "panic: told")
		require.Contains(t, log[1], "OnGiveUp")
		sleep(time.Hour)
		require.EqualValues(t, 3, runs.Load(), "what it added")
	})
}

// The class of the run after which a request was given up is known to the next one.
func TestLastClassAfterGiveUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		observer := &recorder{}
		outcome := queue.Outcome{Err: errBroken, Class: "conflict"}
		q := startReporting(t, queue.Options[string]{RateLimiter: doubling(), Observer: observer, GiveUp: 1},
			func(string) queue.Outcome { return outcome })
		q.Add("k")
		sleep(time.Hour)
		outcome.Class = "throttled"
		q.Add("k")
		sleep(time.Hour)
		require.Equal(t, "conflict", observer.last(t).LastClass)
		outcome = queue.Outcome{Class: "success"}
		q.Add("k")
		sleep(time.Hour)
		require.Equal(t, "throttled", observer.last(t).LastClass)
		q.Add("k")
		sleep(time.Hour)
		require.Empty(t, observer.last(t).LastClass)
		require.Len(t, observer.delivered, 5)
	})
}

// RL06: nothing is kept of a request that succeeded or vanished. While it fails there
// is a record, whatever is on: of when its attempts began.
func TestRecordsOfFailures_RL06(t *testing.T) {
	found := queue.Object{Found: true, UID: "1", Generation: 1}
	for name, tc := range map[string]struct {
		opts queue.Options[int]
		obj  queue.Object
	}{
		"nothing is on":     {queue.Options[int]{DisableFailureReset: true}, found},
		"no object":         {queue.Options[int]{}, queue.Object{}},
		"reset":             {queue.Options[int]{}, found},
		"give up":           {queue.Options[int]{DisableFailureReset: true, GiveUp: 1}, queue.Object{}},
		"give up and reset": {queue.Options[int]{GiveUp: 1}, found},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				failed := queue.Outcome{Err: errBroken, Object: tc.obj}
				outcome := failed
				q := startReporting(t, tc.opts, func(int) queue.Outcome { return outcome })
				for i := range 300 {
					q.Add(i)
				}
				sleep(time.Minute)
				require.Equal(t, 300, q.Failing())
				outcome = queue.Outcome{} // Its object is gone: a success.
				for i := range 300 {
					q.Add(i)
				}
				sleep(time.Minute)
				require.Zero(t, q.Failing())

				outcome = failed
				q.Add(1)
				sleep(time.Minute)
				q.ShutDown()
				require.Zero(t, q.Failing())
			})
		})
	}
}

// Without a chain nobody asks when the attempts began, and there is no record.
func TestNoRecordsWithoutAChain_RL06(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		q.Add("k")
		popped := takeKey(t, q, "k")
		answer(q, "k", popped, reconcile.Result{}, errBroken)
		require.Equal(t, 1, q.NumRequeues("k"))
		require.Zero(t, q.Failing())
	})
}

// An event counts as no failure, however it is added.
func TestEventsDoNotGiveUp_RL15(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		observer := &recorder{}
		q := queue.New("test", queue.Options[string]{RateLimiter: doubling(), Observer: observer, GiveUp: 1})
		for range 10 {
			q.AddRateLimited("k")
			q.AddWithSource(trigger.Watched, priorityqueue.AddOpts{RateLimited: true, Priority: ptr(0)}, "k")
			q.Add("k")
			drain(t, q)
		}
		require.Zero(t, observer.gaveUp)
		require.Zero(t, q.Failing())
	})
}
