package queue

import (
	"fmt"
	"reflect"

	"github.com/go-logr/logr"
	"k8s.io/client-go/util/workqueue"
)

// DefaultSaturationDepth is the number of ready requests above which a queue is
// not keeping up: the threshold of the queue depth signal.
const DefaultSaturationDepth = 100

// Options configures New. The zero value is the default.
type Options[T comparable] struct {
	// RateLimiter says how long a failing request waits. It must not be shared
	// with another queue: a success in one would wipe the backoff of the other.
	// Nil means ratelimit.NewExponential from 5 ms to 1000 s with jitter 0.2.
	RateLimiter workqueue.TypedRateLimiter[T]

	// Observer is told what passes through the queue. Nil means nobody is.
	Observer Observer

	// MetricsProvider makes the standard workqueue_* metrics: client-go's, with the
	// depth by priority if it is a PriorityDepth, too. A panic of one of them is
	// logged and ends them all. Nil means none, as does an empty name of the queue.
	// trimtab.Loop sets one that feeds controller-runtime's collectors.
	MetricsProvider workqueue.MetricsProvider

	// SaturationDepth is the number of ready requests, those that only a resync
	// caused aside, above which the queue counts as not keeping up. Zero means
	// DefaultSaturationDepth.
	SaturationDepth int

	// Log gets what nobody else can be told, such as a panic of the limiter.
	// The zero value discards it.
	Log logr.Logger
}

// Validate returns an error that names the first impossible field and its value.
func (o Options[T]) Validate() error {
	if isNil(o.RateLimiter) {
		return fmt.Errorf("queue: RateLimiter (%T)(nil): must point to a limiter", o.RateLimiter)
	}
	if isNil(o.Observer) {
		return fmt.Errorf("queue: Observer (%T)(nil): must point to an observer", o.Observer)
	}
	if isNil(o.MetricsProvider) {
		return fmt.Errorf("queue: MetricsProvider (%T)(nil): must point to a provider", o.MetricsProvider)
	}
	if o.SaturationDepth < 0 {
		return fmt.Errorf("queue: SaturationDepth %d: must not be negative", o.SaturationDepth)
	}
	return nil
}

// isNil reports whether v holds a nil pointer: not nil itself, and of no use.
func isNil(v any) bool {
	value := reflect.ValueOf(v)
	return value.Kind() == reflect.Pointer && value.IsNil()
}
