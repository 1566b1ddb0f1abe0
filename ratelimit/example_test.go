package ratelimit_test

import (
	"errors"
	"fmt"
	"time"

	"github.com/trimtab/trimtab/ratelimit"
)

// An external API that is slow and costs money: the defaults are far too eager.
func ExampleNewExponential() {
	limiter := ratelimit.NewExponential[string](ratelimit.ExponentialOptions{
		BaseDelay: 750 * time.Millisecond,
		MaxDelay:  15 * time.Minute,
	})
	for range 3 {
		fmt.Println(limiter.When("default/bucket"))
	}
	limiter.Forget("default/bucket") // it succeeded
	fmt.Println(limiter.When("default/bucket"))
	// Output:
	// 750ms
	// 1.5s
	// 3s
	// 750ms
}

// patient is a limiter that gives a server which asks for it a minute of rest.
type patient struct {
	*ratelimit.Exponential[string]
}

func (p patient) WhenError(item string, _ error, class string) time.Duration {
	d := p.When(item)
	if class == "throttled" {
		return max(d, time.Minute)
	}
	return d
}

// A limiter of one's own that waits longer after some errors.
func ExampleErrorAware() {
	var limiter ratelimit.ErrorAware[string] = patient{ratelimit.NewExponential[string](ratelimit.ExponentialOptions{})}
	fmt.Println(limiter.WhenError("default/bucket", errors.New("no route"), "error"))
	fmt.Println(limiter.WhenError("default/bucket", errors.New("slow down"), "throttled"))
	limiter.Forget("default/bucket") // it succeeded
	fmt.Println(limiter.NumRequeues("default/bucket"))
	// Output:
	// 5ms
	// 1m0s
	// 0
}

// Numbers that come from flags are checked before anything starts.
func ExampleExponentialOptions_Validate() {
	fmt.Println(ratelimit.ExponentialOptions{BaseDelay: time.Minute, MaxDelay: time.Second}.Validate())
	// Output: ratelimit: MaxDelay is 1s, want at least BaseDelay, 1m0s
}
