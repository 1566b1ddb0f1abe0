package ratelimit

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"k8s.io/client-go/util/workqueue"

	"github.com/trimtab/trimtab/internal/null"
)

// ByErrorOptions configures [NewByError].
type ByErrorOptions[T comparable] struct {
	// Default is the limiter for the classes that Classes does not have, and for
	// failures of which none is known. It must be set.
	Default workqueue.TypedRateLimiter[T]

	// Classes is a limiter for each of some classes of failures; package reconcile
	// lists the built-in ones, and Class in its Options adds others. Two classes may
	// share one. "success" and "" are no classes of a failure.
	Classes map[string]workqueue.TypedRateLimiter[T]
}

// Validate returns an error that names the first field which is impossible.
func (o ByErrorOptions[T]) Validate() error {
	if null.Is(o.Default) {
		return fmt.Errorf("ratelimit: Default %T(nil): must be a limiter", o.Default)
	}
	for _, class := range slices.Sorted(maps.Keys(o.Classes)) {
		l := o.Classes[class]
		if null.Is(l) {
			return fmt.Errorf("ratelimit: Classes[%q] %T(nil): must be a limiter", class, l)
		}
		if !isFailure(class) {
			return fmt.Errorf("ratelimit: Classes[%q]: want the class of a failure", class)
		}
	}
	return nil
}

// ByError asks another limiter for each class of failures, so that what has to wait
// for somebody waits for long, and a conflict does not make the next error wait
// longer. Each counts the failures of its own classes. It is safe for concurrent
// use if the limiters are.
//
// Only package queue tells it the class; with another queue all is Default's.
type ByError[T comparable] struct {
	opts     ByErrorOptions[T]
	distinct []workqueue.TypedRateLimiter[T] // each once
}

// NewByError returns a limiter that asks those of opts. It panics with the error of
// [ByErrorOptions.Validate], if there is one.
func NewByError[T comparable](opts ByErrorOptions[T]) *ByError[T] {
	if err := opts.Validate(); err != nil {
		panic(err)
	}
	opts.Classes = maps.Clone(opts.Classes)
	b := &ByError[T]{opts: opts, distinct: []workqueue.TypedRateLimiter[T]{opts.Default}}
	for _, l := range opts.Classes {
		if !slices.ContainsFunc(b.distinct, func(d workqueue.TypedRateLimiter[T]) bool { return same(d, l) }) {
			b.distinct = append(b.distinct, l)
		}
	}
	return b
}

// When asks Default.
func (b *ByError[T]) When(item T) time.Duration { return b.opts.Default.When(item) }

// WhenError implements [ErrorAware].
func (b *ByError[T]) WhenError(item T, err error, class string) time.Duration {
	l, ok := b.opts.Classes[class]
	if !ok {
		l = b.opts.Default
	}
	return whenError(l, item, err, class)
}

// Forget makes all of them forget item.
func (b *ByError[T]) Forget(item T) {
	for _, l := range b.distinct {
		l.Forget(item)
	}
}

// NumRequeues returns how many failures in a row item has had, of all classes.
func (b *ByError[T]) NumRequeues(item T) int {
	sum := 0
	for _, l := range b.distinct {
		sum = min(sum+l.NumRequeues(item), maxFailures)
	}
	return sum
}
