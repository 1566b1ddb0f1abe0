package ratelimit_test

import (
	"fmt"
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"

	"github.com/trimtab/trimtab/ratelimit"
)

// shapes is a config of each kind that counts.
func shapes() map[string]ratelimit.Config {
	exp := ratelimit.Config{Exponential: &ratelimit.ExponentialOptions{BaseDelay: time.Second}}
	some := ratelimit.Config{Bucket: &ratelimit.BucketOptions{}}
	return map[string]ratelimit.Config{
		"default":       {},
		"exponential":   exp,
		"fast and slow": {FastSlow: &ratelimit.FastSlowOptions{}},
		"constant":      {Constant: &ratelimit.ConstantOptions{Delay: time.Second}},
		"max of":        {MaxOf: []ratelimit.Config{some, exp}},
		"capped":        {Capped: &ratelimit.CappedConfig{Limiter: exp, MaxDelay: time.Minute}},
		"by error":      {ByError: &ratelimit.ByErrorConfig{Default: exp, Classes: map[string]ratelimit.Config{"conflict": exp}}},
		"retry after":   {RetryAfter: &ratelimit.RetryAfterConfig{Limiter: exp}},
		"budget":        {Budget: &ratelimit.BudgetConfig{Limiter: exp}},
		"in cluster":    {Preset: ratelimit.InCluster},
		"external":      {Preset: ratelimit.ExternalAPI},
		"gentle":        {Preset: ratelimit.Gentle},
	}
}

// Whatever shape a limiter takes, each item keeps its failures.
func TestTunableKeepsCounts(t *testing.T) {
	for from, a := range shapes() {
		for to, b := range shapes() {
			t.Run(from+" to "+to, func(t *testing.T) {
				l := tunable(a)
				for range 3 {
					l.When("k")
				}
				l.When("other")
				require.NoError(t, l.Tune(b))
				require.Equal(t, 3, l.NumRequeues("k"))
				require.Equal(t, 1, l.NumRequeues("other"))
				l.When("k")
				require.Equal(t, 4, l.NumRequeues("k"))
				require.NoError(t, l.Tune(a))
				require.Equal(t, 4, l.NumRequeues("k"))
				l.Forget("k")
				require.Zero(t, l.NumRequeues("k"))
			})
		}
	}
}

// Those counted under a class stay under it.
func TestTunableKeepsCountsOfClasses(t *testing.T) {
	of := func(base time.Duration) ratelimit.Config {
		return ratelimit.Config{ByError: &ratelimit.ByErrorConfig{Classes: map[string]ratelimit.Config{
			"conflict": {Exponential: &ratelimit.ExponentialOptions{BaseDelay: base}},
			"timeout":  {Exponential: &ratelimit.ExponentialOptions{BaseDelay: base}},
		}}}
	}
	l := tunable(of(time.Second))
	l.WhenError("k", errBroken, "conflict")
	require.NoError(t, l.Tune(of(10*time.Second)))
	require.Equal(t, 20*time.Second, l.WhenError("k", errBroken, "conflict"))
	require.Equal(t, 10*time.Second, l.WhenError("k", errBroken, "timeout"))
}

// The namespaces and what they count stay.
func TestTunableKeepsGroups(t *testing.T) {
	of := func(base time.Duration) ratelimit.Config {
		return ratelimit.Config{PerNamespace: &ratelimit.Config{Exponential: &ratelimit.ExponentialOptions{BaseDelay: base}}}
	}
	l, err := ratelimit.NewTunable[types.NamespacedName](of(time.Second))
	require.NoError(t, err)
	k := types.NamespacedName{Namespace: "a", Name: "k"}
	l.When(k)
	require.NoError(t, l.Tune(of(10*time.Second)))
	require.Equal(t, 20*time.Second, l.When(k))
	require.Equal(t, 10*time.Second, l.When(types.NamespacedName{Namespace: "b", Name: "k"}))
}

// RL20: a bucket that is used up stays so, however often the same numbers come, and
// one token more is one.
func TestTunableKeepsTokens_RL20(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		of := func(burst int) ratelimit.Config {
			return ratelimit.Config{MaxOf: []ratelimit.Config{
				{Constant: &ratelimit.ConstantOptions{Delay: 1}}, {Bucket: &ratelimit.BucketOptions{Rate: 0.01, Burst: burst}},
			}}
		}
		l := tunable(of(10))
		for range 10 {
			require.Equal(t, time.Duration(1), l.When("k"))
		}
		for range 10 {
			require.NoError(t, l.Tune(of(10)))
		}
		require.NoError(t, l.Tune(of(5)))
		require.NoError(t, l.Tune(of(10)))
		require.NoError(t, l.Tune(of(11)))
		require.Equal(t, time.Duration(1), l.When("k"), "exactly one")
		require.Equal(t, 100*time.Second, l.When("k"))
	})
}

// RL20 of a budget.
func TestTunableKeepsTheBudget_RL20(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		of := func(burst int) ratelimit.Config {
			return ratelimit.Config{Budget: &ratelimit.BudgetConfig{
				BudgetOptions: ratelimit.BudgetOptions{MinRate: 0.01, Burst: burst, Share: 1e-9},
				Limiter:       ratelimit.Config{Constant: &ratelimit.ConstantOptions{Delay: 1}},
			}}
		}
		l := tunable(of(10))
		for range 10 {
			require.Equal(t, time.Duration(1), l.When("k"))
		}
		for range 10 {
			require.NoError(t, l.Tune(of(10)))
		}
		require.NoError(t, l.Tune(of(5)))
		require.NoError(t, l.Tune(of(10)))
		require.NoError(t, l.Tune(of(11)))
		require.Equal(t, time.Duration(1), l.When("k"), "exactly one")
		require.InDelta(t, 100*time.Second, l.When("k"), float64(time.Millisecond))
	})
}

// What is wrong changes nothing.
func TestTunableRefusesWhatIsWrong_RL02(t *testing.T) {
	bad := ratelimit.Config{Exponential: &ratelimit.ExponentialOptions{Factor: math.NaN()}}
	_, err := ratelimit.NewTunable[string](bad)
	require.Error(t, err)
	l := tunable(ratelimit.Config{Constant: &ratelimit.ConstantOptions{Delay: time.Second}})
	require.Error(t, l.Tune(bad))
	require.Equal(t, time.Second, l.When("k"))
	require.NotNil(t, l.Config().Constant)
}

// What a caller does with its config, or with ours, is of no effect.
func TestTunableCopiesItsConfig(t *testing.T) {
	opts := &ratelimit.ConstantOptions{Delay: time.Second}
	l := tunable(ratelimit.Config{Constant: opts})
	opts.Delay = time.Hour
	l.Config().Constant.Delay = time.Hour
	require.Equal(t, time.Second, l.Config().Constant.Delay)
}

// Failures that come while the numbers change are all counted.
func TestTunableIsConcurrent(t *testing.T) {
	const workers, each = 16, 300
	l := tunable(ratelimit.Config{})
	own, _, _ := ratelimit.Own[string](l)
	sibling, _, shared := ratelimit.Own[string](l)
	require.True(t, shared)
	var tuning, working sync.WaitGroup
	done := make(chan struct{})
	tuning.Go(func() {
		for {
			for _, c := range shapes() {
				select {
				case <-done:
					return
				default:
					if err := l.Tune(c); err != nil {
						panic(err)
					}
				}
			}
		}
	})
	for w := range workers {
		working.Go(func() {
			mine := fmt.Sprint(w)
			for range each {
				own.When("shared")
				sibling.When("shared")
				ask(own, mine, errBroken, "error")
				own.Forget(mine)
				l.Config()
			}
		})
	}
	working.Wait()
	close(done)
	tuning.Wait()
	require.Equal(t, workers*each, own.NumRequeues("shared"))
	require.Equal(t, workers*each, sibling.NumRequeues("shared"))
}
