package ratelimit_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/ratelimit"
)

// RL08: of two queues that have one limiter, the success in one leaves the other's
// backoff, whatever the limiter is made of; and what is released is whole again.
func TestOwn_RL08(t *testing.T) {
	for name, l := range everyLimiter() {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				limiter := l.build()
				first, release, shared := ratelimit.Own(limiter)
				require.False(t, shared)
				require.Same(t, limiter, first)

				second, releaseSecond, shared := ratelimit.Own(limiter)
				require.Equal(t, l.counts, shared)
				if !shared {
					return
				}
				require.IsType(t, first, second)
				for range 3 {
					first.When("k")
				}
				require.Zero(t, second.NumRequeues("k"))
				second.When("k")
				second.Forget("k")
				require.Equal(t, 3, first.NumRequeues("k"))

				_, releaseThird, shared := ratelimit.Own(limiter)
				require.True(t, shared)
				releaseThird()
				releaseSecond()
				_, _, shared = ratelimit.Own(limiter)
				require.True(t, shared, "the first still has it")

				release()
				again, _, shared := ratelimit.Own(limiter)
				require.False(t, shared)
				require.Same(t, limiter, again)
				require.Equal(t, 3, again.NumRequeues("k"))
				release()
				_, _, shared = ratelimit.Own(limiter)
				require.True(t, shared, "a second release frees nothing that is another's")
			})
		})
	}
}

// RL08: limiters that differ share what counts, deep inside.
func TestOwnOfAPart_RL08(t *testing.T) {
	inner := exponential(ratelimit.ExponentialOptions{BaseDelay: time.Second})
	tuned := tunable(ratelimit.Config{})
	for name, tt := range map[string]struct{ a, b limiters }{
		"composed":  {ratelimit.NewCapped(inner, time.Hour), ratelimit.NewMaxOf(bucket(ratelimit.BucketOptions{}), inner)},
		"classes":   {byError(map[string]limiters{"a": inner}), retryAfter(ratelimit.RetryAfterOptions[string]{Limiter: inner})},
		"a tunable": {ratelimit.NewMaxOf[string](tuned), ratelimit.NewCapped[string](tuned, time.Hour)},
	} {
		t.Run(name, func(t *testing.T) {
			a, release, shared := ratelimit.Own(tt.a)
			require.False(t, shared)
			defer release()
			b, releaseB, shared := ratelimit.Own(tt.b)
			require.True(t, shared)
			defer releaseB()
			a.Forget("k")
			ask(a, "k", errBroken, "a")
			b.Forget("k")
			require.Equal(t, 1, a.NumRequeues("k"))
		})
	}
}

// A limiter that is in one place twice, or of two classes, is no other queue's.
func TestOwnOfALimiterTwice_RL08(t *testing.T) {
	one := exponential(ratelimit.ExponentialOptions{BaseDelay: time.Second})
	l := byError(map[string]limiters{"conflict": one, "throttled": one})
	_, _, shared := ratelimit.Own[string](l)
	require.False(t, shared)
	own, _, shared := ratelimit.Own[string](l)
	require.True(t, shared)
	require.Equal(t, time.Second, ask(own, "k", errBroken, "conflict"))
	require.Equal(t, 2*time.Second, ask(own, "k", errBroken, "throttled"), "it is one there as well")
	require.Zero(t, one.NumRequeues("k"))
}

// A user's own limiter is as it is, even if one of ours is embedded in it.
func TestOwnOfAUsersLimiter_RL08(t *testing.T) {
	mine := patient{ratelimit.NewExponential[string](ratelimit.ExponentialOptions{})}
	for range 2 {
		own, release, shared := ratelimit.Own[string](mine)
		require.False(t, shared)
		require.Equal(t, mine, own)
		release()
	}
	require.PanicsWithError(t, "ratelimit: Own: limiter 0 <nil>(nil): must be a limiter", func() { ratelimit.Own[string](nil) })
}

// RL16: a bucket and a budget are there to be shared, and are, by every queue.
func TestOwnSharesBucketsAndBudgets_RL16(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		budget := ratelimit.NewBudget(ratelimit.BudgetOptions{MinRate: 1, Burst: 2, Share: 1e-9})
		tiny := ratelimit.ConstantOptions{Delay: 1}
		for name, l := range map[string]limiters{
			"bucket": bucket(ratelimit.BucketOptions{Rate: 1, Burst: 2}),
			"composed": ratelimit.NewMaxOf[string](
				ratelimit.NewConstant[string](tiny), bucket(ratelimit.BucketOptions{Rate: 1, Burst: 2})),
			"tunable": tunable(ratelimit.Config{MaxOf: []ratelimit.Config{{Constant: &tiny}, {Bucket: &ratelimit.BucketOptions{Rate: 1, Burst: 2}}}}),
			"budget": ratelimit.NewBudgeted(ratelimit.BudgetedOptions[string]{
				Budget: budget, Limiter: ratelimit.NewConstant[string](tiny),
			}),
		} {
			a, releaseA, _ := ratelimit.Own(l)
			b, releaseB, _ := ratelimit.Own(l)
			atOnce := 0
			for range 5 {
				for _, one := range []limiters{a, b} {
					if one.When("k") <= 1 {
						atOnce++
					}
				}
			}
			require.Equal(t, 2, atOnce, name)
			releaseB()
			releaseA()
		}
		require.Equal(t, 1, budget.Members(), "the like of a member has left with its queue")
	})
}

// RL16: of what Tunable builds the like follows, keeps its counts, and shares.
func TestOwnOfATunableFollows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := tunable(ratelimit.Config{})
		_, release, _ := ratelimit.Own[string](l)
		defer release()
		sibling, end, shared := ratelimit.Own[string](l)
		require.True(t, shared)
		sibling.When("k")
		require.NoError(t, l.Tune(ratelimit.Config{MaxOf: []ratelimit.Config{
			{Exponential: &ratelimit.ExponentialOptions{BaseDelay: time.Second}}, {Bucket: &ratelimit.BucketOptions{Rate: 0.1, Burst: 1}},
		}}))
		require.Equal(t, 2*time.Second, sibling.When("k"), "its count stays")
		require.Equal(t, 10*time.Second, l.When("k"), "the token is taken")

		require.NoError(t, l.Tune(ratelimit.Config{Budget: &ratelimit.BudgetConfig{
			BudgetOptions: ratelimit.BudgetOptions{MinRate: 0.1, Burst: 1, Share: 1e-9},
			Limiter:       ratelimit.Config{Exponential: &ratelimit.ExponentialOptions{BaseDelay: time.Second}},
		}}))
		require.Equal(t, 4*time.Second, sibling.When("k"))
		require.Greater(t, l.When("k"), 9*time.Second, "the budget is one")
		require.NoError(t, l.Tune(l.Config()))
		require.Greater(t, l.When("other"), 19*time.Second, "and stays")

		end()
		require.NoError(t, l.Tune(ratelimit.Config{Exponential: &ratelimit.ExponentialOptions{BaseDelay: time.Hour, MaxDelay: 2 * time.Hour}}))
		require.Less(t, sibling.When("fresh"), time.Hour, "it follows no more")
	})
}

// Many queues that begin and end at once: nobody shares, and nothing is lost.
func TestOwnIsConcurrent(t *testing.T) {
	l := byError(map[string]limiters{
		"a": exponential(ratelimit.ExponentialOptions{}), "b": exponential(ratelimit.ExponentialOptions{}),
	})
	var holders, most atomic.Int32
	var wg sync.WaitGroup
	for w := range 16 {
		wg.Go(func() {
			for range 200 {
				own, release, shared := ratelimit.Own[string](l)
				if !shared {
					most.Store(max(most.Load(), holders.Add(1)))
				}
				ask(own, fmt.Sprint(w), errBroken, "a")
				own.Forget(fmt.Sprint(w))
				if !shared {
					holders.Add(-1)
				}
				release()
			}
		})
	}
	wg.Wait()
	require.LessOrEqual(t, most.Load(), int32(1))
	_, _, shared := ratelimit.Own[string](l)
	require.False(t, shared)
}
