package bench_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"k8s.io/client-go/util/workqueue"

	"github.com/trimtab/trimtab/ratelimit"
)

// BenchmarkLimiter lets keys fail. Known ones failed before; those that recover are
// forgotten after each failure, or after ten in a row.
func BenchmarkLimiter(b *testing.B) {
	const n = 10_000
	keys := requests(n)
	for _, op := range []struct {
		name string
		row  int // of failures of a key
	}{{"failure-of-known-keys", 0}, {"failure-and-recovery", 1}, {"failure,-with-a-tenth-of-a-recovery", 10}} {
		for _, limiter := range []struct {
			name string
			of   workqueue.TypedRateLimiter[request]
		}{
			{ours, ratelimit.NewExponential[request](ratelimit.ExponentialOptions{Jitter: 0.2})},
			{clientGo, perItem()},
		} {
			b.Run(fmt.Sprintf("op=%s/by=%s", op.name, limiter.name), func(b *testing.B) {
				i := 0
				b.ReportAllocs()
				for b.Loop() {
					key := keys[i/max(1, op.row)%n]
					limiter.of.When(key)
					i++
					if op.row > 0 && i%op.row == 0 {
						limiter.of.Forget(key)
					}
				}
			})
		}
	}
}

// limiter is a rate limiter under the name of who made it.
type limiter struct {
	name string
	workqueue.TypedRateLimiter[request]
}

// BenchmarkExponential lets a key fail, without jitter: client-go's limiter has none.
func BenchmarkExponential(b *testing.B) {
	benchmarkFailure(b,
		limiter{ours, ratelimit.NewExponential[request](ratelimit.ExponentialOptions{})}, limiter{clientGo, perItem()})
}

// BenchmarkBucket stands beside client-go's default for plain queues, which is a bucket
// and more.
func BenchmarkBucket(b *testing.B) {
	benchmarkFailure(b, limiter{ours, bucket()}, limiter{clientGo, workqueue.DefaultTypedControllerRateLimiter[request]()})
}

// BenchmarkMaxOf stands beside the same, and does the same.
func BenchmarkMaxOf(b *testing.B) {
	benchmarkFailure(b,
		limiter{ours, ratelimit.NewMaxOf(ratelimit.NewExponential[request](ratelimit.ExponentialOptions{}), bucket())},
		limiter{clientGo, workqueue.DefaultTypedControllerRateLimiter[request]()})
}

// perItem is client-go's limiter with the numbers of the zero value of ours.
func perItem() workqueue.TypedRateLimiter[request] {
	return workqueue.NewTypedItemExponentialFailureRateLimiter[request](5*time.Millisecond, 1000*time.Second)
}

// bucket has client-go's numbers, and no end of its line.
func bucket() workqueue.TypedRateLimiter[request] {
	return ratelimit.NewBucket[request](ratelimit.BucketOptions{MaxDelay: math.MaxInt64})
}

// benchmarkFailure lets a key fail by one goroutine, then by as many as there are CPUs.
func benchmarkFailure(b *testing.B, limiters ...limiter) {
	b.Helper()
	key := requests(1)[0]
	for _, l := range limiters {
		b.Run("op=one-caller/by="+l.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				l.When(key)
			}
		})
	}
	for _, l := range limiters {
		b.Run("op=a-caller-on-each-CPU/by="+l.name, func(b *testing.B) {
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					l.When(key)
				}
			})
		})
	}
}
