package reconcile

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trimtab/trimtab/internal/class"
	"github.com/trimtab/trimtab/queue"
	"github.com/trimtab/trimtab/trigger"
)

// Queue is what the chain needs of a work queue; *queue.Queue is one.
type Queue[request comparable] interface {
	// Running returns what is known of the run of that request that is in flight.
	Running(request) (trigger.Info, bool)
	// Report tells how the run ended, just before it returns.
	Report(request, queue.Outcome)
}

// InstrumentOptions configures Instrument. The zero value is the default.
type InstrumentOptions[request comparable] struct {
	// Queue is the work queue of the controller. Nil means another queue than
	// Trimtab's: what caused a run, and how long it waited, is unknown then.
	Queue Queue[request]

	// Observer is told of every run. Nil means nobody is.
	Observer Observer

	// For is an object of the kind that the reconciler is for; only its type, or
	// its GroupVersionKind if it is unstructured or metadata only, counts. It
	// needs requests that are reconcile.Request. Nil means unknown. With it, and a
	// client of Client, the queue learns of each run what the run's own object is
	// like: see queue.Object. A client whose scheme lacks the kind does not
	// recognise the object in another form than For's, nor in an apply.
	For client.Object
}

// Validate returns an error that names the first impossible field and its value.
func (o InstrumentOptions[request]) Validate() error {
	if o.Queue != nil && isNil(o.Queue) {
		return fmt.Errorf("reconcile: Queue (%T)(nil): must point to a queue", o.Queue)
	}
	if o.Observer != nil && isNil(o.Observer) {
		return fmt.Errorf("reconcile: Observer (%T)(nil): must point to an observer", o.Observer)
	}
	if o.For == nil {
		return nil
	}
	if isNil(o.For) {
		return fmt.Errorf("reconcile: For (%T)(nil): must point to an object", o.For)
	}
	if kindless(o.For) {
		return fmt.Errorf("reconcile: For %T without a kind: must have its GroupVersionKind set", o.For)
	}
	if _, ok := any(*new(request)).(Request); !ok {
		return fmt.Errorf("reconcile: For %T: needs requests of type reconcile.Request, not %T", o.For, *new(request))
	}
	return nil
}

// kindless reports whether neither obj nor its Go type says what kind it is.
func kindless(obj client.Object) bool {
	return generic(obj) && obj.GetObjectKind().GroupVersionKind().Kind == ""
}

// errPanic stands for the error that controller-runtime makes of a panic.
var errPanic = errors.New("reconcile: the reconciler panicked")

// Instrument returns middleware that measures each run, tells the observer, puts
// a trigger.Info into the context, and reports the outcome to the queue. It
// stands outermost. It panics with the error of Validate if an option is impossible.
func Instrument[request comparable](opts InstrumentOptions[request]) Middleware[request] {
	if err := opts.Validate(); err != nil {
		panic(err)
	}
	if opts.Observer == nil {
		opts.Observer = nobody{}
	}
	if opts.Queue == nil {
		opts.Queue = noQueue[request]{}
	}
	return func(next TypedReconciler[request]) TypedReconciler[request] {
		return &instrumented[request]{opts: opts, next: next}
	}
}

type instrumented[request comparable] struct {
	opts InstrumentOptions[request]
	next TypedReconciler[request]
}

// Reconcile implements TypedReconciler.
func (i *instrumented[request]) Reconcile(ctx context.Context, req request) (result Result, err error) {
	info, _ := i.opts.Queue.Running(req)
	if info.Started.IsZero() {
		info.Started = time.Now()
	}
	rc := &runContext{Context: ctx, run: run{info: info, observer: i.opts.Observer, own: i.own(req), changed: info.Started}}

	returned := false
	defer func() { i.end(ctx, &rc.run, req, result, err, returned) }() // Also if next panics.
	result, err = i.next.Reconcile(trigger.NewContext(rc, &rc.run.info), req)
	returned = true
	return result, err
}

// end accounts for the run. Its class is that of a panic, or what Classify gave it,
// or what its outcome says.
func (i *instrumented[request]) end(ctx context.Context, r *run, req request, result Result, err error, returned bool) {
	phases, outcome := r.end(time.Now())
	outcome.Result, outcome.Err = result, err
	switch {
	case !returned:
		outcome.Class, outcome.Err = class.Panic, errPanic
	case outcome.Class == "":
		outcome.Class = classOf(ctx, result, err)
	}
	i.opts.Queue.Report(req, outcome)
	i.opts.Observer.Ran(trigger.Run{Info: r.info, Class: outcome.Class, Phases: phases})
}

func (i *instrumented[request]) own(req request) ownObject {
	if i.opts.For == nil {
		return ownObject{}
	}
	key := any(req).(Request) // Validate has seen to it.
	return ownObject{like: i.opts.For, key: key.NamespacedName}
}

// noQueue is a Queue that knows nothing.
type noQueue[request comparable] struct{}

func (noQueue[request]) Running(request) (trigger.Info, bool) { return trigger.Info{}, false }
func (noQueue[request]) Report(request, queue.Outcome)        {}
