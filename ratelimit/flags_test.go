package ratelimit_test

import (
	"flag"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/ratelimit"
)

// parseFlags returns c as the flags make it.
func parseFlags(c ratelimit.Config, args ...string) (ratelimit.Config, error) {
	fs := flag.NewFlagSet("operator", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	c.BindFlags(fs)
	err := fs.Parse(args)
	return c, err
}

func TestBindFlags(t *testing.T) {
	exponential := func(o ratelimit.ExponentialOptions) ratelimit.Config { return ratelimit.Config{Exponential: &o} }
	bucket := func(o ratelimit.BucketOptions) ratelimit.Config { return ratelimit.Config{Bucket: &o} }
	gentle, _ := ratelimit.Gentle.Config()
	slower, _ := ratelimit.Gentle.Config()
	slower.RetryAfter.Limiter.MaxOf[0].Exponential.BaseDelay = time.Minute
	slower.RetryAfter.Limiter.MaxOf[1].Bucket.Rate = 0.5
	jitter := ratelimit.ExponentialOptions{Jitter: 0.2}
	grouped := ratelimit.Config{PerNamespace: &ratelimit.Config{Bucket: &ratelimit.BucketOptions{}}}
	byError := ratelimit.Config{ByError: &ratelimit.ByErrorConfig{
		Default: exponential(ratelimit.ExponentialOptions{Factor: 3}),
		Classes: map[string]ratelimit.Config{"conflict": exponential(ratelimit.ExponentialOptions{}), "throttled": bucket(ratelimit.BucketOptions{})},
	}}
	for name, tt := range map[string]struct {
		base ratelimit.Config
		args string
		want ratelimit.Config
	}{
		"none":                     {base: grouped, want: grouped},
		"none, zero":               {},
		"preset":                   {base: grouped, args: "-rate-limit-preset=Gentle", want: gentle},
		"last preset":              {args: "-rate-limit-preset=InCluster -rate-limit-preset=Gentle", want: gentle},
		"numbers of the default":   {args: "-rate-limit-base-delay=1s", want: exponential(ratelimit.ExponentialOptions{BaseDelay: time.Second, Jitter: 0.2})},
		"all numbers of each":      {args: "-rate-limit-base-delay=1s -rate-limit-max-delay=1m -rate-limit-factor=3 -rate-limit-jitter=1", want: exponential(ratelimit.ExponentialOptions{BaseDelay: time.Second, MaxDelay: time.Minute, Factor: 3, Jitter: 1})},
		"no jitter":                {args: "-rate-limit-jitter=0", want: exponential(ratelimit.ExponentialOptions{})},
		"a number twice":           {args: "-rate-limit-max-delay=1h -rate-limit-max-delay=1m", want: exponential(ratelimit.ExponentialOptions{MaxDelay: time.Minute, Jitter: 0.2})},
		"numbers of the preset":    {args: "-rate-limit-base-delay=1m -rate-limit-preset=Gentle -rate-limit-rate=0.5", want: slower},
		"a bucket more":            {args: "-rate-limit-rate=5", want: ratelimit.Config{MaxOf: []ratelimit.Config{exponential(jitter), bucket(ratelimit.BucketOptions{Rate: 5})}}},
		"its burst":                {base: bucket(ratelimit.BucketOptions{Rate: 3}), args: "-rate-limit-burst=7", want: bucket(ratelimit.BucketOptions{Rate: 3, Burst: 7})},
		"one for all namespaces":   {base: grouped, args: "-rate-limit-rate=5", want: ratelimit.Config{MaxOf: []ratelimit.Config{grouped, bucket(ratelimit.BucketOptions{Rate: 5})}}},
		"one for all classes":      {base: byError, args: "-rate-limit-burst=5", want: ratelimit.Config{MaxOf: []ratelimit.Config{byError, bucket(ratelimit.BucketOptions{Burst: 5})}}},
		"a preset brings one":      {base: grouped, args: "-rate-limit-preset=Default -rate-limit-factor=3", want: exponential(ratelimit.ExponentialOptions{Factor: 3, Jitter: 0.2})},
		"the first of a capped":    {base: ratelimit.Config{Capped: &ratelimit.CappedConfig{MaxDelay: 1}}, args: "-rate-limit-factor=3", want: ratelimit.Config{Capped: &ratelimit.CappedConfig{MaxDelay: 1, Limiter: exponential(ratelimit.ExponentialOptions{Factor: 3, Jitter: 0.2})}}},
		"the default of the error": {base: ratelimit.Config{ByError: &ratelimit.ByErrorConfig{}}, args: "-rate-limit-factor=3", want: ratelimit.Config{ByError: &ratelimit.ByErrorConfig{Default: exponential(ratelimit.ExponentialOptions{Factor: 3, Jitter: 0.2}), Classes: map[string]ratelimit.Config{}}}},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := parseFlags(tt.base, strings.Fields(tt.args)...)
			require.NoError(t, err)
			require.Equal(t, tt.want, c)
			require.NoError(t, c.Validate())
		})
	}
}

// RL02: the error names the flag, the value, and what it should be.
func TestBindFlagsErrors_RL02(t *testing.T) {
	for _, tt := range []struct{ arg, want string }{
		{"-rate-limit-preset=", `invalid value "" for flag -rate-limit-preset: want Default, InCluster, ExternalAPI or Gentle`},
		{"-rate-limit-preset=fast", `invalid value "fast" for flag -rate-limit-preset: want Default`},
		{"-rate-limit-base-delay=0", `invalid value "0" for flag -rate-limit-base-delay: is 0s, want a finite number of more than 0`},
		{"-rate-limit-base-delay=-1s", `invalid value "-1s" for flag -rate-limit-base-delay: is -1s, want`},
		{"-rate-limit-base-delay=5", `invalid value "5" for flag -rate-limit-base-delay: time: missing unit`},
		{"-rate-limit-max-delay=0s", `invalid value "0s" for flag -rate-limit-max-delay: is 0s, want`},
		{"-rate-limit-factor=0", `invalid value "0" for flag -rate-limit-factor: is 0, want a finite number of at least 1`},
		{"-rate-limit-factor=NaN", `invalid value "NaN" for flag -rate-limit-factor: is NaN, want`},
		{"-rate-limit-factor=Inf", `invalid value "Inf" for flag -rate-limit-factor: is +Inf, want`},
		{"-rate-limit-jitter=1.1", `invalid value "1.1" for flag -rate-limit-jitter: is 1.1, want a number from 0 to 1`},
		{"-rate-limit-jitter=NaN", `invalid value "NaN" for flag -rate-limit-jitter: is NaN, want a number from 0 to 1`},
		{"-rate-limit-jitter=much", `invalid value "much" for flag -rate-limit-jitter: strconv.ParseFloat`},
		{"-rate-limit-rate=0", `invalid value "0" for flag -rate-limit-rate: is 0, want a finite number of more than 0`},
		{"-rate-limit-rate=Inf", `invalid value "Inf" for flag -rate-limit-rate: is +Inf, want`},
		{"-rate-limit-burst=0", `invalid value "0" for flag -rate-limit-burst: is 0, want at least 1`},
		{"-rate-limit-burst=1.5", `invalid value "1.5" for flag -rate-limit-burst: strconv.Atoi`},
	} {
		c, err := parseFlags(constant(), tt.arg)
		require.ErrorContains(t, err, tt.want)
		require.Equal(t, constant(), c)
	}
	_, err := parseFlags(constant(), "-rate-limit-factor=3")
	require.ErrorContains(t, err, "no limiter here is exponential")

	c, err := parseFlags(ratelimit.Config{}, "-rate-limit-base-delay=1h")
	require.NoError(t, err)
	require.EqualError(t, c.Validate(), "ratelimit: exponential.maxDelay is 16m40s, want at least baseDelay, 1h0m0s")
}

// The order of the flags does not matter.
func TestBindFlagsOrder(t *testing.T) {
	args := []string{"-rate-limit-preset=ExternalAPI", "-rate-limit-base-delay=1s", "-rate-limit-jitter=0", "-rate-limit-rate=5", "-rate-limit-burst=3"}
	want, err := parseFlags(ratelimit.Config{}, args...)
	require.NoError(t, err)
	for range len(args) {
		args = append(args[1:], args[0])
		c, err := parseFlags(ratelimit.Config{}, args...)
		require.NoError(t, err)
		require.Equal(t, want, c, args)
		backwards := slices.Collect(slices.Values(args))
		slices.Reverse(backwards)
		c, err = parseFlags(ratelimit.Config{}, backwards...)
		require.NoError(t, err)
		require.Equal(t, want, c, backwards)
	}
}

// What c was made of is not changed, and a bad c is a bug that is told at once.
func TestBindFlagsBase(t *testing.T) {
	o := &ratelimit.ExponentialOptions{}
	c, err := parseFlags(ratelimit.Config{Exponential: o}, "-rate-limit-base-delay=1s")
	require.NoError(t, err)
	require.Equal(t, time.Second, c.Exponential.BaseDelay)
	require.Zero(t, *o)

	bad := ratelimit.Config{Preset: ratelimit.Gentle, Exponential: &ratelimit.ExponentialOptions{Jitter: math.NaN()}}
	require.PanicsWithError(t, bad.Validate().Error(), func() { _, _ = parseFlags(bad) })
}

func TestBindFlagsHelp(t *testing.T) {
	var help strings.Builder
	fs := flag.NewFlagSet("operator", flag.ContinueOnError)
	fs.SetOutput(&help)
	new(ratelimit.Config).BindFlags(fs)
	require.ErrorIs(t, fs.Parse([]string{"-help"}), flag.ErrHelp)
	for _, line := range []string{"-rate-limit-preset name", "-rate-limit-base-delay delay", "-rate-limit-factor times", "-rate-limit-rate per second", "-rate-limit-burst many"} {
		require.Contains(t, help.String(), line)
	}
}
