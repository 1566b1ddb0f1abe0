package ratelimit_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/ratelimit"
)

// constant is a limiter of a second.
func constant() ratelimit.Config {
	return ratelimit.Config{Constant: &ratelimit.ConstantOptions{Delay: time.Second}}
}

func TestConfigIsValid(t *testing.T) {
	for name, c := range map[string]ratelimit.Config{
		"zero":                 {},
		"preset":               {Preset: ratelimit.Gentle},
		"exponential":          {Exponential: &ratelimit.ExponentialOptions{}},
		"fastSlow":             {FastSlow: &ratelimit.FastSlowOptions{}},
		"constant":             constant(),
		"bucket":               {Bucket: &ratelimit.BucketOptions{}},
		"perNamespace":         {PerNamespace: &ratelimit.Config{}},
		"maxOf":                {MaxOf: []ratelimit.Config{{}, constant()}},
		"capped":               {Capped: &ratelimit.CappedConfig{MaxDelay: 1}},
		"byError":              {ByError: &ratelimit.ByErrorConfig{}},
		"byError with classes": {ByError: &ratelimit.ByErrorConfig{Classes: map[string]ratelimit.Config{"conflict": constant()}}},
		"retryAfter":           {RetryAfter: &ratelimit.RetryAfterConfig{}},
		"budget":               {Budget: &ratelimit.BudgetConfig{}},
	} {
		require.NoError(t, c.Validate(), name)
	}
}

// Each fault names the path of its field and the value.
func TestConfigFaults(t *testing.T) {
	nan := math.NaN()
	exponential := func(o ratelimit.ExponentialOptions) ratelimit.Config { return ratelimit.Config{Exponential: &o} }
	bucket := func(o ratelimit.BucketOptions) ratelimit.Config { return ratelimit.Config{Bucket: &o} }
	fastSlow := func(o ratelimit.FastSlowOptions) ratelimit.Config { return ratelimit.Config{FastSlow: &o} }
	budget := func(o ratelimit.BudgetOptions) ratelimit.Config {
		return ratelimit.Config{Budget: &ratelimit.BudgetConfig{BudgetOptions: o}}
	}
	for _, tt := range []struct {
		c    ratelimit.Config
		want string
	}{
		{ratelimit.Config{Preset: "Fast"}, `preset is "Fast", want Default, InCluster, ExternalAPI or Gentle`},
		{exponential(ratelimit.ExponentialOptions{BaseDelay: -1}), "exponential.baseDelay is -1ns, want at least 0"},
		{exponential(ratelimit.ExponentialOptions{BaseDelay: 2, MaxDelay: 1}), "exponential.maxDelay is 1ns, want at least baseDelay, 2ns"},
		{exponential(ratelimit.ExponentialOptions{Factor: 0.5}), "exponential.factor is 0.5, want a finite number of at least 1"},
		{exponential(ratelimit.ExponentialOptions{Factor: nan}), "exponential.factor is NaN, want a finite number of at least 1"},
		{exponential(ratelimit.ExponentialOptions{Jitter: 2}), "exponential.jitter is 2, want a number from 0 to 1"},
		{exponential(ratelimit.ExponentialOptions{TTL: -time.Hour}), "exponential.ttl is -1h0m0s, want at least 0"},
		{exponential(ratelimit.ExponentialOptions{MaxItems: -7}), "exponential.maxItems is -7, want at least 0"},
		{fastSlow(ratelimit.FastSlowOptions{FastDelay: time.Hour}), "fastSlow.slowDelay is 16m40s, want at least fastDelay, 1h0m0s"},
		{fastSlow(ratelimit.FastSlowOptions{FastAttempts: -1}), "fastSlow.fastAttempts is -1, want at least 0"},
		{ratelimit.Config{Constant: &ratelimit.ConstantOptions{}}, "constant.delay is 0s, want a finite number of more than 0"},
		{bucket(ratelimit.BucketOptions{Rate: math.Inf(1)}), "bucket.rate is +Inf, want a finite number of more than 0"},
		{bucket(ratelimit.BucketOptions{Rate: 1e-300}), "bucket.rate is 1e-300, want more"},
		{bucket(ratelimit.BucketOptions{Burst: -1}), "bucket.burst is -1, want at least 1"},
		{bucket(ratelimit.BucketOptions{MaxDelay: -1}), "bucket.maxDelay is -1ns, want at least 0"},
		{ratelimit.Config{PerNamespace: &ratelimit.Config{Preset: "X"}}, `perNamespace.preset is "X"`},
		{ratelimit.Config{MaxOf: []ratelimit.Config{}}, "maxOf is empty, want at least one limiter"},
		{ratelimit.Config{MaxOf: []ratelimit.Config{{}, {Preset: "X"}}}, `maxOf[1].preset is "X"`},
		{ratelimit.Config{Capped: &ratelimit.CappedConfig{}}, "capped.maxDelay is 0s, want"},
		{ratelimit.Config{Capped: &ratelimit.CappedConfig{MaxDelay: 1, Limiter: ratelimit.Config{Preset: "X"}}}, `capped.limiter.preset is "X"`},
		{ratelimit.Config{ByError: &ratelimit.ByErrorConfig{Default: ratelimit.Config{Preset: "X"}}}, `byError.default.preset is "X"`},
		{ratelimit.Config{ByError: &ratelimit.ByErrorConfig{Classes: map[string]ratelimit.Config{"success": {}}}}, `byError.classes["success"]: want the class of a failure`},
		{ratelimit.Config{ByError: &ratelimit.ByErrorConfig{Classes: map[string]ratelimit.Config{"": {}}}}, `byError.classes[""]: want the class of a failure`},
		{ratelimit.Config{ByError: &ratelimit.ByErrorConfig{Classes: map[string]ratelimit.Config{"a.b": {Preset: "X"}}}}, `byError.classes["a.b"].preset is "X"`},
		{ratelimit.Config{RetryAfter: &ratelimit.RetryAfterConfig{MaxDelay: -1}}, "retryAfter.maxDelay is -1ns, want at least 0"},
		{ratelimit.Config{RetryAfter: &ratelimit.RetryAfterConfig{Jitter: -1}}, "retryAfter.jitter is -1, want a number from 0 to 1"},
		{ratelimit.Config{RetryAfter: &ratelimit.RetryAfterConfig{Limiter: ratelimit.Config{Preset: "X"}}}, `retryAfter.limiter.preset is "X"`},
		{budget(ratelimit.BudgetOptions{Share: 1.5}), "budget.share is 1.5, want a number from 0 to 1"},
		{budget(ratelimit.BudgetOptions{MinRate: -1}), "budget.minRate is -1, want a finite number of more than 0"},
		{budget(ratelimit.BudgetOptions{Burst: -1}), "budget.burst is -1, want at least 1"},
		{ratelimit.Config{Budget: &ratelimit.BudgetConfig{Limiter: ratelimit.Config{Preset: "X"}}}, `budget.limiter.preset is "X"`},
		{ratelimit.Config{Preset: ratelimit.Gentle, Bucket: &ratelimit.BucketOptions{}}, "bucket is beside preset, want one of them"},
	} {
		err := tt.c.Validate()
		require.ErrorContains(t, err, "ratelimit: "+tt.want)
		_, built := ratelimit.Build[string](tt.c)
		require.EqualError(t, built, err.Error())
	}
}

// All faults are named, those of limiters that should not be there included.
func TestConfigManyFaults(t *testing.T) {
	c := ratelimit.Config{MaxOf: []ratelimit.Config{
		{Preset: "Fast", Exponential: &ratelimit.ExponentialOptions{Jitter: 2, TTL: -1}, Bucket: &ratelimit.BucketOptions{Rate: -3}},
		{Capped: &ratelimit.CappedConfig{Limiter: ratelimit.Config{Preset: "Slow"}}},
	}}
	require.EqualError(t, c.Validate(), `ratelimit: maxOf[0].exponential is beside preset, want one of them
ratelimit: maxOf[0].bucket is beside preset, want one of them
ratelimit: maxOf[0].preset is "Fast", want Default, InCluster, ExternalAPI or Gentle
ratelimit: maxOf[0].exponential.jitter is 2, want a number from 0 to 1
ratelimit: maxOf[0].exponential.ttl is -1ns, want at least 0
ratelimit: maxOf[0].bucket.rate is -3, want a finite number of more than 0
ratelimit: maxOf[1].capped.maxDelay is 0s, want a finite number of more than 0
ratelimit: maxOf[1].capped.limiter.preset is "Slow", want Default, InCluster, ExternalAPI or Gentle`)
}

// A BudgetConfig is as good as its limiter, too.
func TestBudgetConfigValidate(t *testing.T) {
	c := ratelimit.BudgetConfig{Limiter: ratelimit.Config{Preset: "X"}}
	require.ErrorContains(t, c.Validate(), `budget.limiter.preset is "X"`)
	require.NoError(t, ratelimit.BudgetConfig{}.Validate())
}

// One that is in itself is no limiter, and so is one that nobody means.
func TestConfigInItself(t *testing.T) {
	group := ratelimit.Config{}
	group.PerNamespace = &group
	list := ratelimit.Config{MaxOf: make([]ratelimit.Config, 2)}
	list.MaxOf[0], list.MaxOf[1] = list, list
	classes := ratelimit.Config{ByError: &ratelimit.ByErrorConfig{Classes: map[string]ratelimit.Config{}}}
	classes.ByError.Classes["error"] = classes
	for _, c := range []ratelimit.Config{group, list, classes, nested(16)} {
		require.EqualError(t, c.Validate(), "ratelimit: the configuration is more than 16 limiters deep, want fewer")
		_, err := ratelimit.Build[string](c)
		require.Error(t, err)
	}
	require.NoError(t, nested(15).Validate())
}

// nested returns a limiter in n others.
func nested(n int) (c ratelimit.Config) {
	for range n {
		c = ratelimit.Config{Capped: &ratelimit.CappedConfig{Limiter: c, MaxDelay: 1}}
	}
	return c
}
