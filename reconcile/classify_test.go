package reconcile_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/trimtab/trimtab/reconcile"
	"github.com/trimtab/trimtab/trigger"
)

var forbidden = apierrors.NewForbidden(schema.GroupResource{Resource: "configmaps"}, "a", errors.New("no"))

// RC08, ME13: three conflicts in a row are no error, the fourth is one, and from
// then on none; the retries wait as after any failure. A success ends the row.
func TestQuietConflicts_RC08_ME13(t *testing.T) {
	for name, err := range map[string]error{
		"plain":   conflict,
		"wrapped": fmt.Errorf("status: %w", conflict),
		"joined":  errors.Join(conflict, fmt.Errorf("x: %w", conflict)),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var at []time.Duration
				var shown []float64
				var h *host[string]
				begin := time.Now()
				h = start(t, 1, reconcile.Options[string]{}, func(context.Context, string) (reconcile.Result, error) {
					at = append(at, time.Since(begin))
					shown = append(shown, h.total(t, errorsTotal))
					if len(at)%7 == 0 {
						return reconcile.Result{}, nil
					}
					return reconcile.Result{}, err
				})
				for range 2 {
					h.queue.Add("k")
					sleep(time.Hour)
				}
				ms := time.Millisecond
				require.Equal(t, []time.Duration{0, 10 * ms, 30 * ms, 70 * ms, 150 * ms, 310 * ms, 630 * ms}, at[:7])
				require.Equal(t, []float64{0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2}, shown)
				require.Len(t, h.errors, 2, "controller-runtime logs what is shown")
				require.Equal(t, 12, count(h.lines, "ran primary conflict")+count(h.lines, "ran retry conflict"))
			})
		})
	}
}

// The queue learns of a quiet failure as of any other: its class is known to the
// next run, and the limiter gets the error.
func TestQuietFailureReachesTheQueue_RC08(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var infos []trigger.Info
		priority := 7
		h := start(t, 1, reconcile.Options[string]{}, func(ctx context.Context, _ string) (reconcile.Result, error) {
			info, _ := trigger.FromContext(ctx)
			infos = append(infos, info)
			if len(infos) == 1 {
				return reconcile.Result{Priority: &priority}, conflict
			}
			return reconcile.Result{}, nil
		})
		h.queue.Add("k")
		synctest.Wait()
		ran, outcome := h.last()
		require.Equal(t, reconcile.Result{Requeue: true, Priority: &priority}, outcome.Result) //nolint:staticcheck // Deprecated, and what the controller sees.
		require.Equal(t, conflict, outcome.Err)
		require.False(t, ran.Converged)
		require.False(t, ran.NoOp)
		sleep(time.Minute)
		require.Len(t, infos, 2)
		require.Equal(t, "conflict", infos[1].LastClass)
		require.Equal(t, 2, infos[1].Attempt)
		require.Equal(t, priority, infos[1].Priority)
		require.Equal(t, trigger.SetOf(trigger.Retry), infos[1].Sources)
		ran, _ = h.last()
		require.True(t, ran.Converged)
	})
}

// ME13: what is a fault is shown as ever.
func TestFaultsAreShown_ME13(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := start(t, 1, reconcile.Options[string]{}, func(_ context.Context, key string) (reconcile.Result, error) {
			if key == "joined" {
				return reconcile.Result{}, errors.Join(conflict, forbidden)
			}
			return reconcile.Result{}, fmt.Errorf("create: %w", forbidden)
		})
		h.queue.Add("k")
		h.queue.Add("joined")
		synctest.Wait()
		require.InDelta(t, 2, h.total(t, errorsTotal), 0)
		require.Equal(t, 2, count(h.lines, "ran primary error"))
	})
}

// RC08: where the attempt is unknown, as with another queue, nothing is quiet: a
// conflict could be hidden for ever.
func TestConflictOfUnknownAttempt_RC08(t *testing.T) {
	b := &book{}
	_, err := chain(b, returns(reconcile.Result{}, conflict)).Reconcile(t.Context(), request("a"))
	require.Equal(t, conflict, err)
}

// A user may choose what is quiet, and name classes; a terminal error stays one.
func TestOwnClassesAndQuiet(t *testing.T) {
	b := &book{info: trigger.Info{Attempt: 9}, known: true}
	notReady := errors.New("not ready")
	asked := []string{}
	opts := reconcile.Options[reconcile.Request]{
		Queue: b, Observer: b,
		Class: func(err error) string {
			if errors.Is(err, notReady) {
				return "notready"
			}
			return ""
		},
		Quiet: func(class string, attempt int) bool {
			require.Equal(t, 9, attempt)
			asked = append(asked, class)
			return class != "error"
		},
	}
	for _, tc := range []struct {
		err   error
		class string
		quiet bool
	}{
		{fmt.Errorf("db: %w", notReady), "notready", true},
		{conflict, "conflict", true},
		{errBoom, "error", false},
		{reconcile.TerminalError(notReady), "terminal", false},
		{fmt.Errorf("own: %w", context.Canceled), "error", false},
	} {
		_, err := reconcile.New[reconcile.Request](returns(reconcile.Result{}, tc.err), opts).Reconcile(t.Context(), request("a"))
		require.Equal(t, tc.quiet, err == nil, tc.err)
		require.Equal(t, tc.class, b.outcome.Class)
		require.Equal(t, tc.class, b.ran.Class)
		require.Equal(t, tc.err, b.outcome.Err)
	}
	require.Equal(t, []string{"notready", "conflict", "error", "error"}, asked)

	require.PanicsWithError(t, "reconcile: Quiet without Queue: needs Trimtab's queue, which knows the attempt", func() {
		reconcile.New[string](reconcile.TypedFunc[string](func(context.Context, string) (reconcile.Result, error) {
			return reconcile.Result{}, nil
		}), reconcile.Options[string]{Quiet: never})
	})
}

// RC03: a run that the manager's end cancels is no error, in no counter and no log;
// code of its own that gives up is.
func TestCanceled_RC03(t *testing.T) {
	for name, stops := range map[string]bool{"stopping": true, "live": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := start(t, 1, reconcile.Options[string]{Class: func(error) string { return "mine" }}, func(ctx context.Context, _ string) (reconcile.Result, error) {
					if stops {
						<-ctx.Done()
					}
					return reconcile.Result{RequeueAfter: 1}, fmt.Errorf("list: %w", context.Canceled)
				})
				h.queue.Add("k")
				synctest.Wait()
				if stops {
					h.stop()
					synctest.Wait()
					require.InDelta(t, 0, h.total(t, errorsTotal), 0)
					require.Empty(t, h.errors)
					require.Equal(t, []string{"ran primary canceled"}, h.lines)
					require.NoError(t, h.outcome.Err)
					require.Zero(t, h.outcome.Result)
					require.False(t, h.ran.Converged)
					return
				}
				require.InDelta(t, 1, h.total(t, errorsTotal), 0)
				require.Len(t, h.errors, 1)
				require.Equal(t, []string{"ran primary mine"}, h.lines)
			})
		})
	}
}

// RC03: what a cache answers when the run's context ends while it waits is a timeout,
// and wraps nothing. It is no error at the manager's end, and one at the run's own.
func TestCacheWaitAtTheEnd_RC03(t *testing.T) {
	unsynced := apierrors.NewTimeoutError("failed waiting for *v1.Secret Informer to sync", 0)
	stopping, cancel := context.WithCancel(t.Context())
	cancel()
	expired, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	for name, tc := range map[string]struct {
		ctx   context.Context
		err   error
		class string
	}{
		"stopping":         {stopping, fmt.Errorf("secret: %w", unsynced), "canceled"},
		"beside another":   {stopping, errors.Join(unsynced, forbidden), "error"},
		"out of time":      {expired, unsynced, "timeout"},
		"another, at last": {stopping, apierrors.NewTimeoutError("etcd", 0), "timeout"},
		"the server's own": {stopping, apierrors.NewServerTimeout(schema.GroupResource{}, "get", 0), "timeout"},
	} {
		t.Run(name, func(t *testing.T) {
			b := &book{}
			_, err := chain(b, returns(reconcile.Result{}, tc.err)).Reconcile(tc.ctx, request("a"))
			require.Equal(t, tc.class, b.ran.Class)
			require.Equal(t, tc.class == "canceled", err == nil)
		})
	}
}

// RC03: a cancelled context excuses no other error.
func TestOtherErrorsAtTheEnd_RC03(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	b := &book{}
	_, err := chain(b, returns(reconcile.Result{}, errors.Join(context.Canceled, forbidden))).Reconcile(ctx, request("a"))
	require.ErrorIs(t, err, forbidden)
	require.Equal(t, "error", b.ran.Class)
}
