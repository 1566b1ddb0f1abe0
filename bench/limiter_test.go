package bench_test

import (
	"fmt"
	"testing"
	"time"

	"k8s.io/client-go/util/workqueue"

	"github.com/trimtab/trimtab/ratelimit"
)

// BenchmarkLimiter lets keys fail. Known ones failed before; those that recover are
// forgotten after each failure.
func BenchmarkLimiter(b *testing.B) {
	const n = 10_000
	keys := requests(n)
	for _, op := range []string{"failure-of-known-keys", "failure-and-recovery"} {
		for _, limiter := range []struct {
			name string
			of   workqueue.TypedRateLimiter[request]
		}{
			{ours, ratelimit.NewExponential[request](ratelimit.ExponentialOptions{Jitter: 0.2})},
			{clientGo, workqueue.NewTypedItemExponentialFailureRateLimiter[request](5*time.Millisecond, 1000*time.Second)},
		} {
			b.Run(fmt.Sprintf("op=%s/by=%s", op, limiter.name), func(b *testing.B) {
				i := 0
				b.ReportAllocs()
				for b.Loop() {
					limiter.of.When(keys[i%n])
					if op == "failure-and-recovery" {
						limiter.of.Forget(keys[i%n])
					}
					i++
				}
			})
		}
	}
}
