package reconcile

import (
	"context"
	"errors"
	"time"

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

// errPanic stands for the error that controller-runtime makes of a panic.
var errPanic = errors.New("reconcile: the reconciler panicked")

// Instrument returns middleware that measures each run, tells the observer, puts
// a trigger.Info into the context, and reports the outcome to the queue. It
// stands outermost. It panics with the error of Validate if an option is impossible.
func Instrument[request comparable](opts Options[request]) Middleware[request] {
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
	opts Options[request]
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
