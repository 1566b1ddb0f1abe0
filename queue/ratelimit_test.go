package queue_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/trimtab/trimtab/queue"
	"github.com/trimtab/trimtab/ratelimit"
)

// notReady returns a limiter whose delays for what is not ready yet are 1s, 2s, 4s, 8s,
// 16s and so on, and which counts errors apart.
func notReady() workqueue.TypedRateLimiter[string] {
	return ratelimit.NewByError(ratelimit.ByErrorOptions[string]{
		Default: ratelimit.NewExponential[string](ratelimit.ExponentialOptions{}),
		Classes: map[string]workqueue.TypedRateLimiter[string]{
			"requeue": ratelimit.NewExponential[string](ratelimit.ExponentialOptions{BaseDelay: time.Second, MaxDelay: 30 * time.Second}),
		},
	})
}

// RQ04: a reconciler that has to wait answers Requeue, and the class "requeue" of its
// limiter backs off without an error; a success ends the row.
func TestBackoffWithoutAnError_RQ04(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var at []time.Duration
		q := startController(t, 1, queue.Options[string]{RateLimiter: notReady()}, false, func(context.Context, string) (reconcile.Result, error) {
			at = append(at, time.Since(start))
			return reconcile.Result{Requeue: len(at) != 6 && len(at) < 9}, nil //nolint:staticcheck // Deprecated, and still in use.
		})
		q.Add("k")
		sleep(time.Minute)
		require.Equal(t, []time.Duration{0, 1e9, 3e9, 7e9, 15e9, 31e9}, at)
		q.Add("k")
		sleep(time.Hour)
		require.Equal(t, []time.Duration{60e9, 61e9, 63e9}, at[6:], "the success reset it")
		require.Zero(t, q.NumRequeues("k"))
	})
}

// RQ29: what asked to come back often makes no later error wait.
func TestRequeuesMakeNoErrorWait_RQ29(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var at []time.Time
		q := startController(t, 1, queue.Options[string]{RateLimiter: notReady()}, false, func(context.Context, string) (reconcile.Result, error) {
			switch at = append(at, time.Now()); {
			case len(at) <= 20:
				return reconcile.Result{Requeue: true}, nil //nolint:staticcheck // As above.
			case len(at) == 21:
				return reconcile.Result{}, errors.New("broken")
			default:
				return reconcile.Result{}, nil
			}
		})
		q.Add("k")
		sleep(time.Hour)
		require.Len(t, at, 22)
		for i := range at[:20] {
			require.LessOrEqual(t, at[i+1].Sub(at[i]), 30*time.Second)
		}
		require.Equal(t, 5*time.Millisecond, at[21].Sub(at[20]))
	})
}

// RL08: two queues that are given one limiter, whatever it is made of: a success in one
// leaves the backoff of the other.
func TestQueuesThatShareALimiter_RL08(t *testing.T) {
	tuned, err := ratelimit.NewTunable[string](ratelimit.Config{Preset: ratelimit.ExternalAPI})
	require.NoError(t, err)
	exponential := ratelimit.NewExponential[string](ratelimit.ExponentialOptions{})
	for name, limiter := range map[string]workqueue.TypedRateLimiter[string]{
		"exponential": exponential,
		"composed":    notReady(),
		"tunable":     tuned,
		"budgeted": ratelimit.NewBudgeted(ratelimit.BudgetedOptions[string]{
			Budget: ratelimit.NewBudget(ratelimit.BudgetOptions{}), Limiter: notReady(),
		}),
		"groups": ratelimit.NewPerGroup(ratelimit.PerGroupOptions[string]{
			Group: func(string) string { return "" },
			New:   func(string) workqueue.TypedRateLimiter[string] { return notReady() },
		}),
	} {
		t.Run(name, func(t *testing.T) {
			opts := queue.Options[string]{RateLimiter: limiter}
			a, b := queue.New("a", opts), queue.New("b", opts)
			for range 3 {
				a.AddRateLimited("k")
			}
			b.AddRateLimited("k")
			require.Equal(t, 1, b.NumRequeues("k"))
			b.Forget("k")
			require.Equal(t, 3, a.NumRequeues("k"))
			b.ShutDown()
			a.ShutDown()
			c := queue.New("c", opts)
			defer c.ShutDown()
			require.Equal(t, 3, c.NumRequeues("k"), "whoever comes after a has the limiter itself")
		})
	}
}
