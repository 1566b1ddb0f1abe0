package ratelimit_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/util/workqueue"

	"github.com/trimtab/trimtab/ratelimit"
)

// fail lets item fail n times and returns the last delay.
func fail(l workqueue.TypedRateLimiter[string], item string, n int) (last time.Duration) {
	for range n {
		last = l.When(item)
	}
	return last
}

func TestExponentialDelays(t *testing.T) {
	inCluster := ratelimit.ExponentialOptions{}
	external := ratelimit.ExponentialOptions{BaseDelay: 750 * time.Millisecond, MaxDelay: 15 * time.Minute}
	for _, tt := range []struct {
		name     string
		opts     ratelimit.ExponentialOptions
		failures int // before
		want     time.Duration
	}{
		{"RL01 first", inCluster, 0, 5 * time.Millisecond},
		{"RL01 last below max", inCluster, 17, 655360 * time.Millisecond},
		{"RL01 max", inCluster, 18, 1000 * time.Second},
		{"RL01 64", inCluster, 64, 1000 * time.Second},
		{"RL01 1024", inCluster, 1024, 1000 * time.Second},
		{"RL01 2000", inCluster, 2000, 1000 * time.Second},
		{"RL01 a billion", inCluster, 1_000_000_000, 1000 * time.Second},
		{"RL01 saturated", inCluster, math.MaxInt32, 1000 * time.Second},
		{"RL01 widest, 62", ratelimit.ExponentialOptions{BaseDelay: 1, MaxDelay: math.MaxInt64}, 62, 1 << 62},
		{"RL01 widest, 63", ratelimit.ExponentialOptions{BaseDelay: 1, MaxDelay: math.MaxInt64}, 63, math.MaxInt64},
		{"RL01 widest, 64", ratelimit.ExponentialOptions{BaseDelay: 1, MaxDelay: math.MaxInt64}, 64, math.MaxInt64},
		{"RL01 widest, 1024", ratelimit.ExponentialOptions{BaseDelay: 1, MaxDelay: math.MaxInt64}, 1024, math.MaxInt64},
		{"RL03 first", external, 0, 750 * time.Millisecond},
		{"RL03 eleventh", external, 10, 768 * time.Second},
		{"RL03 twelfth", external, 11, 900 * time.Second},
		{"RL04 low ceiling", ratelimit.ExponentialOptions{MaxDelay: 10 * time.Second}, 30, 10 * time.Second},
		{"base is max", ratelimit.ExponentialOptions{BaseDelay: time.Second, MaxDelay: time.Second}, 0, time.Second},
		{"base is max, later", ratelimit.ExponentialOptions{BaseDelay: time.Second, MaxDelay: time.Second}, 9, time.Second},
		{"factor 1", ratelimit.ExponentialOptions{Factor: 1}, 1_000_000_000, 5 * time.Millisecond},
		{"factor 1.5", ratelimit.ExponentialOptions{BaseDelay: 2 * time.Second, Factor: 1.5}, 2, 4500 * time.Millisecond},
		{"factor of a giant", ratelimit.ExponentialOptions{Factor: math.MaxFloat64}, 2, 1000 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := ratelimit.NewExponential[string](tt.opts)
			ratelimit.SetFailures[string](l, "a", tt.failures)
			require.Equal(t, tt.want, l.When("a"))
			require.Equal(t, min(tt.failures+1, math.MaxInt32), l.NumRequeues("a"))
		})
	}
}

func TestExponentialValidate_RL02(t *testing.T) {
	for _, tt := range []struct {
		opts ratelimit.ExponentialOptions
		want string
	}{
		{ratelimit.ExponentialOptions{}, ""},
		{ratelimit.ExponentialOptions{Factor: 1, Jitter: 1}, ""},
		{ratelimit.ExponentialOptions{BaseDelay: 1, MaxDelay: 1}, ""},
		{ratelimit.ExponentialOptions{BaseDelay: math.MaxInt64, MaxDelay: math.MaxInt64, Factor: math.MaxFloat64}, ""},
		{ratelimit.ExponentialOptions{BaseDelay: -time.Second}, "ratelimit: BaseDelay is -1s, want at least 0"},
		{ratelimit.ExponentialOptions{MaxDelay: -time.Second}, "ratelimit: MaxDelay is -1s, want at least 0"},
		{ratelimit.ExponentialOptions{BaseDelay: time.Hour}, "ratelimit: MaxDelay is 16m40s, want at least BaseDelay, 1h0m0s"},
		{ratelimit.ExponentialOptions{MaxDelay: time.Millisecond}, "ratelimit: MaxDelay is 1ms, want at least BaseDelay, 5ms"},
		{ratelimit.ExponentialOptions{Factor: 0.5}, "ratelimit: Factor is 0.5, want a finite number of at least 1"},
		{ratelimit.ExponentialOptions{Factor: -2}, "ratelimit: Factor is -2, want a finite number of at least 1"},
		{ratelimit.ExponentialOptions{Factor: math.NaN()}, "ratelimit: Factor is NaN, want a finite number of at least 1"},
		{ratelimit.ExponentialOptions{Factor: math.Inf(1)}, "ratelimit: Factor is +Inf, want a finite number of at least 1"},
		{ratelimit.ExponentialOptions{Jitter: -0.1}, "ratelimit: Jitter is -0.1, want a number from 0 to 1"},
		{ratelimit.ExponentialOptions{Jitter: 1.1}, "ratelimit: Jitter is 1.1, want a number from 0 to 1"},
		{ratelimit.ExponentialOptions{Jitter: math.NaN()}, "ratelimit: Jitter is NaN, want a number from 0 to 1"},
		{ratelimit.ExponentialOptions{Jitter: math.Inf(1)}, "ratelimit: Jitter is +Inf, want a number from 0 to 1"},
		{ratelimit.ExponentialOptions{BaseDelay: -1, Factor: -1}, "ratelimit: BaseDelay is -1ns, want at least 0"}, // the first one
	} {
		t.Run(fmt.Sprintf("%+v", tt.opts), func(t *testing.T) {
			err := tt.opts.Validate()
			if tt.want == "" {
				require.NoError(t, err)
				require.NotPanics(t, func() { ratelimit.NewExponential[string](tt.opts) })
				return
			}
			require.EqualError(t, err, tt.want)
			require.PanicsWithError(t, tt.want, func() { ratelimit.NewExponential[string](tt.opts) })
		})
	}
}

// RL08: what builds a limiter for each of two controllers from the same
// options gives each its own backoff.
func TestExponentialOneForEachController_RL08(t *testing.T) {
	var opts ratelimit.ExponentialOptions
	a, b := ratelimit.NewExponential[string](opts), ratelimit.NewExponential[string](opts)
	fail(a, "k", 3)
	b.When("k")
	b.Forget("k")
	require.Equal(t, 40*time.Millisecond, a.When("k"))
}

// RL15, as far as a limiter goes: asking for the count is no failure.
func TestExponentialCountsFailuresAlone_RL15(t *testing.T) {
	l := ratelimit.NewExponential[string](ratelimit.ExponentialOptions{})
	for range 100 {
		l.Forget("k")
		require.Zero(t, l.NumRequeues("k"))
	}
	require.Equal(t, 5*time.Millisecond, l.When("k"))
}

func TestExponentialForget_RL19(t *testing.T) {
	l := ratelimit.NewExponential[string](ratelimit.ExponentialOptions{BaseDelay: time.Second})
	require.Equal(t, time.Second, l.When("a"))
	require.Equal(t, 2*time.Second, l.When("a"))
	require.Equal(t, time.Second, l.When("b"), "one key's failures are no other's")
	l.Forget("a")
	require.Zero(t, l.NumRequeues("a"))
	require.Equal(t, 1, l.NumRequeues("b"))
	require.Equal(t, time.Second, l.When("a"))
	require.Equal(t, 2*time.Second, l.When("b"))
}

// RL04 and RL12, on a real work queue: the item is ready when its delay has
// passed, neither at once nor a delay later, and no later than the ceiling
// after the dependency is fixed.
func TestExponentialInQueue_RL04_RL12(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := workqueue.NewTypedRateLimitingQueue[string](ratelimit.NewExponential[string](
			ratelimit.ExponentialOptions{BaseDelay: time.Second, MaxDelay: 10 * time.Second}))
		defer q.ShutDown()

		start, fixed := time.Now(), 2*time.Minute+3*time.Second
		var tries []time.Duration
		for q.Add("k"); ; {
			k, _ := q.Get()
			now := time.Since(start)
			tries = append(tries, now)
			q.Done(k)
			if now >= fixed {
				break
			}
			q.AddRateLimited(k)
		}
		require.Equal(t, []time.Duration{0, 1e9, 3e9, 7e9, 15e9, 25e9, 35e9}, tries[:7])
		require.LessOrEqual(t, tries[len(tries)-1], fixed+10*time.Second)
	})
}

// Jitter spreads what failed together, and takes off no more than it may.
func TestExponentialJitter(t *testing.T) {
	const items = 10_000
	l := ratelimit.NewExponential[int](ratelimit.ExponentialOptions{Jitter: 0.2})
	var sum time.Duration
	tenths := map[time.Duration]int{}
	for i := range items {
		ratelimit.SetFailures[int](l, i, 30)
		d := l.When(i)
		require.Greater(t, d, 800*time.Second)
		require.LessOrEqual(t, d, 1000*time.Second)
		tenths[(d-800*time.Second)/(20*time.Second)]++
		sum += d
	}
	require.InDelta(t, 900, (sum / items).Seconds(), 3, "five standard deviations")
	for n, tenth := range tenths {
		require.InDelta(t, items/10, tenth, 150, "tenth %d: five standard deviations", n)
	}
}

// JT02: without jitter the delays are exact.
func TestExponentialWithoutJitter_JT02(t *testing.T) {
	l := ratelimit.NewExponential[int](ratelimit.ExponentialOptions{})
	for i := range 1000 {
		require.Equal(t, 5*time.Millisecond, l.When(i))
	}
}

// reference is the limiter in the plainest words.
type reference struct {
	opts     ratelimit.ExponentialOptions
	failures map[int][]time.Duration
}

func (r *reference) When(k int) time.Duration {
	d := float64(r.opts.BaseDelay)
	for range r.failures[k] {
		d = min(d*r.opts.Factor, float64(r.opts.MaxDelay))
	}
	r.failures[k] = append(r.failures[k], time.Duration(d))
	return time.Duration(d)
}

func TestExponentialModel(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	random := rand.New(rand.NewPCG(seed, 0))

	opts := ratelimit.ExponentialOptions{BaseDelay: 3 * time.Millisecond, MaxDelay: time.Minute, Factor: 4}
	model := &reference{opts: opts, failures: map[int][]time.Duration{}}
	l := ratelimit.NewExponential[int](opts)
	for range 100_000 {
		switch k := random.IntN(20); random.IntN(8) {
		case 0:
			l.Forget(k)
			delete(model.failures, k)
		case 1:
			require.Equal(t, len(model.failures[k]), l.NumRequeues(k))
		default:
			require.Equal(t, model.When(k), l.When(k))
		}
	}
}

func TestExponentialConcurrent(t *testing.T) {
	const workers, each = 8, 2000
	l := ratelimit.NewExponential[string](ratelimit.ExponentialOptions{Jitter: 0.5})
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			own := fmt.Sprint(w)
			for range each {
				l.When("shared")
				l.When(own)
				l.NumRequeues("shared")
				l.Forget(own)
			}
		})
	}
	wg.Wait()
	require.Equal(t, workers*each, l.NumRequeues("shared"), "no failure is lost")
	for w := range workers {
		require.Zero(t, l.NumRequeues(fmt.Sprint(w)))
	}
}

func TestExponentialAllocs(t *testing.T) {
	l := ratelimit.NewExponential[string](ratelimit.ExponentialOptions{Jitter: 0.2})
	l.When("k")
	require.Zero(t, testing.AllocsPerRun(1000, func() {
		l.When("k")
		l.NumRequeues("k")
		l.Forget("absent")
	}))
}

func FuzzExponential(f *testing.F) {
	f.Add(int64(0), int64(0), 0.0, 0.0, uint32(0))
	f.Add(int64(1), int64(math.MaxInt64), 2.0, 1.0, uint32(63))
	f.Add(int64(math.MaxInt64), int64(math.MaxInt64), 1.5, 1.0, uint32(1024))
	f.Add(int64(1), int64(math.MaxInt64-1), math.MaxFloat64, 0.999999999999, uint32(1e9))
	f.Fuzz(func(t *testing.T, base, ceiling int64, factor, jitter float64, n uint32) {
		opts := ratelimit.ExponentialOptions{
			BaseDelay: time.Duration(base), MaxDelay: time.Duration(ceiling), Factor: factor, Jitter: jitter,
		}
		if err := opts.Validate(); err != nil {
			require.PanicsWithError(t, err.Error(), func() { ratelimit.NewExponential[string](opts) })
			return
		}
		if ceiling == 0 {
			ceiling = int64(1000 * time.Second)
		}
		failures := int(n % (math.MaxInt32 - 1))

		jittered := ratelimit.NewExponential[string](opts)
		opts.Jitter = 0
		exact := ratelimit.NewExponential[string](opts)
		ratelimit.SetFailures[string](jittered, "k", failures)
		ratelimit.SetFailures[string](exact, "k", failures)
		before := exact.When("k")
		if d := jittered.When("k"); d <= 0 || d > before {
			t.Fatalf("%+v: %v with jitter, %v without", opts, d, before)
		}
		if before <= 0 || before > time.Duration(ceiling) {
			t.Fatalf("%+v: %v after %d failures", opts, before, failures)
		}
		// A factor within a millionth of 1 needs a billion failures to reach any
		// ceiling; their power is not exact to the nanosecond.
		if after := exact.When("k"); after < before && (factor <= 1 || factor > 1.000001) {
			t.Fatalf("%+v: %v, then %v", opts, before, after)
		}
	})
}
