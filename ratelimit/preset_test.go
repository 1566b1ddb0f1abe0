package ratelimit_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/ratelimit"
)

// exact returns the limiter of a preset without its jitter, which must be that.
func exact(t *testing.T, p ratelimit.Preset, jitter float64) ratelimit.ErrorAware[string] {
	t.Helper()
	c, ok := p.Config()
	require.True(t, ok)
	each := c.Exponential
	switch {
	case c.Budget != nil:
		each = c.Budget.Limiter.Exponential
	case c.RetryAfter != nil:
		require.InDelta(t, jitter, c.RetryAfter.Jitter, 0)
		c.RetryAfter.Jitter = 0
		each = c.RetryAfter.Limiter.MaxOf[0].Exponential
	}
	require.InDelta(t, jitter, each.Jitter, 0)
	each.Jitter = 0
	l, err := ratelimit.Build[string](c)
	require.NoError(t, err)
	return l
}

// failures returns the delays of an item that fails again when each is over.
func failures(l ratelimit.ErrorAware[string], item string, n int) (delays []time.Duration) {
	for range n {
		d := l.WhenError(item, nil, "error")
		delays = append(delays, d)
		time.Sleep(d)
	}
	return delays
}

// doubled returns n delays, up to a longest.
func doubled(first, longest time.Duration, n int) (delays []time.Duration) {
	for range n {
		delays = append(delays, first)
		first = min(2*first, longest)
	}
	return delays
}

// The delays of one item alone.
func TestPresetDelays(t *testing.T) {
	for p, tt := range map[ratelimit.Preset]struct {
		jitter         float64
		first, longest time.Duration
	}{
		"":                    {0.2, 5 * time.Millisecond, 1000 * time.Second},
		ratelimit.Default:     {0.2, 5 * time.Millisecond, 1000 * time.Second},
		ratelimit.InCluster:   {0.2, 5 * time.Millisecond, 2 * time.Minute},
		ratelimit.ExternalAPI: {0.2, 750 * time.Millisecond, 15 * time.Minute},
		ratelimit.Gentle:      {0.5, 5 * time.Second, 30 * time.Minute},
	} {
		synctest.Test(t, func(t *testing.T) {
			require.Equal(t, doubled(tt.first, tt.longest, 25), failures(exact(t, p, tt.jitter), "a", 25), p)
		})
	}
}

// The longest of the delays of n items that fail at once, for the first time.
func flood(l ratelimit.ErrorAware[int], n int) (longest time.Duration) {
	for item := range n {
		longest = max(longest, l.WhenError(item, nil, "error"))
	}
	return longest
}

// What items share is what makes the last of many wait, and nothing else does.
func TestPresetShares(t *testing.T) {
	for _, tt := range []struct {
		preset   ratelimit.Preset
		n        int
		min, max time.Duration
	}{
		{ratelimit.Default, 100_000, 0, 5 * time.Millisecond},
		{ratelimit.InCluster, 500, 0, 5 * time.Millisecond},
		{ratelimit.InCluster, 10_000, 150 * time.Second, 200 * time.Second}, // 10,000 runs allow 1,000 of them
		{ratelimit.InCluster, 100_000, 1000 * time.Second, 1000 * time.Second},
		{ratelimit.ExternalAPI, 100, 0, 750 * time.Millisecond},
		{ratelimit.ExternalAPI, 1100, 100 * time.Second, 100 * time.Second},
		{ratelimit.ExternalAPI, 50_000, 999 * time.Second, 1000 * time.Second},
		{ratelimit.Gentle, 10, 0, 5 * time.Second},
		{ratelimit.Gentle, 110, 100 * time.Second, 100 * time.Second},
		{ratelimit.Gentle, 50_000, 30 * time.Minute, 30 * time.Minute},
	} {
		synctest.Test(t, func(t *testing.T) {
			l, err := ratelimit.Build[int](ratelimit.Config{Preset: tt.preset})
			require.NoError(t, err)
			longest := flood(l, tt.n)
			require.GreaterOrEqual(t, longest, tt.min, "%s, %d", tt.preset, tt.n)
			require.LessOrEqual(t, longest, tt.max, "%s, %d", tt.preset, tt.n)
		})
	}
}

// A server's hint is heard by those presets that say so, up to an hour.
func TestPresetHints(t *testing.T) {
	for p, heard := range map[ratelimit.Preset]bool{ratelimit.Default: false, ratelimit.InCluster: false, ratelimit.ExternalAPI: true, ratelimit.Gentle: true} {
		l, err := ratelimit.Build[string](ratelimit.Config{Preset: p})
		require.NoError(t, err)
		require.Equal(t, heard, l.WhenError("a", patience(time.Minute), "throttled") >= time.Minute, p)
		require.LessOrEqual(t, l.WhenError("a", patience(24*time.Hour), "throttled"), time.Hour, p)
	}
}

// A preset is made anew each time: who changes its numbers changes nobody else's.
func TestPresetConfig(t *testing.T) {
	for _, p := range []ratelimit.Preset{"", ratelimit.Default, ratelimit.InCluster, ratelimit.ExternalAPI, ratelimit.Gentle} {
		c, ok := p.Config()
		require.True(t, ok)
		require.NoError(t, c.Validate(), p)
		require.Empty(t, c.Preset)
		again, _ := p.Config()
		tunable, err := ratelimit.NewTunable[string](ratelimit.Config{Preset: p})
		require.NoError(t, err)
		if c.RetryAfter != nil {
			c.RetryAfter.Limiter.MaxOf[1].Bucket.Rate = 99
		}
		require.Equal(t, again, tunable.Config(), p)
	}
	_, ok := ratelimit.Preset("default").Config()
	require.False(t, ok)
}
