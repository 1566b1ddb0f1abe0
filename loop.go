package trimtab

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/go-logr/logr"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"

	"github.com/trimtab/trimtab/internal/null"
	"github.com/trimtab/trimtab/metrics"
	"github.com/trimtab/trimtab/predicate"
	"github.com/trimtab/trimtab/queue"
	"github.com/trimtab/trimtab/ratelimit"
	"github.com/trimtab/trimtab/reconcile"
	"github.com/trimtab/trimtab/trigger"
)

// Loop is the loop of a controller whose requests are reconcile.Request.
type Loop = TypedLoop[reconcile.Request]

// TypedLoop joins the parts of Trimtab to one controller. Make one with New or
// NewTyped for each controller. It is safe for concurrent use.
type TypedLoop[request comparable] struct {
	name    string
	opts    TypedOptions[request]
	log     logr.Logger
	metrics *metrics.Metrics // nil if they are disabled
	sight   *sight
	slow    slowRuns[request]

	starting sync.Mutex // held while a queue joins the loop
	current  atomic.Pointer[wiring[request]]
	wrapped  atomic.Bool // Reconciler was called
	said     atomic.Bool // that the queue is missing
}

// New returns a loop. The name is what the loop is called in the log; metrics bear
// the name of the controller, unless that has another queue. It panics with the
// error of Options.Validate if an option is impossible, and if the name is empty.
func New(name string, opts Options) *Loop { return NewTyped(name, opts) }

// NewTyped is New for a controller with requests of another type.
func NewTyped[request comparable](name string, opts TypedOptions[request]) *TypedLoop[request] {
	if name == "" {
		panic(errors.New(`trimtab: name "": must not be empty`))
	}
	if err := opts.Validate(); err != nil {
		panic(err)
	}
	l := &TypedLoop[request]{name: name, opts: opts, log: opts.Log}
	if l.log.IsZero() {
		l.log = ctrl.Log.WithName("trimtab")
	}
	l.log = l.log.WithValues("loop", name)
	if !opts.DisableMetrics {
		l.metrics = register(opts.Registerer, l.log)
	}
	l.sight = newSight(opts.For, opts.Queue.MaxInterval > 0, l.log)
	return l
}

// ControllerOptions returns base with the loop's queue and rate limiter in it. A
// NewQueue or RateLimiter that base has stays: without the loop's queue, what
// triggered a run is unknown. UsePriorityQueue has no meaning with the loop's
// queue, which always is a priority queue. It panics if the RateLimiter that base has
// is a nil pointer, rather than when the controller starts.
//
// A loop serves one controller at a time. A second one that starts meanwhile gets
// a queue that works, and whose signals are not counted; the log says so. Runs of
// the loop's Reconciler count under the first one.
func (l *TypedLoop[request]) ControllerOptions(base controller.TypedOptions[request]) controller.TypedOptions[request] {
	if base.RateLimiter == nil {
		base.RateLimiter = l.opts.RateLimiter
	} else if null.Is(base.RateLimiter) {
		panic(fmt.Errorf("trimtab: ControllerOptions: RateLimiter (%T)(nil): must point to a limiter", base.RateLimiter))
	}
	if base.RateLimiter == nil {
		base.RateLimiter = ratelimit.NewExponential[request](ratelimit.ExponentialOptions{Jitter: 0.2})
	}
	if base.NewQueue == nil {
		base.NewQueue = l.newQueue
	}
	return base
}

// Reconciler returns r in the loop's chain, which measures its runs, sorts their
// outcomes, and tells the queue how they ended. Give it to the controller that has
// the loop's ControllerOptions. It panics if r is nil.
func (l *TypedLoop[request]) Reconciler(r reconcile.TypedReconciler[request]) reconcile.TypedReconciler[request] {
	if null.Is(r) {
		panic(errors.New("trimtab: Reconciler(nil): the reconciler must not be nil"))
	}
	l.wrapped.Store(true)
	return reconcile.New(r, l.opts.chain(l.ends()))
}

// Observe returns p with each of its answers counted, in trimtab_events_total,
// under what the watch is and a name for p; and with its panics survived and
// counted, in trimtab_predicate_panics_total: the event passes then. It is
// predicate.Observe, and does not change what p says otherwise:
//
//	For(&certv1.Certificate{}, builder.WithPredicates(
//		loop.Observe(trigger.Primary, "SpecChanged", predicate.SpecChanged())))
//
// The predicates of a list are asked in turn until one drops the event, so that
// a later one counts less; to count the whole, observe predicate.All of them.
// predicate.Typed lifts the result for typed builders. It panics as
// predicate.Observe does.
func (l *TypedLoop[request]) Observe(source trigger.Source, name string, p predicate.Predicate) predicate.Predicate {
	return predicate.Observe(l.ends(), source, name, p)
}

// Client returns c with its calls accounted to the run in whose context they are
// made. It is reconcile.Client, and serves any number of loops.
func (l *TypedLoop[request]) Client(c client.Client) client.Client { return reconcile.Client(c) }

// NewClient makes a client whose calls are accounted to the run in whose context
// they are made. It serves all loops of a manager:
//
//	ctrl.NewManager(config, manager.Options{NewClient: trimtab.NewClient})
//
// A client without a Mapper in its options, which a manager gives it, makes one at its
// first call, and that heeds no deadline of a run.
func NewClient(config *rest.Config, options client.Options) (client.Client, error) {
	c, err := client.New(config, options)
	if err != nil {
		return nil, err
	}
	return reconcile.Client(c), nil
}

// Snapshot returns the state of the queue of the controller that runs now. It is
// the zero Snapshot if none does, or if that has another queue.
func (l *TypedLoop[request]) Snapshot() queue.Snapshot[request] {
	if w := l.current.Load(); w.live() {
		return w.queue.Snapshot()
	}
	return queue.Snapshot[request]{}
}

// newQueue makes the queue of a controller that starts, and joins the loop to it.
func (l *TypedLoop[request]) newQueue(controllerName string, limiter workqueue.TypedRateLimiter[request]) workqueue.TypedRateLimitingInterface[request] {
	l.starting.Lock()
	defer l.starting.Unlock()
	options := l.opts.Queue
	options.RateLimiter, options.Log = limiter, l.log
	if options.MetricsProvider == nil && !l.opts.DisableMetrics {
		options.MetricsProvider = standardMetrics(controllerName, l.log)
	}
	if w := l.current.Load(); w.live() {
		l.log.Error(errors.New("trimtab: a loop serves one controller"), "A second controller has started on this loop: its queue works, its signals are not counted",
			"controller", w.queue.Name(), "second", controllerName)
		return queue.New(controllerName, options)
	}
	if !l.wrapped.Load() {
		l.log.Info("The reconciler is not wrapped: use Complete(loop.Reconciler(r)). Until then runs are not measured, and requeues are told from events by guess",
			"controller", controllerName)
	}
	w := &wiring[request]{}
	if l.metrics != nil {
		w.signals = l.metrics.Controller(controllerName)
		options.Observer = w.signals
	}
	w.queue = queue.New(controllerName, options)
	if l.metrics != nil {
		w.signals.AddState(w.state)
	}
	l.current.Store(w)
	return w.queue
}
