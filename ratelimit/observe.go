package ratelimit

import (
	"errors"
	"time"

	"k8s.io/client-go/util/workqueue"
)

// Observed tells a function of the delays of another limiter. It is safe for
// concurrent use if both are.
type Observed[T comparable] struct {
	limiter workqueue.TypedRateLimiter[T]
	observe func(class string, delay time.Duration)
}

// Observe returns limiter with its delays told to observe, by the class of the
// failure, which is "" if nobody tells it: only package queue does. Observe is
// called by the worker that has failed, and must not block. It is for a queue that
// is not Trimtab's: that has an observer of its own. Observe panics if either is
// nil.
func Observe[T comparable](limiter workqueue.TypedRateLimiter[T], observe func(class string, delay time.Duration)) *Observed[T] {
	mustBeThere("Observe", 0, limiter)
	if observe == nil {
		panic(errors.New("ratelimit: Observe: the function is nil"))
	}
	return &Observed[T]{limiter: limiter, observe: observe}
}

// When asks the limiter.
func (o *Observed[T]) When(item T) time.Duration {
	d := o.limiter.When(item)
	o.observe("", d)
	return d
}

// WhenError implements [ErrorAware].
func (o *Observed[T]) WhenError(item T, err error, class string) time.Duration {
	d := whenError(o.limiter, item, err, class)
	o.observe(class, d)
	return d
}

// Forget makes the limiter forget item.
func (o *Observed[T]) Forget(item T) { o.limiter.Forget(item) }

// NumRequeues returns how many failures of item the limiter knows.
func (o *Observed[T]) NumRequeues(item T) int { return o.limiter.NumRequeues(item) }
