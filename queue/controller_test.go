package queue_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/trimtab/trimtab/queue"
	"github.com/trimtab/trimtab/trigger"
)

type reconcileFunc[T comparable] = reconcile.TypedFunc[T]

// startController runs controller-runtime's controller on a queue of ours, in a
// bubble, with a chain that reports each run unless plain is set. The bubble's end
// waits for the controller to stop, and fails if a goroutine of it stays.
func startController[T comparable](t *testing.T, workers int, opts queue.Options[T], plain bool, r reconcileFunc[T]) *queue.Queue[T] {
	t.Helper()
	var q *queue.Queue[T]
	chain := reconcileFunc[T](func(ctx context.Context, key T) (reconcile.Result, error) {
		if plain {
			return r(ctx, key)
		}
		q.Running(key)
		result, err := r(ctx, key)
		q.Report(key, queue.Outcome{Result: result, Err: err})
		return result, err
	})
	skip := true
	c, err := controller.NewTypedUnmanaged("test", controller.TypedOptions[T]{
		SkipNameValidation:      &skip,
		MaxConcurrentReconciles: workers,
		Reconciler:              chain,
		NewQueue: func(name string, _ workqueue.TypedRateLimiter[T]) workqueue.TypedRateLimitingInterface[T] {
			q = queue.New(name, opts)
			return q
		},
	})
	require.NoError(t, err)
	require.NoError(t, c.Watch(source.TypedFunc[T](func(context.Context, workqueue.TypedRateLimitingInterface[T]) error { return nil })))
	ended := make(chan error, 1)
	ctx, stop := context.WithCancel(t.Context())
	go func() { ended <- c.Start(ctx) }()
	t.Cleanup(func() {
		stop()
		require.NoError(t, <-ended)
	})
	synctest.Wait()
	require.Equal(t, "test", q.Name())
	require.Equal(t, workers, q.Snapshot().Workers)
	return q
}

func TestControllerBacksOff_EE01(t *testing.T) {
	for _, plain := range []bool{false, true} {
		t.Run(fmt.Sprintf("plain %t", plain), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				observer := &recorder{}
				start := time.Now()
				var at []time.Duration
				q := startController(t, 1, queue.Options[string]{RateLimiter: doubling(), Observer: observer}, plain,
					func(context.Context, string) (reconcile.Result, error) {
						at = append(at, time.Since(start))
						if len(at) < 11 {
							return reconcile.Result{}, errBroken
						}
						return reconcile.Result{}, nil
					})
				q.Add("k")
				sleep(24 * time.Hour)
				require.Equal(t, []time.Duration{
					0, 10 * ms, 30 * ms, 70 * ms, 150 * ms, 310 * ms, 630 * ms, 1270 * ms, 2550 * ms, 5110 * ms, 10230 * ms,
				}, at)
				require.Zero(t, q.NumRequeues("k"), "the controller forgot it")
				require.Len(t, observer.requeued, 10)
				for _, source := range observer.requeued {
					require.Equal(t, trigger.Retry, source)
				}
				require.Equal(t, -10, observer.last(t).Priority)
			})
		})
	}
}

// An event ends a backoff at once, and the next failure waits as long as it would have.
func TestControllerEventInBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var at []time.Duration
		q := startController(t, 1, queue.Options[string]{RateLimiter: doubling()}, false,
			func(context.Context, string) (reconcile.Result, error) {
				at = append(at, time.Since(start))
				return reconcile.Result{}, errBroken
			})
		q.Add("k")
		sleep(100 * ms) // runs at 0, 10, 30, 70
		q.Add("k")
		sleep(161 * ms)
		require.Equal(t, []time.Duration{0, 10 * ms, 30 * ms, 70 * ms, 100 * ms, 260 * ms}, at)
	})
}

// A day in a moment: a period of five minutes is 288 runs, at exact times and at
// the priority of a periodic run.
func TestControllerPeriodicDay(t *testing.T) {
	for _, plain := range []bool{false, true} {
		t.Run(fmt.Sprintf("plain %t", plain), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				observer := &recorder{}
				start := time.Now()
				var at []time.Duration
				q := startController(t, 2, queue.Options[string]{Observer: observer}, plain,
					func(context.Context, string) (reconcile.Result, error) {
						at = append(at, time.Since(start))
						return reconcile.Result{RequeueAfter: 5 * time.Minute}, nil
					})
				q.Add("k")
				sleep(24*time.Hour - 1)
				require.Len(t, at, 288)
				for i, d := range at {
					require.Equal(t, time.Duration(i)*5*time.Minute, d)
				}
				for i, info := range observer.delivered[1:] {
					require.Equal(t, -100, info.Priority)
					require.Equal(t, trigger.SetOf(trigger.Periodic), info.Sources)
					require.Equal(t, 5*time.Minute, info.Delay(), i)
					require.Zero(t, info.Wait())
				}
			})
		})
	}
}

// An event that comes during the run: it runs once more at once, and the wake-up
// that the run asked for is merged with it.
func TestControllerEventDuringRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		observer := &recorder{}
		start := time.Now()
		var at []time.Duration
		q := startController(t, 2, queue.Options[string]{Observer: observer}, false,
			func(context.Context, string) (reconcile.Result, error) {
				at = append(at, time.Since(start))
				time.Sleep(10 * time.Second)
				return reconcile.Result{RequeueAfter: time.Minute}, nil
			})
		q.Add("k")
		sleep(4 * time.Second)
		q.Add("k")
		sleep(80 * time.Second)
		require.Equal(t, []time.Duration{0, 10 * time.Second, 80 * time.Second}, at)
		require.Equal(t, []string{"primary", "primary", "periodic merged", "periodic"}, observer.added)
		second := observer.delivered[1]
		require.Equal(t, 6*time.Second, second.OwnRun)
		require.Zero(t, second.Wait())
		require.Equal(t, trigger.SetOf(trigger.Primary), second.Sources)
	})
}

// What is urgent goes first among what waits for the one worker.
func TestControllerPriorities(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var order []string
		q := startController(t, 1, queue.Options[string]{}, false,
			func(_ context.Context, key string) (reconcile.Result, error) {
				order = append(order, key)
				time.Sleep(time.Second)
				return reconcile.Result{}, nil
			})
		q.Add("first")
		synctest.Wait()
		q.AddWithOpts(at(-100), "low")
		q.Add("normal")
		q.AddWithOpts(at(100), "high")
		sleep(time.Minute)
		require.Equal(t, []string{"first", "high", "normal", "low"}, order)
	})
}

// A terminal error is not retried, and leaves no failure behind.
func TestControllerTerminalError_RL09(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runs := 0
		q := startController(t, 1, queue.Options[string]{RateLimiter: doubling()}, false,
			func(context.Context, string) (reconcile.Result, error) {
				if runs++; runs == 9 {
					return reconcile.Result{}, reconcile.TerminalError(errBroken)
				}
				return reconcile.Result{}, errBroken
			})
		q.Add("k")
		sleep(time.Hour)
		require.Equal(t, 9, runs)
		require.Zero(t, q.NumRequeues("k"))
		q.Add("k")
		sleep(10 * ms)
		require.Equal(t, 11, runs, "the first retry waits the base")
	})
}

// A panic is a failure like another: it is retried.
func TestControllerPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		observer := &recorder{}
		runs := 0
		q := startController(t, 1, queue.Options[string]{RateLimiter: doubling(), Observer: observer}, true,
			func(context.Context, string) (reconcile.Result, error) {
				if runs++; runs == 1 {
					panic("broken")
				}
				return reconcile.Result{}, nil
			})
		q.Add("k")
		sleep(10 * ms)
		require.Equal(t, 2, runs)
		require.Equal(t, []trigger.Source{trigger.Retry}, observer.requeued)
	})
}
