package ratelimit_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/ratelimit"
)

func TestCappedBoundsEveryDelay(t *testing.T) {
	l := ratelimit.NewCapped[string](retryAfter(ratelimit.RetryAfterOptions[string]{
		Limiter: exponential(ratelimit.ExponentialOptions{BaseDelay: time.Second}),
	}), 3*time.Second)
	require.Equal(t, time.Second, l.When("k"))
	require.Equal(t, 2*time.Second, l.WhenError("k", errBroken, ""))
	require.Equal(t, 3*time.Second, l.When("k"))
	require.Equal(t, 3*time.Second, l.WhenError("other", durationHint(math.MaxInt64), ""), "a hint, too")
	require.Equal(t, 3, l.NumRequeues("k"))
	l.Forget("k")
	require.Equal(t, time.Second, l.When("k"))
}

func TestCappedPanics_RL02(t *testing.T) {
	for _, most := range []time.Duration{0, -1, math.MinInt64} {
		require.Panics(t, func() { ratelimit.NewCapped(exponential(ratelimit.ExponentialOptions{}), most) })
	}
	require.PanicsWithError(t, "ratelimit: NewCapped: limiter 0 <nil>(nil): must be a limiter", func() {
		ratelimit.NewCapped[string](nil, 1)
	})
}
