package reconcile_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/reconcile"
)

// After the run's own deadline there are 5 s for a last write, which counts for
// the run.
func TestLastWrite_RC01(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &book{}
		c := reconcile.Client(&slow{status: time.Second})
		_, err := timely(b, func(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
			same, cancel := reconcile.LastWrite(ctx)
			cancel()
			require.Equal(t, ctx, same, "its time is not up")
			require.NoError(t, ctx.Err())

			_, err := untilDone(ctx, req)
			inner, cancelInner := context.WithTimeout(ctx, time.Hour)
			defer cancelInner()
			last, cancel := reconcile.LastWrite(inner)
			defer cancel()
			require.NoError(t, last.Err())
			at, ok := last.Deadline()
			require.True(t, ok)
			require.Equal(t, 5*time.Second, time.Until(at))
			require.NoError(t, c.Status().Update(last, configMap("b")))

			<-last.Done()
			require.ErrorIs(t, last.Err(), context.DeadlineExceeded)
			return reconcile.Result{}, err
		}).Reconcile(t.Context(), request("a"))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, time.Second, b.phases.Status)
		require.Contains(t, b.lines, "called unknown update ConfigMap/status")
	})
}

// RC13: nothing is written after a lost lease, be it lost before the deadline,
// after it, or during the last write.
func TestLastWriteEndsWithTheManager_RC13(t *testing.T) {
	for _, lost := range []time.Duration{10 * time.Millisecond, 60 * time.Millisecond, time.Second} {
		synctest.Test(t, func(t *testing.T) {
			manager, lose := context.WithCancel(t.Context())
			time.AfterFunc(lost, lose)
			_, _ = timely(&book{}, func(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
				_, _ = untilDone(ctx, req)
				if lost == 60*time.Millisecond {
					time.Sleep(lost)
				}
				last, cancel := reconcile.LastWrite(ctx)
				defer cancel()
				if lost < time.Second {
					require.Equal(t, ctx, last)
					return reconcile.Result{}, nil
				}
				<-last.Done()
				require.ErrorIs(t, last.Err(), context.Canceled)
				return reconcile.Result{}, nil
			}).Reconcile(manager, request("a"))
			require.Error(t, manager.Err())
		})
	}
}

// Also where a deadline stands in a deadline, the manager decides.
func TestLastWriteOfTwoDeadlines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		manager, lose := context.WithCancel(t.Context())
		defer lose()
		inner := reconcile.Chain[reconcile.Request](reconcile.Func(func(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
			_, _ = untilDone(ctx, req)
			time.Sleep(time.Second) // Both have passed.
			last, cancel := reconcile.LastWrite(ctx)
			defer cancel()
			require.NoError(t, last.Err())
			lose()
			synctest.Wait()
			require.ErrorIs(t, last.Err(), context.Canceled)
			return reconcile.Result{}, nil
		}), reconcile.Deadline[reconcile.Request](reconcile.DeadlineOptions{Timeout: 20 * time.Millisecond}))
		_, err := timely(&book{}, inner.Reconcile).Reconcile(manager, request("a"))
		require.NoError(t, err)
		require.Error(t, manager.Err())
	})
}

// Without a deadline of ours, as after controller-runtime's own timeout, the
// context stays.
func TestLastWriteWithoutDeadline(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	last, cancel := reconcile.LastWrite(ctx)
	cancel()
	require.Equal(t, ctx, last)
}

func ExampleLastWrite() {
	c := reconcile.Client(&slow{})
	r := reconcile.New[reconcile.Request](
		reconcile.Func(func(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
			_, err := untilDone(ctx, req)
			last, cancel := reconcile.LastWrite(ctx)
			defer cancel()
			fmt.Println(ctx.Err(), last.Err(), c.Status().Update(last, configMap("web")))
			return reconcile.Result{}, err
		}),
		reconcile.Options[reconcile.Request]{Deadline: reconcile.DeadlineOptions{Timeout: time.Millisecond}},
	)
	_, _ = r.Reconcile(context.Background(), request("web"))
	// Output: context deadline exceeded <nil> <nil>
}
