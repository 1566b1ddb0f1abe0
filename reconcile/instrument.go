package reconcile

import (
	"context"
	"errors"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trimtab/trimtab/internal/class"
	"github.com/trimtab/trimtab/queue"
	"github.com/trimtab/trimtab/trigger"
)

// Queue is what the chain needs of a work queue; *queue.Queue is one. One that also
// has the method Ended(request, trigger.Run) is told of each run once Observer.Ran
// was.
type Queue[request comparable] interface {
	// Running returns what is known of the run of that request that is in flight.
	Running(request) (trigger.Info, bool)
	// Report tells how the run ended, just before it returns.
	Report(request, queue.Outcome)
}

// ender is a Queue that wants to know which request a run was of.
type ender[request comparable] interface{ Ended(request, trigger.Run) }

// errPanic stands for the error that controller-runtime makes of a panic.
var errPanic = errors.New("reconcile: the reconciler panicked")

// Instrument returns middleware that measures each run, tells the observer, puts
// a trigger.Info into the context, and reports the outcome to the queue. It
// stands outermost. It panics with the error of Validate if an option is impossible.
func Instrument[request comparable](opts Options[request]) Middleware[request] {
	if err := opts.Validate(); err != nil {
		panic(err)
	}
	if opts.Queue == nil {
		opts.Queue = noQueue[request]{}
	}
	return func(next TypedReconciler[request]) TypedReconciler[request] {
		i := &instrumented[request]{queue: opts.Queue, next: next, settings: opts.settings()}
		i.ender, _ = opts.Queue.(ender[request])
		return i
	}
}

type instrumented[request comparable] struct {
	queue    Queue[request]
	ender    ender[request] // the same, or nil
	next     TypedReconciler[request]
	settings *settings
}

// Reconcile implements TypedReconciler.
func (i *instrumented[request]) Reconcile(ctx context.Context, req request) (result Result, err error) {
	info, _ := i.queue.Running(req)
	if info.Started.IsZero() {
		info.Started = time.Now()
	}
	ctx, id := withID(ctx)
	rc := &runContext{run: run{info: info, id: id, chain: i.settings, own: i.own(req)}}
	rc.Context = trigger.NewContext(ctx, &rc.run.info) // Inside rc, which each client call looks for.

	inner, traced := i.traceRun(rc, req)
	returned := false
	defer func() { // Also if next panics.
		if !returned && rc.run.isWhole() {
			if p := recover(); p != nil {
				defer panic(p)
			} else {
				exited(rc, req)
			}
		}
		run, err := i.end(ctx, &rc.run, req, result, err, returned)
		run.TraceID = i.settings.trace(inner)
		i.settings.ran(ctx, run)
		if i.ender != nil {
			i.ended(ctx, req, run)
		}
		untrace(ctx, traced, run, err)
	}()
	result, err = i.next.Reconcile(inner, req)
	returned = true
	return result, err
}

// traceRun returns the context for a run, with its trace, and what ends that, or nil.
func (i *instrumented[request]) traceRun(rc *runContext, req request) (inner context.Context, ended func(trigger.Run, error)) {
	if i.settings.tracer == nil {
		return rc, nil
	}
	inner, ended = i.settings.traceRun(rc, req, rc.run.info)
	rc.run.ctx = inner
	return inner, ended
}

// end accounts for the run, and returns what is known of it, with its error. Its
// class is that of a panic, or what Classify gave it, or what its outcome says.
func (i *instrumented[request]) end(ctx context.Context, r *run, req request, result Result, err error, returned bool) (trigger.Run, error) {
	b := r.end(r.now())
	o := b.outcome
	o.Result, o.Err = result, err
	switch {
	case !returned:
		o.Class, o.Err, o.Exited = class.Panic, errPanic, b.broken == errExited //nolint:errorlint // It is never wrapped.
	case o.Class == "" || err != nil && isFine(o.Class): // What is around Classify may have failed.
		o.Class = i.settings.classOf(ctx, result, err)
	case err == nil && result.Requeue: //nolint:staticcheck // Deprecated, and what Classify makes of a quiet failure.
		o.Err = b.quiet
	}
	i.report(ctx, req, o)
	failure := b.failure(o.Err, returned)
	return trigger.Run{
		Info:      r.info,
		Class:     o.Class,
		Phases:    b.phases,
		Converged: failure == nil && !result.Requeue, //nolint:staticcheck // Deprecated, and still in use.
		NoOp:      failure == nil && !b.changed && i.settings.clients.Load(),
	}, failure
}

// isFine reports whether a class is one of runs without an error.
func isFine(c string) bool { return c == class.Success || c == class.Requeue }

// report tells the queue how the run ended. It calls methods of the run's error.
func (i *instrumented[request]) report(ctx context.Context, req request, o queue.Outcome) {
	defer survive(ctx, "Queue.Report")
	i.queue.Report(req, o)
}

func (i *instrumented[request]) ended(ctx context.Context, req request, run trigger.Run) {
	defer survive(ctx, "Queue.Ended")
	i.ender.Ended(req, run)
}

// own returns the key of the object that a run for req is for.
func (i *instrumented[request]) own(req request) client.ObjectKey {
	if i.settings.own.like == nil {
		return client.ObjectKey{}
	}
	key := any(req).(Request) // Validate has seen to it.
	return key.NamespacedName
}

// noQueue is a Queue that knows nothing.
type noQueue[request comparable] struct{}

func (noQueue[request]) Running(request) (trigger.Info, bool) { return trigger.Info{}, false }
func (noQueue[request]) Report(request, queue.Outcome)        {}
