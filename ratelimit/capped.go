package ratelimit

import (
	"time"

	"k8s.io/client-go/util/workqueue"
)

// Capped bounds the delays of another limiter. It is safe for concurrent use if that
// is.
type Capped[T comparable] struct {
	limiter  workqueue.TypedRateLimiter[T]
	maxDelay time.Duration
}

// NewCapped returns limiter with its delays bounded by maxDelay, which is more than
// zero. It panics if that is not so, or if limiter is nil.
func NewCapped[T comparable](limiter workqueue.TypedRateLimiter[T], maxDelay time.Duration) *Capped[T] {
	mustBeThere("NewCapped", 0, limiter)
	if f := positive("maxDelay", maxDelay); f != nil {
		panic(f)
	}
	return &Capped[T]{limiter: limiter, maxDelay: maxDelay}
}

// When returns the delay of the limiter, at most the bound.
func (c *Capped[T]) When(item T) time.Duration { return min(c.limiter.When(item), c.maxDelay) }

// WhenError implements [ErrorAware].
func (c *Capped[T]) WhenError(item T, err error, class string) time.Duration {
	return min(whenError(c.limiter, item, err, class), c.maxDelay)
}

// Forget makes the limiter forget item.
func (c *Capped[T]) Forget(item T) { c.limiter.Forget(item) }

// NumRequeues returns how many failures of item the limiter knows.
func (c *Capped[T]) NumRequeues(item T) int { return c.limiter.NumRequeues(item) }
