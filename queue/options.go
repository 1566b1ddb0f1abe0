package queue

import (
	"fmt"
	"reflect"
	"time"

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

	// GiveUp is how many failures in a row of a request are retried: the one after
	// that is not, which the log, the Observer and OnGiveUp are told, once. Events
	// still run the request; while it fails, that earns no retry and is not told
	// again. A success, a failure reset and Forget start the count anew. A
	// Result.Requeue without an error is no failure; without the chain of package
	// reconcile it counts as one, since nobody tells them apart. Zero means never.
	GiveUp int

	// OnGiveUp is called when a request is given up, with the number of its failures
	// in a row and the last error, nil without the chain of package reconcile. It is
	// called by the worker, in no lock, and delays only that; a panic of it is
	// logged. Nil means nobody is called.
	OnGiveUp func(request T, failures int, err error)

	// DisableFailureReset turns the failure reset off. When a run fails whose object
	// was changed or deleted since the last one that failed, the rate limiter
	// forgets the request first, so that its next try is soon, and GiveUp counts
	// anew: somebody has tried to mend it. That takes a new generation, which no
	// write of the runs themselves returned, or the start of the deletion, as
	// Outcome.Object tells them. After the third reset without a success there is
	// at most one in 1000 s.
	DisableFailureReset bool

	// MaxInterval is the longest time after a run that a request is left alone: if
	// nothing else is to run it, it runs again then, as a Periodic one, also after a
	// terminal error and after GiveUp. It takes that the run found its object and
	// did not call reconcile.Stop; see Outcome. Zero means for ever.
	MaxInterval time.Duration

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
	if o.GiveUp < 0 {
		return fmt.Errorf("queue: GiveUp %d: must not be negative", o.GiveUp)
	}
	if o.MaxInterval < 0 {
		return fmt.Errorf("queue: MaxInterval %s: must not be negative", o.MaxInterval)
	}
	return nil
}

// isNil reports whether v holds a nil pointer: not nil itself, and of no use.
func isNil(v any) bool {
	value := reflect.ValueOf(v)
	return value.Kind() == reflect.Pointer && value.IsNil()
}
