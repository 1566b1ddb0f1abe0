package ratelimit_test

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"k8s.io/client-go/util/workqueue"

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

// A daily report: what soon passes is tried again within seconds, and all else once an
// hour, so that a broken one costs 24 calls a day.
func ExampleNewFastSlow() {
	limiter := ratelimit.NewFastSlow[string](ratelimit.FastSlowOptions{
		FastDelay: 5 * time.Second, FastAttempts: 2, SlowDelay: time.Hour,
	})
	for range 4 {
		fmt.Println(limiter.When("default/report"))
	}
	// Output:
	// 5s
	// 5s
	// 1h0m0s
	// 1h0m0s
}

func ExampleNewConstant() {
	limiter := ratelimit.NewConstant[string](ratelimit.ConstantOptions{Delay: 30 * time.Second})
	fmt.Println(limiter.When("default/lock"), limiter.When("default/lock"))
	// Output: 30s 30s
}

// At most one retry an hour after three at once, over all items together.
func ExampleNewBucket() {
	limiter := ratelimit.NewBucket[string](ratelimit.BucketOptions{Rate: 1. / 3600, Burst: 3, MaxDelay: 90 * time.Minute})
	for _, item := range []string{"a", "b", "c", "d", "e"} {
		fmt.Println(item, limiter.When(item).Round(time.Minute))
	}
	// Output:
	// a 0s
	// b 0s
	// c 0s
	// d 1h0m0s
	// e 1h30m0s
}

// A bucket for each tenant: what one uses up makes no other wait.
func ExampleNewPerGroup() {
	limiter := ratelimit.NewPerGroup(ratelimit.PerGroupOptions[string]{
		Group: func(item string) string {
			tenant, _, _ := strings.Cut(item, "/")
			return tenant
		},
		New: func(string) workqueue.TypedRateLimiter[string] {
			return ratelimit.NewBucket[string](ratelimit.BucketOptions{Rate: 1. / 60, Burst: 1})
		},
	})
	for _, item := range []string{"red/a", "red/b", "blue/a"} {
		fmt.Println(item, limiter.When(item).Round(time.Second))
	}
	// Output:
	// red/a 0s
	// red/b 1m0s
	// blue/a 0s
}

// Each item backs off, and all together keep to a rate.
func ExampleNewMaxOf() {
	limiter := ratelimit.NewMaxOf[string](
		ratelimit.NewExponential[string](ratelimit.ExponentialOptions{BaseDelay: time.Second}),
		ratelimit.NewBucket[string](ratelimit.BucketOptions{Rate: 1. / 60, Burst: 2}),
	)
	for range 3 {
		fmt.Println(limiter.When("a").Round(time.Second))
	}
	// Output:
	// 1s
	// 2s
	// 1m0s
}

func ExampleNewCapped() {
	limiter := ratelimit.NewCapped[string](
		ratelimit.NewExponential[string](ratelimit.ExponentialOptions{BaseDelay: time.Second}), 3*time.Second)
	for range 4 {
		fmt.Println(limiter.When("a"))
	}
	// Output:
	// 1s
	// 2s
	// 3s
	// 3s
}

// A reconciler that waits for something answers Result.Requeue, which has the class
// "requeue": it backs off without an error, and the next error starts at the beginning.
func ExampleNewByError() {
	limiter := ratelimit.NewByError(ratelimit.ByErrorOptions[string]{
		Default: ratelimit.NewExponential[string](ratelimit.ExponentialOptions{}),
		Classes: map[string]workqueue.TypedRateLimiter[string]{
			"requeue": ratelimit.NewExponential[string](ratelimit.ExponentialOptions{BaseDelay: time.Second, MaxDelay: time.Minute}),
		},
	})
	for range 3 {
		fmt.Println(limiter.WhenError("a", nil, "requeue"))
	}
	fmt.Println(limiter.WhenError("a", errors.New("no route"), "error"))
	// Output:
	// 1s
	// 2s
	// 4s
	// 5ms
}

// slowDown is the error of an API's client that has kept the header.
type slowDown struct{ header string }

func (slowDown) Error() string        { return "429 Too Many Requests" }
func (s slowDown) RetryAfter() string { return s.header }

func ExampleNewRetryAfter() {
	limiter := ratelimit.NewRetryAfter(ratelimit.RetryAfterOptions[string]{
		Limiter: ratelimit.NewExponential[string](ratelimit.ExponentialOptions{BaseDelay: time.Second}),
	})
	err := fmt.Errorf("list machines: %w", slowDown{header: "30"})
	fmt.Println(limiter.WhenError("a", err, "throttled"))
	fmt.Println(limiter.WhenError("a", errors.New("no route"), "error"))
	// Output:
	// 30s
	// 2s
}

// Two controllers that together retry ten times at once, and then once a minute. The
// first has what is everybody's, but not what is kept for the second.
func ExampleNewBudget() {
	budget := ratelimit.NewBudget(ratelimit.BudgetOptions{MinRate: 1. / 60, Burst: 10, Share: 0.001})
	var limiters []*ratelimit.Budgeted[int]
	for _, weight := range []float64{1, 2} {
		limiters = append(limiters, ratelimit.NewBudgeted(ratelimit.BudgetedOptions[int]{
			Budget: budget, Weight: weight,
			Limiter: ratelimit.NewExponential[int](ratelimit.ExponentialOptions{}),
		}))
	}
	for _, limiter := range limiters {
		atOnce := 0
		for item := range 20 {
			if limiter.When(item) < time.Second {
				atOnce++
			}
		}
		fmt.Println(atOnce)
	}
	// Output:
	// 7
	// 3
}

func ExampleNewBudgeted() {
	limiter := ratelimit.NewBudgeted(ratelimit.BudgetedOptions[string]{
		Budget:  ratelimit.NewBudget(ratelimit.BudgetOptions{MinRate: 1. / 50, Burst: 2, Share: 0.001}),
		Limiter: ratelimit.NewExponential[string](ratelimit.ExponentialOptions{BaseDelay: time.Second}),
	})
	for _, item := range []string{"a", "b", "c"} {
		fmt.Println(item, limiter.When(item).Round(10*time.Second))
	}
	// Output:
	// a 0s
	// b 0s
	// c 50s
}

func ExampleObserve() {
	limiter := ratelimit.Observe[string](
		ratelimit.NewExponential[string](ratelimit.ExponentialOptions{}),
		func(class string, delay time.Duration) { fmt.Println(class, delay) })
	limiter.WhenError("a", errors.New("no route"), "error")
	// Output: error 5ms
}

// A queue of one's own that nobody disturbs: a second one gets a limiter of its own.
func ExampleOwn() {
	limiter := ratelimit.NewExponential[string](ratelimit.ExponentialOptions{})
	first, release, shared := ratelimit.Own[string](limiter)
	fmt.Println(shared)
	second, releaseSecond, shared := ratelimit.Own[string](limiter)
	fmt.Println(shared)
	first.When("a")
	second.Forget("a") // a success in the second queue
	fmt.Println(first.NumRequeues("a"))
	releaseSecond()
	release()
	// Output:
	// false
	// true
	// 1
}
