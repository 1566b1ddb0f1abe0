package ratelimit_test

import (
	"flag"
	"fmt"

	"github.com/trimtab/trimtab/ratelimit"
)

// The numbers of an operator's configuration file.
func ExampleParseConfig() {
	config, err := ratelimit.ParseConfig([]byte(`
maxOf:
- exponential: {baseDelay: 750ms, maxDelay: 15m, jitter: 0.2}
- bucket: {rate: 10, burst: 50}
`))
	fmt.Println(config.MaxOf[0].Exponential.MaxDelay, config.MaxOf[1].Bucket.Burst, err)

	_, err = ratelimit.ParseConfig([]byte(`
maxOf:
- exponential: {baseDelay: 750, maxDealy: 15m}
- bucket: {rate: 0}
`))
	fmt.Println(err)
	// Output:
	// 15m0s 50 <nil>
	// ratelimit: line 3: maxOf[0].exponential.baseDelay is 750, want a duration with its unit, such as "30s"
	// ratelimit: line 3: maxOf[0].exponential.maxDealy is unknown, want one of baseDelay, factor, jitter, maxDelay, maxItems, ttl
	// ratelimit: line 4: maxOf[1].bucket.rate is 0, want more than 0
}

// A conflict is worth a quick retry; all else waits longer each time.
func ExampleBuild() {
	limiter, err := ratelimit.Build[string](ratelimit.Config{ByError: &ratelimit.ByErrorConfig{
		Default: ratelimit.Config{Preset: ratelimit.ExternalAPI},
		Classes: map[string]ratelimit.Config{
			"conflict": {Exponential: &ratelimit.ExponentialOptions{}},
		},
	}})
	if err != nil {
		panic(err)
	}
	fmt.Println(limiter.WhenError("default/bucket", nil, "conflict"))
	fmt.Println(limiter.WhenError("default/bucket", nil, "conflict"))
	// Output:
	// 5ms
	// 10ms
}

// The flags of an operator, beside its own.
func ExampleConfig_BindFlags() {
	config := ratelimit.Config{Preset: ratelimit.ExternalAPI} // without a flag
	fs := flag.NewFlagSet("operator", flag.ContinueOnError)
	config.BindFlags(fs)
	if err := fs.Parse([]string{"-rate-limit-max-delay=5m", "-rate-limit-rate=2"}); err != nil {
		panic(err)
	}
	if err := config.Validate(); err != nil {
		panic(err)
	}
	limiters := config.RetryAfter.Limiter.MaxOf
	fmt.Println(limiters[0].Exponential.BaseDelay, limiters[0].Exponential.MaxDelay, limiters[1].Bucket.Rate)
	// Output: 750ms 5m0s 2
}

// The numbers change while the operator runs; what has failed stays counted.
func ExampleNewTunable() {
	limiter, err := ratelimit.NewTunable[string](ratelimit.Config{Exponential: &ratelimit.ExponentialOptions{}})
	if err != nil {
		panic(err)
	}
	fmt.Println(limiter.When("default/bucket"), limiter.When("default/bucket"))

	err = limiter.Tune(ratelimit.Config{Exponential: &ratelimit.ExponentialOptions{BaseDelay: -1}})
	fmt.Println(err)

	err = limiter.Tune(ratelimit.Config{Exponential: &ratelimit.ExponentialOptions{BaseDelay: 1e9}})
	fmt.Println(limiter.When("default/bucket"), err)
	// Output:
	// 5ms 10ms
	// ratelimit: exponential.baseDelay is -1ns, want at least 0
	// 4s <nil>
}
