package ratelimit_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/ratelimit"
)

func TestObserveTellsEachDelay(t *testing.T) {
	var told []string
	l := ratelimit.Observe[string](retryAfter(ratelimit.RetryAfterOptions[string]{}), func(class string, d time.Duration) {
		told = append(told, fmt.Sprint(class, " ", d))
	})
	require.Equal(t, 5*time.Millisecond, l.When("k"))
	require.Equal(t, time.Minute, l.WhenError("k", durationHint(time.Minute), "throttled"))
	require.Equal(t, []string{" 5ms", "throttled 1m0s"}, told)
	require.Equal(t, 2, l.NumRequeues("k"))
	l.Forget("k")
	require.Zero(t, l.NumRequeues("k"))
	require.Len(t, told, 2)
}

func TestObservePanics(t *testing.T) {
	require.PanicsWithError(t, "ratelimit: Observe: limiter 0 <nil>(nil): must be a limiter", func() {
		ratelimit.Observe[string](nil, func(string, time.Duration) {})
	})
	require.PanicsWithError(t, "ratelimit: Observe: the function is nil", func() {
		ratelimit.Observe(exponential(ratelimit.ExponentialOptions{}), nil)
	})
}
