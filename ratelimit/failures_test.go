package ratelimit_test

import (
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/ratelimit"
)

// tally is what failures are in the plainest words: how many, and when the last was.
type tally struct {
	n    int
	last time.Time
}

// Failures are counted right while they are remembered: for one period at the least,
// and for three at the most. In between either may be.
func TestFailuresModel_RL06(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	const period = 11 * time.Minute
	for range 20 {
		synctest.Test(t, func(t *testing.T) {
			l := ratelimit.NewConstant[int](ratelimit.ConstantOptions{Delay: time.Minute, TTL: 10 * time.Minute})
			model := map[int]tally{}
			for range 5000 {
				time.Sleep(time.Duration(random.ExpFloat64() * float64(time.Minute)))
				if random.IntN(500) == 0 {
					time.Sleep(time.Duration(random.IntN(40)) * time.Minute)
				}
				k := random.IntN(30)
				was := model[k]
				switch random.IntN(10) {
				case 0:
					l.Forget(k)
					delete(model, k)
					require.Zero(t, l.NumRequeues(k))
				case 1, 2:
					if n := l.NumRequeues(k); n != 0 || time.Since(was.last) < period {
						require.Equal(t, was.n, n)
					}
				default:
					require.Equal(t, time.Minute, l.When(k))
					n := l.NumRequeues(k)
					if n != 1 || time.Since(was.last) < period {
						require.Equal(t, was.n+1, n)
					}
					model[k] = tally{n, time.Now()}
				}
				if n := l.NumRequeues(k); n != 0 {
					require.LessOrEqual(t, ratelimit.Items[int](l), 30)
				}
			}
			time.Sleep(3 * period)
			for range 20 {
				l.When(-1)
				time.Sleep(period / 10)
			}
			require.Equal(t, 1, ratelimit.Items[int](l), "all others are gone")
		})
	}
}

// RL06: items that go on failing take no more than when they began, once all of them
// have since the young became the old.
func TestFailingItemsTakeNoMore_RL06(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const items = 1000 // A map of so few is not rebuilt.
		l := ratelimit.NewExponential[int](ratelimit.ExponentialOptions{MaxDelay: time.Minute, TTL: time.Minute})
		fail := func() int64 {
			for i := range items {
				l.When(i)
			}
			return heapInUse()
		}
		before := heapInUse()
		began := fail() - before
		for range 10 {
			time.Sleep(time.Minute)
			fail() // in the midst of which they do, every other time
			require.Less(t, fail()-before, began*3/2)
		}
		require.Equal(t, items, ratelimit.Items(l))
		require.Equal(t, time.Minute, l.When(0), "none began anew")
	})
}

// Uptime is of no account: after years an item is counted and dropped as ever.
func TestFailuresAfterYears(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := exponential(ratelimit.ExponentialOptions{})
		for range 20 {
			time.Sleep(10 * 365 * 24 * time.Hour)
			require.Equal(t, 5*time.Millisecond, l.When("k"))
			require.Equal(t, 10*time.Millisecond, l.When("k"))
			require.Equal(t, 1, ratelimit.Items(l))
		}
	})
}
