package ratelimit_test

import (
	"container/heap"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/ratelimit"
)

// member returns a member whose limiter says almost nothing, so that the budget's
// delays show.
func member(b *ratelimit.Budget, weight float64) *ratelimit.Budgeted[string] {
	return ratelimit.NewBudgeted(ratelimit.BudgetedOptions[string]{
		Budget: b, Weight: weight, Limiter: ratelimit.NewConstant[string](ratelimit.ConstantOptions{Delay: 1}),
	})
}

// atOnce returns how many retries l has now, at most n.
func atOnce(l limiters, n int) int {
	for i := range n {
		if l.When("k") > 1 {
			return i
		}
	}
	return n
}

// few is a budget that no run adds to.
func few(minRate float64, burst int) ratelimit.BudgetOptions {
	return ratelimit.BudgetOptions{MinRate: minRate, Burst: burst, Share: 1e-12}
}

// outage lets items of each member fail all the time, and returns how many retries each
// member had. An item fails again as soon as its retry is due.
func outage(long time.Duration, items int, members ...*ratelimit.Budgeted[string]) []int {
	had := make([]int, len(members))
	due := &agenda{}
	for m := range members {
		for i := range items {
			heap.Push(due, retry{time.Duration(i), m})
		}
	}
	var now time.Duration
	for {
		r := heap.Pop(due).(retry)
		if r.at >= long {
			return had
		}
		time.Sleep(r.at - now)
		now = r.at
		had[r.member]++
		heap.Push(due, retry{now + members[r.member].When("k"), r.member})
	}
}

type retry struct {
	at     time.Duration
	member int
}

type agenda []retry

func (a agenda) Len() int           { return len(a) }
func (a agenda) Less(i, j int) bool { return a[i].at < a[j].at }
func (a agenda) Swap(i, j int)      { a[i], a[j] = a[j], a[i] }
func (a *agenda) Push(r any)        { *a = append(*a, r.(retry)) }
func (a *agenda) Pop() any {
	last := (*a)[len(*a)-1]
	*a = (*a)[:len(*a)-1]
	return last
}

// A member alone has all, at once and for ever.
func TestBudgetOfOneMember(t *testing.T) {
	for _, burst := range []int{1, 2, 10, 101} {
		synctest.Test(t, func(t *testing.T) {
			a := member(ratelimit.NewBudget(few(1, burst)), 7)
			require.Equal(t, burst, atOnce(a, 1000))
			time.Sleep(10 * 365 * 24 * time.Hour)
			require.Equal(t, burst, atOnce(a, 1000), "no more after a long quiet")
			time.Sleep(10 * 365 * 24 * time.Hour)
			require.InDelta(t, 1000+burst, outage(1000*time.Second, 50, a)[0], 51)
		})
	}
}

// Each run, of any member, allows a share of a retry.
func TestBudgetSharesRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := ratelimit.NewBudget(ratelimit.BudgetOptions{MinRate: 1e-6, Burst: 100, Share: 0.1})
		a, other := member(b, 1), member(b, 1)
		atOnce(a, 1000)
		for range 400 {
			other.Forget("k")
		}
		got := atOnce(a, 1000)
		require.GreaterOrEqual(t, got, 20, "its half, and half of what the other has no room for")
		require.LessOrEqual(t, got, 45)
	})
}

// When all fail all the time, each has its part by its weight.
func TestBudgetByWeight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := ratelimit.NewBudget(few(10, 10))
		had := outage(10_000*time.Second, 200, member(b, 1), member(b, 2), member(b, 5))
		require.InEpsilon(t, 12_500, had[0], 0.03)
		require.InEpsilon(t, 25_000, had[1], 0.03)
		require.InEpsilon(t, 62_500, had[2], 0.03)
	})
}

// What some do not use, the others have, however many there are.
func TestBudgetLendsWhatIsUnused(t *testing.T) {
	for _, members := range []int{2, 10, 1000} {
		t.Run(fmt.Sprint(members), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := ratelimit.NewBudget(few(10, 100))
				all := make([]*ratelimit.Budgeted[string], members)
				for i := range all {
					all[i] = member(b, 1)
				}
				had := outage(300*time.Second, 100, all[0])
				require.Greater(t, had[0], 2990)
				require.LessOrEqual(t, had[0], 3000+100+100, "the burst, and the first failures")
				first := all[1].When("k")
				require.Less(t, first, time.Duration(members)*110*time.Millisecond, "who begins to fail has its part, and does not wait in the other's line")
			})
		})
	}
}

// Each keeps its own backoff, and its hint.
func TestBudgetKeepsEachBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := ratelimit.NewBudget(ratelimit.BudgetOptions{})
		of := func() *ratelimit.Budgeted[string] {
			return ratelimit.NewBudgeted(ratelimit.BudgetedOptions[string]{
				Budget: b, Limiter: retryAfter(ratelimit.RetryAfterOptions[string]{Limiter: exponential(ratelimit.ExponentialOptions{BaseDelay: time.Second})}),
			})
		}
		one, two := of(), of()
		require.Equal(t, time.Second, one.When("k"))
		require.Equal(t, 2*time.Second, one.When("k"))
		two.When("k")
		two.Forget("k")
		require.Equal(t, 4*time.Second, one.When("k"))
		require.Equal(t, time.Minute, one.WhenError("k", durationHint(time.Minute), ""))
	})
}

func TestBudgetMaxDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		opts := few(1, 1)
		opts.MaxDelay = 5 * time.Second
		a := member(ratelimit.NewBudget(opts), 1)
		require.Equal(t, time.Duration(1), a.When("k"))
		for i := range 5 {
			require.InDelta(t, time.Duration(i+1)*time.Second, a.When("k"), 1000)
		}
		for range 100 {
			require.InDelta(t, 5*time.Second, a.When("k"), 1000)
		}
		time.Sleep(3 * time.Second)
		require.InDelta(t, 3*time.Second, a.When("k"), 1000, "what waited longest cost nothing")
	})
}

// Who leaves, leaves what it had, and what it owes.
func TestBudgetClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := ratelimit.NewBudget(few(1, 11))
		for range 100 {
			a := member(b, 1e9)
			a.When("k")
			a.Close()
			a.Close()
		}
		require.Zero(t, b.Members())
		require.LessOrEqual(t, b.Saved(), 11-11.0, "what is used up stays so")
		time.Sleep(time.Hour)
		c := member(b, 1)
		require.Equal(t, 11, atOnce(c, 100), "weights that left leave no rest")
		c.Close()
		for range 100 {
			require.Equal(t, time.Duration(1), c.When("k"), "its limiter alone is left")
		}
	})
}

func TestBudgetValidate_RL02(t *testing.T) {
	for want, opts := range map[string]ratelimit.BudgetOptions{
		"ratelimit: Share is -1, want a number from 0 to 1":               {Share: -1},
		"ratelimit: Share is 2, want a number from 0 to 1":                {Share: 2},
		"ratelimit: MinRate is -1, want a finite number of more than 0":   {MinRate: -1},
		"ratelimit: MinRate is +Inf, want a finite number of more than 0": {MinRate: math.Inf(1)},
		"ratelimit: Burst is -1, want at least 1":                         {Burst: -1},
		"ratelimit: MaxDelay is -1ns, want at least 0":                    {MaxDelay: -1},
	} {
		require.EqualError(t, opts.Validate(), want)
		require.PanicsWithError(t, want, func() { ratelimit.NewBudget(opts) })
	}
	b, inner := ratelimit.NewBudget(ratelimit.BudgetOptions{}), exponential(ratelimit.ExponentialOptions{})
	for want, opts := range map[string]ratelimit.BudgetedOptions[string]{
		"ratelimit: Budget is nil, want a budget":                       {Limiter: inner},
		"ratelimit: Limiter <nil>(nil): must be a limiter":              {Budget: b},
		"ratelimit: Weight is -1, want a finite number of more than 0":  {Budget: b, Limiter: inner, Weight: -1},
		"ratelimit: Weight is 1e+308, want at most 1e+09":               {Budget: b, Limiter: inner, Weight: 1e308},
		"ratelimit: Weight is NaN, want a finite number of more than 0": {Budget: b, Limiter: inner, Weight: math.NaN()},
	} {
		require.EqualError(t, opts.Validate(), want)
		require.PanicsWithError(t, want, func() { ratelimit.NewBudgeted(opts) })
	}
	require.Zero(t, b.Members())
}

// budgetBound lets members come, fail, succeed and go at random, and reports a window
// with more retries than the budget allows.
func budgetBound(t *testing.T, random *rand.Rand, opts ratelimit.BudgetOptions, weights []float64, steps int) {
	t.Helper()
	start := time.Now()
	b := ratelimit.NewBudget(opts)
	members := []*ratelimit.Budgeted[string]{}
	granted, runs, gone := 0, 0, 0
	for range steps {
		const year = 365 * 24 * time.Hour
		time.Sleep(time.Duration(min(float64(year), random.ExpFloat64()*float64(2*time.Second)/opts.MinRate)))
		switch k := random.IntN(10); {
		case len(members) == 0 || k == 0 && len(members) < 20:
			members = append(members, member(b, weights[random.IntN(len(weights))]))
		case k == 1:
			members[0].Close()
			members = members[1:]
			gone++
		case k < 4:
			members[random.IntN(len(members))].Forget("k")
			runs++
		default:
			for range random.IntN(10) {
				d := members[random.IntN(len(members))].When("k")
				if d <= 0 || d > opts.MaxDelay {
					t.Fatalf("%+v: a delay of %v", opts, d)
				}
				runs++
				if d < opts.MaxDelay {
					granted++
				}
			}
		}
		saved := b.Saved()
		if math.IsNaN(saved) || saved > float64(opts.Burst)+1e-6 {
			t.Fatalf("%+v: %v are saved up", opts, saved)
		}
		// What is granted and not yet due is owed: MaxDelay bounds that, once for those
		// who are there and once for each who left.
		owed := opts.MinRate * opts.MaxDelay.Seconds() * float64(1+gone)
		allowed := opts.MinRate*time.Since(start).Seconds() + owed + opts.Share*float64(runs) + float64(opts.Burst)
		if float64(granted) > allowed+float64(len(members))+1 {
			t.Fatalf("%+v: %d retries, %v allowed", opts, granted, allowed)
		}
	}
}

// Over any time no more retries are granted than the budget says.
func TestBudgetBound(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for range 50 {
		synctest.Test(t, func(t *testing.T) {
			budgetBound(t, random, ratelimit.BudgetOptions{
				Share: random.Float64(), MinRate: math.Exp(random.Float64()*6 - 3), Burst: 1 + random.IntN(100), MaxDelay: 10 * time.Second,
			}, []float64{1, 0.1, 3, 100}, 2000)
		})
	}
}

// FuzzBudgetKeepsItsBound: the same for any numbers and weights; nothing is negative,
// and nothing is no number.
func FuzzBudgetKeepsItsBound(f *testing.F) {
	f.Add(0.1, 10.0, 100, int64(time.Second), 1.0, 2.0, uint64(1))
	f.Add(1.0, 1e-9, 1, int64(math.MaxInt64), 1e-300, 1e9, uint64(2))
	f.Add(1e-300, 1e15, 1, int64(1), 1e9, 1e9, uint64(3))
	f.Add(0.5, math.MaxFloat64, 1, int64(2), 5e-324, 1.0, uint64(4))
	f.Fuzz(func(t *testing.T, share, minRate float64, burst int, ceiling int64, one, two float64, seed uint64) {
		opts := ratelimit.BudgetOptions{Share: share, MinRate: minRate, Burst: burst, MaxDelay: time.Duration(ceiling)}
		wrong := opts.Validate() != nil || share == 0 || minRate == 0 || burst == 0 || burst > 1e9 || ceiling < 2
		for _, w := range []float64{one, two} {
			wrong = wrong || !(w > 0) || w > 1e9
		}
		if wrong {
			return
		}
		synctest.Test(t, func(t *testing.T) {
			budgetBound(t, rand.New(rand.NewPCG(seed, 0)), opts, []float64{one, two}, 100)
		})
	})
}
