package ratelimit_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/time/rate"

	"github.com/trimtab/trimtab/ratelimit"
)

func TestBucketDelays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := bucket(ratelimit.BucketOptions{})
		for range 100 {
			require.Zero(t, l.When("a"), "a hundred at once")
		}
		require.Equal(t, 100*time.Millisecond, l.When("a"))
		require.Equal(t, 200*time.Millisecond, l.When("b"), "RL16: items share it")
		time.Sleep(250 * time.Millisecond)
		require.Equal(t, 50*time.Millisecond, l.When("a"), "a part of a token")

		time.Sleep(50 * 365 * 24 * time.Hour)
		for range 100 {
			require.Zero(t, l.When("a"), "full after a long quiet, and no fuller")
		}
		require.Equal(t, 100*time.Millisecond, l.When("a"))
	})
}

func TestBucketMaxDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := bucket(ratelimit.BucketOptions{Rate: 1, Burst: 1, MaxDelay: 10 * time.Second})
		require.Zero(t, l.When("a"))
		for i := range 10 {
			require.Equal(t, time.Duration(i+1)*time.Second, l.When("a"))
		}
		for range 100 {
			require.Equal(t, 10*time.Second, l.When("a"), "is not in the line")
		}
		time.Sleep(3 * time.Second)
		require.Equal(t, 8*time.Second, l.When("a"), "so the line is no longer for it")
	})
}

func TestBucketOfOddRates(t *testing.T) {
	for _, tt := range []struct {
		opts ratelimit.BucketOptions
		want time.Duration // of the second
	}{
		{ratelimit.BucketOptions{Rate: 1e-9, Burst: 1, MaxDelay: math.MaxInt64}, 1e9 * time.Second},
		{ratelimit.BucketOptions{Rate: 1e-9, Burst: 1}, 1000 * time.Second},
		{ratelimit.BucketOptions{Rate: 1.2e-10, Burst: 1, MaxDelay: math.MaxInt64}, 8333333333333333333},
		{ratelimit.BucketOptions{Rate: 0.3, Burst: 1}, 3333333334},
		{ratelimit.BucketOptions{Rate: 1e9, Burst: 1}, 1},
		{ratelimit.BucketOptions{Rate: math.MaxFloat64, Burst: 1}, 1},
	} {
		t.Run(fmt.Sprintf("%+v", tt.opts), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := bucket(tt.opts)
				require.Zero(t, l.When("a"))
				require.InEpsilon(t, tt.want, l.When("a"), 1e-12)
				for range 100 {
					require.Positive(t, l.When("a"))
				}
				time.Sleep(292 * 365 * 24 * time.Hour)
				require.GreaterOrEqual(t, l.When("a"), time.Duration(0))
			})
		})
	}
}

func TestBucketValidate_RL02(t *testing.T) {
	for want, opts := range map[string]ratelimit.BucketOptions{
		"ratelimit: Rate is -1, want a finite number of more than 0":                {Rate: -1},
		"ratelimit: Rate is NaN, want a finite number of more than 0":               {Rate: math.NaN()},
		"ratelimit: Rate is +Inf, want a finite number of more than 0":              {Rate: math.Inf(1)},
		"ratelimit: Rate is 1e-10, want more: one would be there in over 292 years": {Rate: 1e-10},
		"ratelimit: Burst is -1, want at least 1":                                   {Burst: -1},
		"ratelimit: MaxDelay is -1ns, want at least 0":                              {MaxDelay: -1},
	} {
		require.EqualError(t, opts.Validate(), want)
		require.PanicsWithError(t, want, func() { ratelimit.NewBucket[string](opts) })
	}
}

// The bucket is x/time's, as long as no delay is over the maximum.
func TestBucketModel(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for range 100 {
		synctest.Test(t, func(t *testing.T) {
			opts := ratelimit.BucketOptions{Rate: math.Exp(random.Float64()*12 - 4), Burst: 1 + random.IntN(50), MaxDelay: math.MaxInt64}
			l, model := bucket(opts), rate.NewLimiter(rate.Limit(opts.Rate), opts.Burst)
			for range 1000 {
				time.Sleep(time.Duration(random.ExpFloat64() / opts.Rate * float64(time.Second)))
				for range random.IntN(3) {
					want := model.Reserve().Delay()
					require.InDelta(t, want, l.When("a"), 10+1e-9*float64(want), "%+v", opts)
				}
			}
		})
	}
}

// FuzzBucketDelayIsBounded: no rate, burst or quiet time makes a delay negative or
// longer than the maximum, and no more get one below it than the rate and the burst
// allow.
func FuzzBucketDelayIsBounded(f *testing.F) {
	f.Add(10.0, 100, int64(0), int64(time.Second), uint8(200))
	f.Add(1e-9, 1, int64(math.MaxInt64), int64(math.MaxInt64), uint8(3))
	f.Add(math.MaxFloat64, math.MaxInt, int64(1), int64(1), uint8(255))
	f.Fuzz(func(t *testing.T, perSecond float64, burst int, ceiling, quiet int64, n uint8) {
		opts := ratelimit.BucketOptions{Rate: perSecond, Burst: burst, MaxDelay: time.Duration(ceiling)}
		if opts.Validate() != nil || quiet < 0 {
			return
		}
		synctest.Test(t, func(t *testing.T) {
			l := bucket(opts)
			time.Sleep(time.Duration(quiet) % (200 * 365 * 24 * time.Hour))
			if ceiling == 0 {
				ceiling = int64(1000 * time.Second)
			}
			atOnce := 0
			for range n {
				d := l.When("a")
				if d < 0 || d > time.Duration(ceiling) {
					t.Fatalf("%+v: %v", opts, d)
				}
				if d == 0 {
					atOnce++
				}
			}
			if burst > 0 && atOnce > burst {
				t.Fatalf("%+v: %d at once", opts, atOnce)
			}
		})
	})
}
