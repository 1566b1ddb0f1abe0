package ratelimit

import (
	"errors"
	"time"

	"k8s.io/client-go/util/workqueue"
)

// MaxOf asks several limiters and takes the longest delay. It is safe for concurrent
// use if they are. If one is an [ErrorAware], so is it.
type MaxOf[T comparable] struct {
	limiters []workqueue.TypedRateLimiter[T]
}

// NewMaxOf returns a limiter that asks all of these. It panics if there are none, or
// if one is nil. One that is in it twice counts each failure twice.
func NewMaxOf[T comparable](limiters ...workqueue.TypedRateLimiter[T]) *MaxOf[T] {
	if len(limiters) == 0 {
		panic(errors.New("ratelimit: NewMaxOf(): want at least one limiter"))
	}
	for i, l := range limiters {
		mustBeThere("NewMaxOf", i, l)
	}
	return &MaxOf[T]{limiters: append([]workqueue.TypedRateLimiter[T]{}, limiters...)}
}

// When lets each limiter count one failure of item, and returns the longest of their
// delays.
func (m *MaxOf[T]) When(item T) time.Duration {
	var longest time.Duration
	for _, l := range m.limiters {
		longest = max(longest, l.When(item))
	}
	return longest
}

// WhenError implements [ErrorAware].
func (m *MaxOf[T]) WhenError(item T, err error, class string) time.Duration {
	var longest time.Duration
	for _, l := range m.limiters {
		longest = max(longest, whenError(l, item, err, class))
	}
	return longest
}

// Forget makes all of them forget item.
func (m *MaxOf[T]) Forget(item T) {
	for _, l := range m.limiters {
		l.Forget(item)
	}
}

// NumRequeues returns the most failures that one of them knows.
func (m *MaxOf[T]) NumRequeues(item T) int {
	most := 0
	for _, l := range m.limiters {
		most = max(most, l.NumRequeues(item))
	}
	return most
}
