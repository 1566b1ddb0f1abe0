package ratelimit_test

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/ratelimit"
)

// RL22: what one tenant uses up makes no other wait.
func TestPerGroupKeepsTenantsApart_RL22(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := perFirstLetter(func() limiters { return bucket(ratelimit.BucketOptions{Rate: 1, Burst: 3}) })
		for range 3 {
			require.Zero(t, l.When("a1"))
		}
		require.Equal(t, time.Second, l.When("a2"), "one bucket for the tenant")
		require.Zero(t, l.When("b1"))
	})
}

func TestPerGroupTellsTheError(t *testing.T) {
	l := perFirstLetter(func() limiters { return retryAfter(ratelimit.RetryAfterOptions[string]{}) })
	require.Equal(t, time.Minute, l.WhenError("a", durationHint(time.Minute), ""))
}

// Nobody makes a limiter for what does not fail.
func TestPerGroupMakesNothingForASuccess(t *testing.T) {
	l := perFirstLetter(func() limiters { panic("New") })
	l.Forget("a")
	require.Zero(t, l.NumRequeues("a"))
}

func TestPerGroupWithoutALimiter(t *testing.T) {
	l := perFirstLetter(func() limiters { return nil })
	require.Equal(t, 5*time.Millisecond, l.When("a"))
	require.Equal(t, 10*time.Millisecond, l.When("a"))
}

// RL06: a group that vanished is forgotten, one that still fails is not.
func TestPerGroupForgetsGroups_RL06(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := ratelimit.NewPerGroup(ratelimit.PerGroupOptions[string]{
			Group: func(item string) string { return item },
			New:   func(string) limiters { return exponential(ratelimit.ExponentialOptions{}) },
		})
		before := heapInUse()
		for i := range 10_000 {
			l.When(fmt.Sprint(i))
		}
		full := heapInUse() - before
		require.Equal(t, 10_000, l.Groups())
		for start := time.Now(); time.Since(start) < 4*time.Hour+1000*time.Second; {
			time.Sleep(l.When("failing"))
		}
		require.Equal(t, 1, l.Groups())
		require.Equal(t, 1000*time.Second, l.When("failing"))
		require.Less(t, heapInUse()-before, full/20)
	})
}

// heapInUse returns how many bytes are in use.
func heapInUse() int64 {
	runtime.GC()
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return int64(s.HeapAlloc) //nolint:gosec // It fits.
}

// Those that fail at once get one limiter.
func TestPerGroupIsConcurrent(t *testing.T) {
	const workers = 16
	l := perFirstLetter(func() limiters { return exponential(ratelimit.ExponentialOptions{}) })
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() { l.When("a") })
	}
	wg.Wait()
	require.Equal(t, workers, l.NumRequeues("a"))
}

func TestPerGroupValidate(t *testing.T) {
	group, build := func(string) string { return "" }, func(string) limiters { return nil }
	for want, opts := range map[string]ratelimit.PerGroupOptions[string]{
		"ratelimit: Group is nil, want a function": {New: build},
		"ratelimit: New is nil, want a function":   {Group: group},
		"ratelimit: TTL is -1ns, want at least 0":  {Group: group, New: build, TTL: -1},
	} {
		require.EqualError(t, opts.Validate(), want)
		require.PanicsWithError(t, want, func() { ratelimit.NewPerGroup(opts) })
	}
}
