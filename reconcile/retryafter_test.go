package reconcile_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/queue"
	"github.com/trimtab/trimtab/reconcile"
	"github.com/trimtab/trimtab/trigger"
)

// RQ01: of an error beside a delay the controller sees the error alone, and the queue
// learns of both.
func TestErrorBesideADelay_RQ01(t *testing.T) {
	const minute = time.Minute
	priority := 7
	requeue := reconcile.Result{Requeue: true} //nolint:staticcheck // Deprecated, and still in use.
	terminal := reconcile.TerminalError(errBoom)
	for name, tc := range map[string]struct {
		result reconcile.Result
		err    error
		sees   reconcile.Result
		shown  bool
		want   queue.Outcome
	}{
		"delay":                   {reconcile.Result{RequeueAfter: minute}, errBoom, reconcile.Result{}, true, queue.Outcome{Class: "error", Err: errBoom, RetryAfter: minute}},
		"delay and priority":      {reconcile.Result{RequeueAfter: minute, Priority: &priority}, errBoom, reconcile.Result{Priority: &priority}, true, queue.Outcome{Class: "error", Err: errBoom, RetryAfter: minute}},
		"requeue":                 {requeue, errBoom, reconcile.Result{}, true, queue.Outcome{Class: "error", Err: errBoom}},
		"delay, quiet":            {reconcile.Result{RequeueAfter: minute}, conflict, requeue, false, queue.Outcome{Class: "conflict", Err: conflict, RetryAfter: minute}},
		"delay, terminal":         {reconcile.Result{RequeueAfter: minute}, terminal, reconcile.Result{}, true, queue.Outcome{Class: "terminal", Err: terminal, RetryAfter: minute}},
		"delay, without an error": {reconcile.Result{RequeueAfter: minute}, nil, reconcile.Result{RequeueAfter: minute}, false, queue.Outcome{Class: "requeue"}},
		"delay, joined errors":    {reconcile.Result{RequeueAfter: minute}, errors.Join(conflict, errBoom), reconcile.Result{}, true, queue.Outcome{Class: "error", Err: errors.Join(conflict, errBoom), RetryAfter: minute}},
	} {
		t.Run(name, func(t *testing.T) {
			b := &book{info: trigger.Info{Attempt: 1}, known: true}
			result, err := chain(b, returns(tc.result, tc.err)).Reconcile(t.Context(), request("a"))
			require.Equal(t, tc.sees, result)
			if tc.shown {
				require.Equal(t, tc.err, err)
			} else {
				require.NoError(t, err)
			}
			tc.want.Result = tc.sees
			require.Equal(t, tc.want, b.outcome)
		})
	}
}

// RQ02: who waits for dependents with a delay and an error waits just that long, each
// time, and is seen; a plain failure afterwards has the backoff of its place in the row.
func TestBlockedDeletion_RQ02(t *testing.T) {
	errBlocked := errors.New("dependents remain")
	synctest.Test(t, func(t *testing.T) {
		var gaps []time.Duration
		last := time.Now()
		h := start(t, 1, reconcile.Options[string]{}, func(ctx context.Context, _ string) (reconcile.Result, error) {
			gaps = append(gaps, time.Since(last))
			last = time.Now()
			info, _ := trigger.FromContext(ctx)
			switch {
			case info.Attempt <= 20:
				return reconcile.Result{RequeueAfter: 10 * time.Second}, errBlocked
			case info.Attempt == 21:
				return reconcile.Result{}, errBoom
			}
			return reconcile.Result{}, nil
		})
		h.queue.Add("k")
		sleep(24 * time.Hour)
		require.Len(t, gaps, 22)
		for _, gap := range gaps[1:21] {
			require.Equal(t, 10*time.Second, gap)
		}
		require.Equal(t, time.Hour, gaps[21], "the longest delay of the limiter, after so many failures")
		require.InDelta(t, 21, h.total(t, errorsTotal), 0)
		require.Len(t, h.errors, 21)
	})
}

// RQ01: with a queue that is not Trimtab's the delay has nobody to keep it, and the
// error is not lost.
func TestErrorBesideADelayInAnotherQueue_RQ01(t *testing.T) {
	b := &book{}
	r := reconcile.New[reconcile.Request](returns(reconcile.Result{RequeueAfter: time.Minute}, errBoom), reconcile.Options[reconcile.Request]{Observer: b})
	result, err := r.Reconcile(t.Context(), request("a"))
	require.Equal(t, reconcile.Result{}, result)
	require.Equal(t, errBoom, err)
}
