package queue_test

import (
	"context"
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
	"github.com/trimtab/trimtab/ratelimit"
	"github.com/trimtab/trimtab/trigger"
)

// aware is a stub that is told of errors.
type aware struct {
	stub
	whenError func(key string, err error, class string) time.Duration
}

func (a *aware) WhenError(key string, err error, class string) time.Duration {
	return a.whenError(key, err, class)
}

var _ ratelimit.ErrorAware[string] = (*aware)(nil)

// told returns a limiter that writes down what it is told.
func told(calls *[]string) *aware {
	a := &aware{whenError: func(key string, err error, class string) time.Duration {
		*calls = append(*calls, fmt.Sprintf("%s: %v, %s", key, err, class))
		return 10 * ms
	}}
	a.when = func(key string) time.Duration {
		*calls = append(*calls, key)
		return 10 * ms
	}
	return a
}

// The limiter is told why the run failed whose retry it limits, and is asked
// plainly for whatever is no such retry.
func TestLimiterIsToldTheError_RL14(t *testing.T) {
	requeue := reconcile.Result{Requeue: true} //nolint:staticcheck // Deprecated, and still in use.
	for name, tc := range map[string]struct {
		outcome queue.Outcome
		want    []string
	}{
		"error":              {queue.Outcome{Err: errBroken, Class: "timeout"}, []string{"k: broken, timeout"}},
		"error, no class":    {queue.Outcome{Err: context.DeadlineExceeded}, []string{"k: context deadline exceeded, timeout"}},
		"requeue":            {queue.Outcome{Result: requeue, Class: "requeue"}, []string{"k: <nil>, requeue"}},
		"requeue, no class":  {queue.Outcome{Result: requeue}, []string{"k: <nil>, requeue"}},
		"own priority":       {queue.Outcome{Err: errBroken, Class: "error", Result: reconcile.Result{Priority: ptr(3)}}, []string{"k: broken, error"}},
		"success":            {queue.Outcome{Class: "success"}, nil},
		"requeue after":      {queue.Outcome{Class: "requeue", Result: reconcile.Result{RequeueAfter: time.Second}}, nil},
		"terminal":           {queue.Outcome{Class: "terminal", Err: reconcile.TerminalError(errBroken)}, nil},
		"error, and a delay": {queue.Outcome{Err: errBroken, Class: "error", Result: reconcile.Result{RequeueAfter: time.Second}}, []string{"k: broken, error"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var calls []string
				limiter := told(&calls)
				runs := 0
				q := startReporting(t, queue.Options[string]{RateLimiter: limiter}, func(string) queue.Outcome {
					if runs++; runs > 1 {
						return queue.Outcome{}
					}
					return tc.outcome
				})
				q.Add("k")
				sleep(time.Minute)
				require.Equal(t, tc.want, calls)
				require.Positive(t, limiter.fgets.Load(), "it is told of the success that follows")
			})
		})
	}
}

func TestLimiterIsAskedPlainly_RL15(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls []string
		q := queue.New("test", queue.Options[string]{RateLimiter: told(&calls)})
		retry := priorityqueue.AddOpts{RateLimited: true, Priority: ptr(0)}
		q.AddRateLimited("k") // not in flight
		q.AddWithOpts(retry, "k", "other")
		sleep(time.Second)
		takeKey(t, q, "k")
		q.Running("k")
		q.AddRateLimited("k")
		q.AddWithOpts(retry, "k") // before the report
		q.Report("k", queue.Outcome{Err: errBroken, Class: "error"})
		q.AddRateLimited("k")                        // without a priority
		q.AddWithSource(trigger.Watched, retry, "k") // tagged
		q.AddWithOpts(priorityqueue.AddOpts{RateLimited: true, Priority: ptr(1)}, "k")
		require.Equal(t, []string{"k", "k", "other", "k", "k", "k", "k", "k"}, calls)
		q.AddWithOpts(retry, "k")
		require.Equal(t, "k: broken, error", calls[8])
		q.AddWithOpts(retry, "k") // There is one retry of a run.
		require.Equal(t, "k", calls[9])
		q.Done("k")
	})
}

// Without a chain nobody knows the error.
func TestLimiterIsAskedPlainlyWithoutChain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls []string
		runs := 0
		q := startController(t, 1, queue.Options[string]{RateLimiter: told(&calls)}, true,
			func(context.Context, string) (reconcile.Result, error) {
				if runs++; runs < 4 {
					return reconcile.Result{}, errBroken
				}
				return reconcile.Result{}, nil
			})
		q.Add("k")
		sleep(time.Minute)
		require.Equal(t, []string{"k", "k", "k"}, calls)
	})
}

// What an error-aware limiter does wrong costs the one that failed, and nobody else.
func TestErrorAwareLimiterMisbehaves(t *testing.T) {
	for name, tc := range map[string]struct {
		whenError func() time.Duration
		after     time.Duration // until the second run
		logged    bool
	}{
		"zero":     {func() time.Duration { return 0 }, 0, false},
		"negative": {func() time.Duration { return math.MinInt64 }, 0, false},
		"panics":   {func() time.Duration { panic(errors.New("no idea")) }, time.Second, true},
		"blocks": {func() time.Duration {
			time.Sleep(200 * ms)
			return 10 * ms
		}, 210 * ms, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log lines
				limiter := &aware{whenError: func(string, error, string) time.Duration { return tc.whenError() }}
				start := time.Now()
				at := map[string][]time.Duration{}
				var q *queue.Queue[string]
				q = startController(t, 2, queue.Options[string]{RateLimiter: limiter, Log: log.logger()}, true,
					func(_ context.Context, key string) (reconcile.Result, error) {
						q.Running(key)
						at[key] = append(at[key], time.Since(start))
						var o queue.Outcome
						if key == "bad" && len(at[key]) == 1 {
							o.Err = errBroken
						}
						q.Report(key, o)
						return o.Result, o.Err
					})
				q.Add("bad")
				for range 20 {
					synctest.Wait()
					q.Add("good")
					q.Snapshot()
					sleep(10 * ms)
				}
				sleep(time.Minute)
				require.Equal(t, []time.Duration{0, tc.after}, at["bad"])
				require.Len(t, at["good"], 20)
				for i, good := range at["good"] {
					require.Equal(t, time.Duration(i)*10*ms, good)
				}
				require.Equal(t, tc.logged, len(log) == 1)
				if tc.logged {
					require.Contains(t, log[0], "WhenError")
					require.Contains(t, log[0], "panic: no idea")
				}
			})
		})
	}
}
