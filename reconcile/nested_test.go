package reconcile_test

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/reconcile"
	"github.com/trimtab/trimtab/trigger"
)

func within(d time.Duration) reconcile.Middleware[reconcile.Request] {
	return reconcile.Deadline[reconcile.Request](reconcile.DeadlineOptions{Timeout: d})
}

// RC01: a run with several deadlines is overdue once, whichever passes first, and until
// it has returned.
func TestOverdueOnce_RC01(t *testing.T) {
	for _, timeouts := range [][2]time.Duration{{time.Second, time.Minute}, {time.Minute, time.Second}, {time.Second, time.Second}} {
		synctest.Test(t, func(t *testing.T) {
			b := &book{}
			r := reconcile.Chain[reconcile.Request](
				does(func() { time.Sleep(time.Hour) }),
				reconcile.Instrument(reconcile.Options[reconcile.Request]{Observer: b}), within(timeouts[0]), within(timeouts[1]))
			for range 2 {
				_, err := r.Reconcile(t.Context(), request("a"))
				require.NoError(t, err)
			}
			once := []string{"overdue +1", "overdue -1", "ran unknown success"}
			require.Equal(t, append(once, once...), b.lines)
		})
	}
}

// RC04: what a Recover within another one has noted is not noted twice.
func TestRecoverTwice_RC04(t *testing.T) {
	for want, f := range map[string]func(){"panicked": func() { panic("x") }, "worker lost": runtime.Goexit} {
		b := &book{}
		r := chain(b, reconcile.Recover[reconcile.Request](does(f)).Reconcile)
		var wg sync.WaitGroup
		wg.Go(func() {
			defer func() { _ = recover() }()
			_, _ = r.Reconcile(logged(t.Context(), b), request("a"))
		})
		wg.Wait()
		require.Equal(t, 1, count(b.lines, want))
		require.Equal(t, 1, count(b.lines, "log"))
		require.Equal(t, 1, count(b.lines, "ran unknown panic"))
	}
}

// RC08, RC03: what a Classify within another one keeps from the controller stays that.
func TestClassifyTwice_RC08_RC03(t *testing.T) {
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	for want, tc := range map[string]struct {
		ctx context.Context //nolint:containedctx // It is that of the case.
		err error
	}{"conflict": {t.Context(), conflict}, "canceled": {canceled, context.Canceled}} {
		b := &book{info: trigger.Info{Attempt: 1}, known: true}
		_, err := chain(b, reconcile.Classify[reconcile.Request](returns(reconcile.Result{}, tc.err)).Reconcile).Reconcile(tc.ctx, request("a"))
		require.NoError(t, err)
		require.Equal(t, []string{"report a " + want, "ran unknown " + want}, b.lines)
		require.False(t, b.ran.Converged)
		require.Equal(t, want == "conflict", b.outcome.Err != nil)
	}
}

// ME13: a run that fails outside Classify is no success.
func TestFailureAroundClassify_ME13(t *testing.T) {
	b := &book{}
	around := func(next reconcile.Reconciler) reconcile.Reconciler {
		return reconcile.Func(func(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
			_, _ = next.Reconcile(ctx, req)
			return reconcile.Result{}, conflict
		})
	}
	_, err := reconcile.Chain[reconcile.Request](returns(reconcile.Result{}, nil),
		reconcile.Instrument(reconcile.Options[reconcile.Request]{Queue: b, Observer: b}), around, reconcile.Classify,
	).Reconcile(t.Context(), request("a"))
	require.Equal(t, conflict, err)
	require.Equal(t, []string{"report a conflict", "ran unknown conflict"}, b.lines)
}

// ME13: nor does Options.Class make one of a failure.
func TestNoFailureIsASuccess_ME13(t *testing.T) {
	for _, fine := range []string{"success", "requeue"} {
		b := &book{}
		_, err := reconcile.New[reconcile.Request](returns(reconcile.Result{}, errBoom), reconcile.Options[reconcile.Request]{
			Observer: b, Class: func(error) string { return fine },
		}).Reconcile(t.Context(), request("a"))
		require.Equal(t, errBoom, err)
		require.Equal(t, []string{"ran unknown error"}, b.lines)
	}
}

// RC11: middleware that retries leaves the outcome of the last attempt.
func TestRetryInside_RC11(t *testing.T) {
	b := &book{info: trigger.Info{Attempt: 1}, known: true}
	attempts := 0
	inner := reconcile.Classify[reconcile.Request](reconcile.Func(func(context.Context, reconcile.Request) (reconcile.Result, error) {
		if attempts++; attempts == 1 {
			return reconcile.Result{}, conflict
		}
		return reconcile.Result{}, nil
	}))
	_, err := chain(b, func(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
		_, _ = inner.Reconcile(ctx, req)
		return inner.Reconcile(ctx, req)
	}).Reconcile(t.Context(), request("a"))
	require.NoError(t, err)
	require.Equal(t, []string{"report a success", "ran unknown success"}, b.lines)
	require.True(t, b.ran.Converged)
}

// RQ01: the delay that a Classify within another one has noted stays.
func TestDelayBesideErrorTwice_RQ01(t *testing.T) {
	for _, err := range []error{errBoom, conflict} {
		b := &book{info: trigger.Info{Attempt: 1}, known: true}
		r := chain(b, reconcile.Classify[reconcile.Request](returns(reconcile.Result{RequeueAfter: time.Minute}, err)).Reconcile)
		_, _ = r.Reconcile(t.Context(), request("a"))
		require.Equal(t, err, b.outcome.Err)
		require.Equal(t, time.Minute, b.outcome.RetryAfter)
	}
}
