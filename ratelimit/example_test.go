package ratelimit_test

import (
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

// Numbers that come from flags are checked before anything starts.
func ExampleExponentialOptions_Validate() {
	fmt.Println(ratelimit.ExponentialOptions{BaseDelay: time.Minute, MaxDelay: time.Second}.Validate())
	// Output: ratelimit: MaxDelay is 1s, want at least BaseDelay, 1m0s
}
