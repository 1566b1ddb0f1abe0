package bench_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"k8s.io/client-go/util/workqueue"

	"github.com/trimtab/trimtab/ratelimit"
)

// BenchmarkFailing measures what a failing key takes in a limiter that counts its
// failures. What the key points to is not counted.
func BenchmarkFailing(b *testing.B) {
	keys := requests(size(1_000_000, 100_000))
	for _, l := range []struct {
		name string
		new  func() workqueue.TypedRateLimiter[request]
	}{
		{ours, func() workqueue.TypedRateLimiter[request] {
			return ratelimit.NewExponential[request](ratelimit.ExponentialOptions{})
		}},
		{clientGo, perItem},
	} {
		b.Run(fmt.Sprintf("keys=%d/by=%s", len(keys), l.name), func(b *testing.B) {
			live := 0.0
			for b.Loop() {
				before := heap()
				limiter := l.new()
				fail(limiter, keys)
				live += heap() - before
				runtime.KeepAlive(limiter)
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(live/float64(b.N*len(keys)), "live-B/key")
			runtime.KeepAlive(keys)
		})
	}
}

func fail(l workqueue.TypedRateLimiter[request], keys []request) {
	for _, key := range keys {
		l.When(key)
	}
}

// lifetime is for how long a limiter of BenchmarkVanished remembers what fails no more.
const lifetime = 120 * time.Millisecond

// BenchmarkVanished lets a million keys fail once. A thousand go on failing, until the
// others have not for three of their lifetimes. It compares the heap with that of a
// limiter which has seen no others.
func BenchmarkVanished(b *testing.B) {
	keys := requests(size(1_000_000, 100_000))
	for _, l := range []struct {
		name string
		new  func() workqueue.TypedRateLimiter[request]
		wait time.Duration // between the failures of those that go on
	}{
		{ours, func() workqueue.TypedRateLimiter[request] {
			return ratelimit.NewExponential[request](ratelimit.ExponentialOptions{MaxDelay: lifetime / 2, TTL: lifetime / 2})
		}, lifetime / 4},
		{clientGo, perItem, 0}, // it has no lifetime
	} {
		b.Run(fmt.Sprintf("keys=%d/by=%s", len(keys), l.name), func(b *testing.B) {
			factor := 0.0
			for b.Loop() {
				factor += remembered(l.new(), keys, l.wait) / remembered(l.new(), keys[:staying], 0)
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(factor/float64(b.N), "x-alone")
			runtime.KeepAlive(keys)
		})
	}
}

// remembered returns the heap of a new limiter in which all keys fail, and then the
// first of them twelve times more.
func remembered(l workqueue.TypedRateLimiter[request], keys []request, wait time.Duration) float64 {
	before := heap()
	fail(l, keys)
	for range 12 {
		time.Sleep(wait)
		fail(l, keys[:staying])
	}
	after := heap()
	runtime.KeepAlive(l)
	return after - before
}
