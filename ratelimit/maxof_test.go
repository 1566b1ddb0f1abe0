package ratelimit_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/ratelimit"
)

func TestMaxOfTakesTheLongest(t *testing.T) {
	quick := exponential(ratelimit.ExponentialOptions{BaseDelay: time.Second})
	slow := ratelimit.NewConstant[string](ratelimit.ConstantOptions{Delay: 3 * time.Second})
	l := ratelimit.NewMaxOf(quick, slow)
	require.Equal(t, 3*time.Second, l.When("k"))
	require.Equal(t, 3*time.Second, l.WhenError("k", errBroken, "error"))
	require.Equal(t, 4*time.Second, l.When("k"), "each counts each failure")
	quick.Forget("k")
	require.Equal(t, 3, l.NumRequeues("k"), "the most that one knows")
	l.Forget("k")
	require.Zero(t, slow.NumRequeues("k"))
}

// What wants to know the error is told of it, and what does not is asked as ever.
func TestMaxOfTellsTheError(t *testing.T) {
	l := ratelimit.NewMaxOf[string](
		exponential(ratelimit.ExponentialOptions{}), retryAfter(ratelimit.RetryAfterOptions[string]{}))
	require.Equal(t, time.Minute, l.WhenError("k", durationHint(time.Minute), "throttled"))
}

func TestMaxOfPanics(t *testing.T) {
	require.PanicsWithError(t, "ratelimit: NewMaxOf(): want at least one limiter", func() { ratelimit.NewMaxOf[string]() })
	require.PanicsWithError(t, "ratelimit: NewMaxOf: limiter 1 <nil>(nil): must be a limiter", func() {
		ratelimit.NewMaxOf(exponential(ratelimit.ExponentialOptions{}), nil)
	})
	require.PanicsWithError(t, "ratelimit: NewMaxOf: limiter 0 *ratelimit.Bucket[string](nil): must be a limiter", func() {
		ratelimit.NewMaxOf[string]((*ratelimit.Bucket[string])(nil))
	})
}
