package reconcile_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr/funcr"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/trimtab/trimtab/reconcile"
)

// timely is the usual chain with a deadline of 50 ms around f, told in b.
func timely(b *book, f reconcile.Func) reconcile.Reconciler {
	return reconcile.New[reconcile.Request](f, reconcile.Options[reconcile.Request]{
		Queue: b, Observer: b, Deadline: reconcile.DeadlineOptions{Timeout: 50 * time.Millisecond},
	})
}

// logged returns a context whose logger writes lines, up to V(0), to the book.
func logged(ctx context.Context, b *book) context.Context {
	return log.IntoContext(ctx, funcr.New(func(_, args string) { b.write("log %s", args) }, funcr.Options{}))
}

// untilDone waits for its context, as a call to a server that hangs does.
func untilDone(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
	<-ctx.Done()
	return reconcile.Result{}, fmt.Errorf("get: %w", ctx.Err())
}

// RC01: a run that heeds its context returns its error when the time is up, and
// the queue hears of a timeout.
func TestDeadline_RC01(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, start := &book{}, time.Now()
		var cause error
		_, err := timely(b, func(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
			at, ok := ctx.Deadline()
			require.True(t, ok)
			require.Equal(t, 50*time.Millisecond, at.Sub(start))
			defer func() { cause = context.Cause(ctx) }()
			return untilDone(ctx, req)
		}).Reconcile(t.Context(), request("a"))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, 50*time.Millisecond, time.Since(start))
		require.Equal(t, &reconcile.DeadlineError{Timeout: 50 * time.Millisecond}, cause)
		require.ErrorIs(t, cause, context.DeadlineExceeded)
		require.EqualError(t, cause, "reconcile: the run has taken longer than 50ms")
		require.Contains(t, b.lines, "report a timeout")
		require.Zero(t, b.overdueNow())
	})
}

// RC01: the error of the deadline itself has the class of a timeout, too.
func TestDeadlineErrorIsATimeout_RC01(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &book{}
		_, err := timely(b, func(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
			<-ctx.Done()
			return reconcile.Result{}, fmt.Errorf("probe: %w", context.Cause(ctx))
		}).Reconcile(t.Context(), request("a"))
		require.Error(t, err)
		require.Contains(t, b.lines, "report a timeout")
	})
}

// RC01: a run that ignores its context is not left behind: it keeps its worker,
// counts as overdue while it lasts, and is named once.
func TestOverdueRun_RC01(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, start := &book{}, time.Now()
		r := timely(b, func(context.Context, reconcile.Request) (reconcile.Result, error) {
			time.Sleep(1050*time.Millisecond - time.Nanosecond)
			require.Zero(t, b.overdueNow(), "it has a second to heed its context")
			time.Sleep(time.Nanosecond)
			synctest.Wait()
			require.Equal(t, 1, b.overdueNow())
			time.Sleep(time.Second)
			return reconcile.Result{}, nil
		})
		_, err := r.Reconcile(logged(t.Context(), b), request("a"))
		require.NoError(t, err)
		require.Equal(t, 2050*time.Millisecond, time.Since(start))
		require.Equal(t, []string{
			"overdue +1",
			`log "level"=0 "msg"="A run has passed its deadline and goes on" "request"="ns/a" "timeout"="50ms"`,
			"overdue -1", "report a success", "ran unknown success",
		}, without(b.lines, "reconcileID"))
	})
}

// RC01: a run that returns at the very time, or panics after it, leaves no trace in
// the number of overdue runs.
func TestOverdueRunsArePaired_RC01(t *testing.T) {
	for name, f := range map[string]reconcile.Func{
		"in time": returns(reconcile.Result{}, nil),
		"at the time": func(context.Context, reconcile.Request) (reconcile.Result, error) {
			time.Sleep(50 * time.Millisecond)
			return reconcile.Result{}, nil
		},
		"heeds its context": untilDone,
		"panics": func(context.Context, reconcile.Request) (reconcile.Result, error) {
			time.Sleep(time.Second)
			panic("x")
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := &book{}
				for range 100 {
					func() {
						defer func() { _ = recover() }()
						_, _ = timely(b, f).Reconcile(t.Context(), request("a"))
					}()
					synctest.Wait()
					require.Zero(t, b.overdueNow())
				}
				require.GreaterOrEqual(t, b.overdueMin, 0)
			})
		})
	}
}

// RC01: the shorter of two deadlines counts, whichever is inside.
func TestDeadlineInDeadline_RC01(t *testing.T) {
	for _, timeouts := range [][2]time.Duration{{time.Second, time.Minute}, {time.Minute, time.Second}} {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			_, err := reconcile.Chain[reconcile.Request](reconcile.Func(untilDone),
				reconcile.Deadline[reconcile.Request](reconcile.DeadlineOptions{Timeout: timeouts[0]}),
				reconcile.Deadline[reconcile.Request](reconcile.DeadlineOptions{Timeout: timeouts[1]}),
			).Reconcile(t.Context(), request("a"))
			require.ErrorIs(t, err, context.DeadlineExceeded)
			require.Equal(t, time.Second, time.Since(start))
		})
	}
}

func TestDeadlineOptionsValidate_RC01(t *testing.T) {
	require.NoError(t, reconcile.DeadlineOptions{}.Validate())
	bad := reconcile.DeadlineOptions{Timeout: -time.Second}
	require.EqualError(t, bad.Validate(), "reconcile: Timeout -1s: must not be negative")
	require.PanicsWithError(t, bad.Validate().Error(), func() { reconcile.Deadline[string](bad) })
	require.EqualError(t, reconcile.DeadlineOptions{LastWrite: -1}.Validate(), "reconcile: LastWrite -1ns: must not be negative")
	require.EqualError(t, reconcile.DeadlineOptions{LastWrite: 1}.Validate(), "reconcile: LastWrite 1ns: needs Timeout")
	require.EqualError(t, reconcile.Options[string]{Deadline: bad}.Validate(), "reconcile: Deadline.Timeout -1s: must not be negative")
}

// Zero is no deadline.
func TestNoDeadline_RC01(t *testing.T) {
	r := reconcile.Deadline[reconcile.Request](reconcile.DeadlineOptions{})(returns(reconcile.Result{}, errBoom))
	_, err := reconcile.Func(func(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
		_, ok := ctx.Deadline()
		require.False(t, ok)
		return r.Reconcile(ctx, req)
	}).Reconcile(t.Context(), request("a"))
	require.ErrorIs(t, err, errBoom)
}

func ExampleDeadline() {
	r := reconcile.Chain[reconcile.Request](reconcile.Func(untilDone),
		reconcile.Deadline[reconcile.Request](reconcile.DeadlineOptions{Timeout: time.Millisecond}))
	_, err := r.Reconcile(context.Background(), request("web"))
	fmt.Println(err)
	// Output: get: context deadline exceeded
}

// RC01: a run that heeds its deadline has passed it, too, though it may return before
// anybody could see that.
func TestHeededDeadlineCounts_RC01(t *testing.T) {
	for range 200 {
		synctest.Test(t, func(t *testing.T) {
			b := &book{}
			_, err := timely(b, untilDone).Reconcile(t.Context(), request("a"))
			require.ErrorIs(t, err, context.DeadlineExceeded)
			require.Equal(t, []string{"overdue +1", "overdue -1", "report a timeout", "ran unknown timeout"}, b.lines)
		})
	}
}
