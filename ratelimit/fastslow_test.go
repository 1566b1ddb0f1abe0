package ratelimit_test

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/ratelimit"
)

func TestFastSlowDelays(t *testing.T) {
	small := ratelimit.FastSlowOptions{FastAttempts: 3, SlowDelay: 10 * time.Second}
	for _, tt := range []struct {
		name     string
		opts     ratelimit.FastSlowOptions
		failures int // before
		want     time.Duration
	}{
		{"default, first", ratelimit.FastSlowOptions{}, 0, 5 * time.Millisecond},
		{"default, fifth", ratelimit.FastSlowOptions{}, 4, 5 * time.Millisecond},
		{"default, sixth", ratelimit.FastSlowOptions{}, 5, 1000 * time.Second},
		{"third", small, 2, 5 * time.Millisecond},
		{"fourth", small, 3, 10 * time.Second},
		{"RL01 1024", small, 1024, 10 * time.Second},
		{"RL01 a billion", small, 1_000_000_000, 10 * time.Second},
		{"RL01 saturated", small, math.MaxInt32, 10 * time.Second},
		{"more attempts than are counted", ratelimit.FastSlowOptions{FastAttempts: math.MaxInt}, math.MaxInt32, 5 * time.Millisecond},
		{"widest", ratelimit.FastSlowOptions{FastDelay: 1, SlowDelay: math.MaxInt64}, 5, math.MaxInt64},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := ratelimit.NewFastSlow[string](tt.opts)
			ratelimit.SetFailures[string](l, "a", tt.failures)
			require.Equal(t, tt.want, l.When("a"))
			require.Equal(t, min(tt.failures+1, math.MaxInt32), l.NumRequeues("a"))
		})
	}
}

func TestFastSlowValidate_RL02(t *testing.T) {
	for want, opts := range map[string]ratelimit.FastSlowOptions{
		"ratelimit: FastDelay is -1ns, want at least 0":             {FastDelay: -1},
		"ratelimit: SlowDelay is -1ns, want at least 0":             {SlowDelay: -1},
		"ratelimit: SlowDelay is 1ms, want at least FastDelay, 5ms": {SlowDelay: time.Millisecond},
		"ratelimit: FastAttempts is -1, want at least 0":            {FastAttempts: -1},
		"ratelimit: Jitter is NaN, want a number from 0 to 1":       {Jitter: math.NaN()},
		"ratelimit: TTL is -1s, want at least 0":                    {TTL: -time.Second},
		"ratelimit: MaxItems is -1, want at least 0":                {MaxItems: -1},
	} {
		require.EqualError(t, opts.Validate(), want)
		require.PanicsWithError(t, want, func() { ratelimit.NewFastSlow[string](opts) })
	}
}

// RQ30: what is declared for an hour is tried seldom while it fails: soon at first, and
// then no more than the hour says, which leaves 24 tries a day.
func TestFastSlowKeepsToItsInterval_RQ30(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := ratelimit.NewFastSlow[string](ratelimit.FastSlowOptions{FastDelay: time.Second, FastAttempts: 1, SlowDelay: time.Hour + 3*time.Minute})
		start, tries := time.Now(), 0
		for ; time.Since(start) < 24*time.Hour; tries++ {
			d := l.When("daily")
			if tries == 0 {
				require.Equal(t, time.Second, d, "what soon passes is mended within seconds")
			}
			time.Sleep(d)
		}
		require.LessOrEqual(t, tries, 24)
	})
}

// FuzzFastSlowStaysBetween: a delay is more than zero, at most its own, never shorter
// than the one before without jitter, and never longer with it.
func FuzzFastSlowStaysBetween(f *testing.F) {
	f.Add(int64(0), int64(0), 0, 0.0, uint32(0))
	f.Add(int64(1), int64(math.MaxInt64), 3, 1.0, uint32(3))
	f.Fuzz(func(t *testing.T, fast, slow int64, attempts int, jitter float64, n uint32) {
		opts := ratelimit.FastSlowOptions{FastDelay: time.Duration(fast), SlowDelay: time.Duration(slow), FastAttempts: attempts, Jitter: jitter}
		if opts.Validate() != nil {
			return
		}
		jittered := ratelimit.NewFastSlow[string](opts)
		opts.Jitter = 0
		exact := ratelimit.NewFastSlow[string](opts)
		ratelimit.SetFailures[string](jittered, "k", int(n/2))
		ratelimit.SetFailures[string](exact, "k", int(n/2))
		first := exact.When("k")
		if d := jittered.When("k"); d <= 0 || d > first {
			t.Fatalf("%+v: %v with jitter, %v without", opts, d, first)
		}
		if second := exact.When("k"); second < first {
			t.Fatalf("%+v: %v, then %v", opts, first, second)
		}
	})
}
