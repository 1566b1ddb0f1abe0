package trimtab

import (
	"errors"
	"fmt"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trimtab/trimtab/internal/null"
	"github.com/trimtab/trimtab/queue"
	"github.com/trimtab/trimtab/reconcile"
)

// Options configures New.
type Options = TypedOptions[reconcile.Request]

// TypedOptions configures NewTyped. The zero value is the default.
type TypedOptions[request comparable] struct {
	// For is an object of the kind that the loop is for, as given to the
	// builder's For. With it and a client of Client or NewClient, a run whose own
	// object is gone does not fail, a backoff starts anew when the object is
	// changed or deleted, and Queue.MaxInterval, which needs For, works. It needs
	// requests of type reconcile.Request. Nil means unknown.
	For client.Object

	// RateLimiter says how long a failing request waits, unless the controller's
	// options have a limiter. It must not be shared with another loop. Nil means
	// ratelimit.NewExponential from 5 ms to 1000 s, as controller-runtime's, with
	// jitter 0.2.
	RateLimiter workqueue.TypedRateLimiter[request]

	// Queue configures the work queue: who is served when, and what is held back.
	// RateLimiter, Observer and Log in it are the loop's own and must not be set.
	// MaxInterval needs For, and so requests of type reconcile.Request; if the
	// reconciler has another client than one of Client or NewClient, it does nothing,
	// and the log says so after some runs.
	// A nil MetricsProvider means controller-runtime's own workqueue_* collectors,
	// which are in its registry, whatever Registerer is.
	Queue queue.Options[request]

	// Reconcile configures the chain around the reconciler: a deadline, what is quiet,
	// classes, traces. Queue, Observer and For in it are the loop's own and must not
	// be set.
	Reconcile reconcile.Options[request]

	// Registerer is where the loop's metrics are registered; loops with the same
	// one share their collectors. A metrics.New with options of your own that you have
	// registered there before is used, too. Nil means controller-runtime's registry,
	// which a manager's metrics server serves.
	Registerer prometheus.Registerer

	// DisableMetrics turns the metrics off, the workqueue_* ones too unless Queue has
	// a MetricsProvider. It must not be set together with Registerer.
	DisableMetrics bool

	// Log gets what is wrong with the wiring of the loop. The zero value means
	// controller-runtime's logger.
	Log logr.Logger
}

// Validate returns an error that names the first impossible field and its value.
func (o TypedOptions[request]) Validate() error {
	if err := o.validateChain(); err != nil {
		return err
	}
	if err := o.validateQueue(); err != nil {
		return err
	}
	if o.RateLimiter != nil && null.Is(o.RateLimiter) {
		return fmt.Errorf("trimtab: RateLimiter (%T)(nil): must point to a limiter", o.RateLimiter)
	}
	if o.Registerer != nil && null.Is(o.Registerer) {
		return fmt.Errorf("trimtab: Registerer (%T)(nil): must point to a registry", o.Registerer)
	}
	if o.DisableMetrics && o.Registerer != nil {
		return fmt.Errorf("trimtab: DisableMetrics with Registerer %T: must not be set together", o.Registerer)
	}
	return nil
}

func (o TypedOptions[request]) validateChain() error {
	switch {
	case o.Reconcile.Queue != nil:
		return fmt.Errorf("trimtab: Reconcile.Queue %T: the loop has its own queue", o.Reconcile.Queue)
	case o.Reconcile.Observer != nil:
		return fmt.Errorf("trimtab: Reconcile.Observer %T: the loop observes its runs itself", o.Reconcile.Observer)
	case o.Reconcile.For != nil:
		return fmt.Errorf("trimtab: Reconcile.For %T: set Options.For instead", o.Reconcile.For)
	}
	if err := o.chain(ends[request]{}).Validate(); err != nil {
		return fmt.Errorf("trimtab: %w", err)
	}
	return nil
}

// chain returns the options of the loop's chain, which is joined to it by e.
func (o TypedOptions[request]) chain(e ends[request]) reconcile.Options[request] {
	chain := o.Reconcile
	chain.Queue, chain.Observer, chain.For = e, e, o.For
	return chain
}

func (o TypedOptions[request]) validateQueue() error {
	switch {
	case o.Queue.RateLimiter != nil:
		return fmt.Errorf("trimtab: Queue.RateLimiter %T: set Options.RateLimiter instead", o.Queue.RateLimiter)
	case o.Queue.Observer != nil:
		return fmt.Errorf("trimtab: Queue.Observer %T: the loop observes its queue itself", o.Queue.Observer)
	case !o.Queue.Log.IsZero():
		return errors.New("trimtab: Queue.Log: set Options.Log instead")
	}
	if err := o.Queue.Validate(); err != nil {
		return fmt.Errorf("trimtab: %w", err)
	}
	if o.Queue.MaxInterval > 0 && o.For == nil {
		return fmt.Errorf("trimtab: Queue.MaxInterval %s: needs For, and so requests of type reconcile.Request", o.Queue.MaxInterval)
	}
	return nil
}
