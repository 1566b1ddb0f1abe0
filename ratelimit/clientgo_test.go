package ratelimit_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/time/rate"
	"k8s.io/client-go/util/workqueue"

	"github.com/trimtab/trimtab/ratelimit"
)

// Each limiter of client-go has its like here, which gives the same delays: for the
// numbers of client-go's own tests and others, far beyond any overflow.
func TestClientGoHasItsLike(t *testing.T) {
	type pair struct{ like, clientGo limiters }
	exp := func(base, ceiling time.Duration) pair {
		return pair{
			exponential(ratelimit.ExponentialOptions{BaseDelay: base, MaxDelay: ceiling}),
			workqueue.NewTypedItemExponentialFailureRateLimiter[string](base, ceiling),
		}
	}
	fast := func(quick, slow time.Duration, attempts int) pair {
		return pair{
			ratelimit.NewFastSlow[string](ratelimit.FastSlowOptions{FastDelay: quick, SlowDelay: slow, FastAttempts: attempts}),
			workqueue.NewTypedItemFastSlowRateLimiter[string](quick, slow, attempts),
		}
	}
	tenOfAHundred := func() pair {
		return pair{
			bucket(ratelimit.BucketOptions{Rate: 10, Burst: 100}),
			&workqueue.TypedBucketRateLimiter[string]{Limiter: rate.NewLimiter(10, 100)},
		}
	}
	both := func(pairs ...pair) pair {
		var like, clientGo []limiters
		for _, p := range pairs {
			like, clientGo = append(like, p.like), append(clientGo, p.clientGo)
		}
		return pair{ratelimit.NewMaxOf(like...), workqueue.NewTypedMaxOfRateLimiter(clientGo...)}
	}
	capped := func(p pair, most time.Duration) pair {
		return pair{ratelimit.NewCapped(p.like, most), workqueue.NewTypedWithMaxWaitRateLimiter(p.clientGo, most)}
	}
	for name, build := range map[string]func() pair{
		"exponential":           func() pair { return exp(time.Millisecond, time.Second) },
		"exponential, overflow": func() pair { return exp(time.Millisecond, 1000*time.Second) },
		"exponential, hours":    func() pair { return exp(time.Minute, 1000*time.Hour) },
		"fast and slow":         func() pair { return fast(5*time.Millisecond, 10*time.Second, 3) },
		"bucket":                tenOfAHundred,
		"max of fast and exponential": func() pair {
			return both(fast(5*time.Millisecond, 3*time.Second, 3), exp(time.Millisecond, time.Second))
		},
		"default": func() pair { return both(exp(5*time.Millisecond, 1000*time.Second), tenOfAHundred()) },
		"capped":  func() pair { return capped(exp(time.Second, 1000*time.Second), 500*time.Second) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := build()
				for i := range 1200 {
					for _, item := range slices.Repeat([]string{"one", "two"}, 1+i%2) {
						want := p.clientGo.When(item)
						if !cmpWithin(want, p.like.When(item), 1+want/1e9) {
							require.Fail(t, "another delay", "after %d", i)
						}
					}
					require.Equal(t, p.clientGo.NumRequeues("one"), p.like.NumRequeues("one"))
					if i == 40 {
						p.clientGo.Forget("one")
						p.like.Forget("one")
						require.Zero(t, p.like.NumRequeues("one"))
					}
				}
			})
		})
	}
}

func cmpWithin(a, b, delta time.Duration) bool { return (a - b).Abs() <= delta }
