package ratelimit_test

import (
	"errors"
	"math"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/util/workqueue"

	"github.com/trimtab/trimtab/ratelimit"
)

var errBroken = errors.New("broken")

// limited is a limiter and what is documented of it.
type limited struct {
	build  func() workqueue.TypedRateLimiter[string]
	max    time.Duration // of every delay
	zero   bool          // a delay may be zero
	counts bool          // by item
}

type limiters = workqueue.TypedRateLimiter[string]

func exponential(opts ratelimit.ExponentialOptions) limiters {
	return ratelimit.NewExponential[string](opts)
}

func bucket(opts ratelimit.BucketOptions) limiters { return ratelimit.NewBucket[string](opts) }

func perFirstLetter(build func() limiters) *ratelimit.PerGroup[string] {
	return ratelimit.NewPerGroup(ratelimit.PerGroupOptions[string]{
		Group: func(item string) string { return item[:1] },
		New:   func(string) limiters { return build() },
	})
}

func tunable(c ratelimit.Config) *ratelimit.Tunable[string] {
	t, err := ratelimit.NewTunable[string](c)
	if err != nil {
		panic(err)
	}
	return t
}

// everyLimiter is one of each kind, and some of several.
func everyLimiter() map[string]limited {
	jittered := ratelimit.ExponentialOptions{Jitter: 1}
	budgeted := func() limiters {
		return ratelimit.NewBudgeted(ratelimit.BudgetedOptions[string]{
			Budget: ratelimit.NewBudget(ratelimit.BudgetOptions{}), Limiter: exponential(jittered),
		})
	}
	return map[string]limited{
		"Exponential":        {func() limiters { return exponential(ratelimit.ExponentialOptions{}) }, 1000 * time.Second, false, true},
		"Exponential jitter": {func() limiters { return exponential(jittered) }, 1000 * time.Second, false, true},
		"Exponential widest": {func() limiters {
			return exponential(ratelimit.ExponentialOptions{BaseDelay: 1, MaxDelay: math.MaxInt64, Jitter: 1})
		}, math.MaxInt64, false, true},
		"FastSlow": {func() limiters { return ratelimit.NewFastSlow[string](ratelimit.FastSlowOptions{Jitter: 1}) }, 1000 * time.Second, false, true},
		"Constant": {func() limiters {
			return ratelimit.NewConstant[string](ratelimit.ConstantOptions{Delay: time.Second, Jitter: 1})
		}, time.Second, false, true},
		"Bucket":   {func() limiters { return bucket(ratelimit.BucketOptions{}) }, 1000 * time.Second, true, false},
		"PerGroup": {func() limiters { return perFirstLetter(func() limiters { return exponential(jittered) }) }, 1000 * time.Second, false, true},
		"MaxOf": {func() limiters {
			return ratelimit.NewMaxOf(exponential(jittered), bucket(ratelimit.BucketOptions{}))
		}, 1000 * time.Second, false, true},
		"Capped": {func() limiters { return ratelimit.NewCapped(exponential(jittered), time.Second) }, time.Second, false, true},
		"ByError": {func() limiters {
			return ratelimit.NewByError(ratelimit.ByErrorOptions[string]{Default: exponential(jittered)})
		}, 1000 * time.Second, false, true},
		"RetryAfter": {func() limiters {
			return ratelimit.NewRetryAfter(ratelimit.RetryAfterOptions[string]{Limiter: exponential(jittered), Jitter: 1})
		}, 1000 * time.Second, false, true},
		"Budgeted": {budgeted, 1000 * time.Second, false, true},
		"Observe":  {func() limiters { return ratelimit.Observe(exponential(jittered), func(string, time.Duration) {}) }, 1000 * time.Second, false, true},
		"Tunable":  {func() limiters { return tunable(ratelimit.Config{}) }, 1000 * time.Second, false, true},
		"all presets": {func() limiters {
			return ratelimit.NewMaxOf[string](
				tunable(ratelimit.Config{Preset: ratelimit.InCluster}), tunable(ratelimit.Config{Preset: ratelimit.ExternalAPI}),
				tunable(ratelimit.Config{Preset: ratelimit.Gentle}))
		}, 30 * time.Minute, false, true},
	}
}

func everyOne(t *testing.T, test func(t *testing.T, l limited)) {
	t.Helper()
	for name, l := range everyLimiter() {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { test(t, l) })
		})
	}
}

// A delay is never negative, zero only where a limiter says so, and never over the
// maximum, jitter included, nor after years.
func TestEveryLimiterKeepsItsRange_RL01(t *testing.T) {
	everyOne(t, func(t *testing.T, l limited) {
		t.Helper()
		limiter := l.build()
		for i := range 2000 {
			if i%500 == 0 {
				time.Sleep(time.Duration(i) * 100 * time.Hour) // years
			}
			d := ask(limiter, "a", errBroken, "error")
			require.LessOrEqual(t, d, l.max)
			require.GreaterOrEqual(t, d, time.Duration(0))
			if !l.zero {
				require.Positive(t, d)
			}
		}
	})
}

// ask asks as package queue does.
func ask(l limiters, item string, err error, class string) time.Duration {
	if aware, ok := l.(ratelimit.ErrorAware[string]); ok {
		return aware.WhenError(item, err, class)
	}
	return l.When(item)
}

// What is counted by item is counted for each alone, and ends with Forget.
func TestEveryLimiterCountsEachItem_RL19(t *testing.T) {
	everyOne(t, func(t *testing.T, l limited) {
		t.Helper()
		limiter := l.build()
		limiter.Forget("a")
		require.Zero(t, limiter.NumRequeues("a"))
		for range 5 {
			limiter.When("a")
		}
		limiter.When("ab")
		if !l.counts {
			require.Zero(t, limiter.NumRequeues("a"))
			return
		}
		require.Equal(t, 5, limiter.NumRequeues("a"))
		require.Equal(t, 1, limiter.NumRequeues("ab"))
		limiter.Forget("a")
		require.Zero(t, limiter.NumRequeues("a"))
		require.Equal(t, 1, limiter.NumRequeues("ab"))
		limiter.When("a")
		require.Equal(t, 1, limiter.NumRequeues("a"))
	})
}

// Warm items cost no memory.
func TestEveryLimiterAllocates(t *testing.T) {
	for name, l := range everyLimiter() {
		t.Run(name, func(t *testing.T) {
			limiter := l.build()
			ask(limiter, "k", errBroken, "error")
			require.Zero(t, testing.AllocsPerRun(1000, func() {
				limiter.When("k")
				ask(limiter, "k", errBroken, "error")
				limiter.NumRequeues("k")
				limiter.Forget("absent")
			}))
			require.Zero(t, testing.AllocsPerRun(1000, func() {
				limiter.Forget("k")
				limiter.When("k")
			}), "forgotten and back")
		})
	}
}

// Many workers at once lose no failure.
func TestEveryLimiterIsConcurrent(t *testing.T) {
	const workers, each = 16, 500
	for name, l := range everyLimiter() {
		t.Run(name, func(t *testing.T) {
			limiter := l.build()
			var wg sync.WaitGroup
			for w := range workers {
				wg.Go(func() {
					own := string(rune('A' + w))
					for range each {
						limiter.When("shared")
						ask(limiter, own, errBroken, "conflict")
						limiter.NumRequeues("shared")
						limiter.Forget(own)
					}
				})
			}
			wg.Wait()
			if l.counts {
				require.Equal(t, workers*each, limiter.NumRequeues("shared"))
			}
			require.Zero(t, limiter.NumRequeues("A"))
		})
	}
}

// RL06: what failed once and vanished is gone after two periods, with the next
// failure of another, and so is its memory.
func TestItemsThatVanish_RL06(t *testing.T) {
	const period = 1000*time.Second + time.Hour
	for name, build := range map[string]func() workqueue.TypedRateLimiter[int]{
		"Exponential": func() workqueue.TypedRateLimiter[int] {
			return ratelimit.NewExponential[int](ratelimit.ExponentialOptions{})
		},
		"FastSlow": func() workqueue.TypedRateLimiter[int] { return ratelimit.NewFastSlow[int](ratelimit.FastSlowOptions{}) },
		"Constant": func() workqueue.TypedRateLimiter[int] {
			return ratelimit.NewConstant[int](ratelimit.ConstantOptions{Delay: 1000 * time.Second})
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := build()
				before := heapInUse()
				for i := range 10_000 {
					l.When(i)
				}
				full := heapInUse() - before
				require.Greater(t, full, int64(100_000), "the test would show nothing")
				require.Equal(t, 10_000, ratelimit.Items(l))

				time.Sleep(period - 1)
				require.Equal(t, 2, 1+l.NumRequeues(5), "one period at the least")
				l.When(10_000)
				require.Equal(t, 10_001, ratelimit.Items(l))

				time.Sleep(2 * period)
				l.When(10_001)
				require.Equal(t, 1, ratelimit.Items(l))
				require.Less(t, heapInUse()-before, full/20)
				runtime.KeepAlive(l)
			})
		})
	}
}

// RL06: while others go on failing, what vanished is gone after two periods, too.
func TestItemsThatVanishBesideOthers_RL06(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := ratelimit.NewExponential[int](ratelimit.ExponentialOptions{MaxDelay: time.Minute, TTL: time.Hour})
		for i := range 1000 {
			l.When(i)
		}
		for start := time.Now(); time.Since(start) < 2*61*time.Minute; {
			time.Sleep(l.When(-1))
		}
		for range 16 { // Two looks at the time, which come every eighth call.
			time.Sleep(l.When(-1))
		}
		require.Equal(t, 1, ratelimit.Items(l))
		require.Equal(t, time.Minute, l.When(-1), "what still fails goes on where it was")
	})
}

// RL06: what still fails never starts anew, neither with the shortest TTL, nor at the
// bound, nor beyond it.
func TestStillFailingItemsStay_RL06(t *testing.T) {
	const bound = 10
	for name, build := range map[string]func() workqueue.TypedRateLimiter[int]{
		"Exponential": func() workqueue.TypedRateLimiter[int] {
			return ratelimit.NewExponential[int](ratelimit.ExponentialOptions{MaxDelay: time.Minute, TTL: 1, MaxItems: bound})
		},
		"FastSlow": func() workqueue.TypedRateLimiter[int] {
			return ratelimit.NewFastSlow[int](ratelimit.FastSlowOptions{SlowDelay: time.Minute, TTL: 1, MaxItems: bound})
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := build()
				next := map[int]time.Time{}
				var last [bound + 5]time.Duration
				for start := time.Now(); time.Since(start) < 24*time.Hour; time.Sleep(time.Second) {
					for k := range last {
						if now := time.Now(); !now.Before(next[k]) {
							d := l.When(k)
							require.GreaterOrEqual(t, d, last[k], "item %d after %v", k, now.Sub(start))
							next[k], last[k] = now.Add(d), d
							if k >= bound {
								require.Equal(t, time.Minute, d, "beyond the bound")
							}
						}
					}
					require.LessOrEqual(t, ratelimit.Items(l), bound)
				}
				l.Forget(0) // makes room
				require.Less(t, l.When(bound), time.Minute)
			})
		})
	}
}
