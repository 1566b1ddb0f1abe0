package ratelimit_test

import (
	"runtime"
	"strconv"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"

	"github.com/trimtab/trimtab/ratelimit"
)

// forEach runs a benchmark of each limiter, by one goroutine and by several.
func forEach(b *testing.B, limiters map[string]workqueue.TypedRateLimiter[string]) {
	b.Helper()
	for name, l := range limiters {
		b.Run(name+"/single", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				l.When("default/k")
			}
		})
		b.Run(name+"/parallel", func(b *testing.B) {
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					l.When("default/k")
				}
			})
		})
	}
}

// BenchmarkWhenExponential stands beside client-go's limiter of the same numbers.
func BenchmarkWhenExponential(b *testing.B) {
	forEach(b, map[string]workqueue.TypedRateLimiter[string]{
		"trimtab":  ratelimit.NewExponential[string](ratelimit.ExponentialOptions{}),
		"jitter":   ratelimit.NewExponential[string](ratelimit.ExponentialOptions{Jitter: 0.2}),
		"clientgo": workqueue.NewTypedItemExponentialFailureRateLimiter[string](5*time.Millisecond, 1000*time.Second),
	})
}

// BenchmarkWhenBucket stands beside client-go's default for plain queues.
func BenchmarkWhenBucket(b *testing.B) {
	forEach(b, map[string]workqueue.TypedRateLimiter[string]{
		"trimtab": ratelimit.NewBucket[string](ratelimit.BucketOptions{}),
		"composed": ratelimit.NewMaxOf[string](
			ratelimit.NewExponential[string](ratelimit.ExponentialOptions{}), ratelimit.NewBucket[string](ratelimit.BucketOptions{})),
		"clientgo": workqueue.DefaultTypedControllerRateLimiter[string](),
	})
}

// BenchmarkBytesOfAKey tells what a failing key costs, of a million.
func BenchmarkBytesOfAKey(b *testing.B) {
	const n = 1_000_000
	keys := make([]types.NamespacedName, n)
	for i := range keys {
		keys[i] = types.NamespacedName{Namespace: "default", Name: "key-" + strconv.Itoa(i)}
	}
	for name, build := range map[string]func() workqueue.TypedRateLimiter[types.NamespacedName]{
		"trimtab": func() workqueue.TypedRateLimiter[types.NamespacedName] {
			return ratelimit.NewExponential[types.NamespacedName](ratelimit.ExponentialOptions{})
		},
		"clientgo": func() workqueue.TypedRateLimiter[types.NamespacedName] {
			return workqueue.NewTypedItemExponentialFailureRateLimiter[types.NamespacedName](5*time.Millisecond, 1000*time.Second)
		},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				before := heapInUse()
				l := build()
				for _, k := range keys {
					l.When(k)
				}
				b.ReportMetric(float64(heapInUse()-before)/n, "B/key")
				runtime.KeepAlive(l)
			}
			runtime.KeepAlive(keys)
		})
	}
}

// heapInUse returns how many bytes are in use.
func heapInUse() int64 {
	runtime.GC()
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return int64(s.HeapAlloc) //nolint:gosec // It fits.
}
