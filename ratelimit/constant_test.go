package ratelimit_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/ratelimit"
)

func TestConstantDelays(t *testing.T) {
	for _, delay := range []time.Duration{1, time.Second, math.MaxInt64} {
		l := ratelimit.NewConstant[string](ratelimit.ConstantOptions{Delay: delay})
		require.Equal(t, delay, l.When("a"))
		ratelimit.SetFailures[string](l, "a", math.MaxInt32)
		require.Equal(t, delay, l.When("a"))
		require.Equal(t, math.MaxInt32, l.NumRequeues("a"))
	}
}

// The bound on items bounds what is counted, not the delay.
func TestConstantBeyondMaxItems(t *testing.T) {
	l := ratelimit.NewConstant[string](ratelimit.ConstantOptions{Delay: time.Second, MaxItems: 1})
	l.When("a")
	require.Equal(t, time.Second, l.When("b"))
	require.Zero(t, l.NumRequeues("b"))
}

func TestConstantJitter(t *testing.T) {
	l := ratelimit.NewConstant[int](ratelimit.ConstantOptions{Delay: time.Second, Jitter: 0.2})
	shortest := time.Hour
	for range 1000 {
		d := l.When(0)
		require.Greater(t, d, 800*time.Millisecond)
		require.LessOrEqual(t, d, time.Second)
		shortest = min(shortest, d)
	}
	require.Less(t, shortest, 850*time.Millisecond)
}

func TestConstantValidate_RL02(t *testing.T) {
	for want, opts := range map[string]ratelimit.ConstantOptions{
		"ratelimit: Delay is 0s, want a finite number of more than 0":   {},
		"ratelimit: Delay is -1ns, want a finite number of more than 0": {Delay: -1},
		"ratelimit: Jitter is 2, want a number from 0 to 1":             {Delay: 1, Jitter: 2},
		"ratelimit: TTL is -1ns, want at least 0":                       {Delay: 1, TTL: -1},
		"ratelimit: MaxItems is -1, want at least 0":                    {Delay: 1, MaxItems: -1},
	} {
		require.EqualError(t, opts.Validate(), want)
		require.PanicsWithError(t, want, func() { ratelimit.NewConstant[string](opts) })
	}
}
