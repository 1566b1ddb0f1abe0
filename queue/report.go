package queue

import (
	"errors"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/trimtab/trimtab/internal/class"
	"github.com/trimtab/trimtab/trigger"
)

// Outcome is how a run ended, as its chain reports it.
type Outcome struct {
	// Class is the class of the outcome; see package reconcile.
	Class string
	// Err is the error of the run, nil for none. The controller sees it too, or else
	// a Result.Requeue in its place, which leads to the same rate limited add.
	Err error
	// Result is the result that the controller will see.
	Result reconcile.Result
	// RetryAfter is how long the retry after Err waits, whatever the rate limiter says:
	// that counts the failure all the same. Zero or less leaves it to the limiter.
	RetryAfter time.Duration
	// RetryWithin is the longest that the retry after Err waits, whatever else says.
	// Zero or less is no limit.
	RetryWithin time.Duration
	// Object is what the run learned of the request's own object.
	Object Object
	// Stopped is whether the run asked that no further run come of
	// Options.MaxInterval; see reconcile.Stop.
	Stopped bool
	// Exited is whether the run ended its goroutine, and so the worker that would have
	// requeued it after Err: Report does so in its place.
	Exited bool
}

// Running returns what is known of the run of request that is in flight, and
// false if none is. Its caller promises to call Report before that run returns.
func (q *Queue[T]) Running(request T) (trigger.Info, bool) {
	info, ok := q.chain(request)
	if ok {
		q.attempts(request, &info)
	}
	return info, ok
}

// attempts tells which attempt at request, which is in flight, this is, and since when
// it has been attempted. The limiter may know of failures that no chain has reported,
// and some limiters count none.
func (q *Queue[T]) attempts(request T, info *trigger.Info) {
	before := q.NumRequeues(request)
	info.First = info.Since()
	if q.failing.some.Load() {
		q.mu.Lock()
		defer q.mu.Unlock()
		if first, known, ok := q.failing.row(request); ok {
			before, info.First = max(before, known), q.start.Add(first)
		}
	}
	info.Attempt = before + 1
}

func (q *Queue[T]) chain(request T) (trigger.Info, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	_, r := q.inFlight(request)
	if r == nil {
		return trigger.Info{}, false
	}
	r.chained = true
	return q.info(r), true
}

// Report tells the queue how the run of request ended, just before it returns to
// the controller. From then on the queue takes one add of that request for the
// requeue that the controller makes of it. It is known by its content: rate limited
// after an error or Result.Requeue, or with a delay of just Result.RequeueAfter,
// and naming the priority at which the request was taken or that the Result has.
// Any other add, before or after, is an event; so is one that names no priority,
// and one of AddWithSource.
//
// A terminal error makes the rate limiter forget the request, which
// controller-runtime does not do: the next ordinary failure is a first one. What the
// class of that run was is not known to the next, unless MaxInterval or an add
// brings it that comes during the run or the rest after it.
//
// After a run that has Exited, whose Err must not be nil, Report makes that add
// itself.
//
// Report calls methods of o.Err, which may be the user's, in no lock. A panic of one
// gets out, and is as if Report had not been called: what the controller adds is an
// event then.
//
// For a request that is not in flight Report does nothing.
func (q *Queue[T]) Report(request T, o Outcome) {
	e := o.expects()
	priority, ok := q.report(request, o, e)
	switch {
	case !ok:
	case e.terminal():
		q.Forget(request)
	case o.Exited && o.Err != nil:
		q.AddWithOpts(priorityqueue.AddOpts{RateLimited: true, Priority: &priority}, request)
	}
}

// report returns the priority that the controller gives to what it requeues.
func (q *Queue[T]) report(request T, o Outcome, e echo) (priority int, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	it, r := q.inFlight(request)
	if r == nil {
		return 0, false
	}
	it.lastClass = 0
	if o.Err != nil {
		it.lastClass = q.classes.number(o.Class)
	}
	if !e.own {
		e.priority = r.priority
	}
	r.chained, r.expects = true, e
	r.object = o.Object
	r.renew = o.Object.Found && !o.Stopped
	r.exited = o.Exited
	if !e.failing() {
		q.failing.forget(request)
	}
	return e.priority, true
}

// expects returns the add with which the controller will answer o: at the priority
// at which the request was taken, unless it is the user's own.
func (o Outcome) expects() echo {
	e := echo{reported: true, err: o.Err, class: o.Class, retry: o.RetryAfter, within: o.RetryWithin, object: o.Object}
	if o.Result.Priority != nil {
		e.priority, e.own = *o.Result.Priority, true
	}
	switch {
	case o.Err != nil:
		e.source, e.pending = trigger.Retry, !errors.Is(o.Err, reconcile.TerminalError(nil)) // the target is an allocation
		if e.class == "" {
			e.class = class.Of(o.Err)
		}
	case o.Result.RequeueAfter > 0:
		e.source, e.pending, e.after = trigger.Periodic, true, o.Result.RequeueAfter
	case o.Result.Requeue: //nolint:staticcheck // Deprecated, and still what some reconcilers return.
		e.source, e.pending, e.class = trigger.Retry, true, class.Requeue
	}
	return e
}

// echo tells whether an add, which names a priority, is the requeue that the run
// asked for, and what is known of it then. A run that no chain reports has none to
// compare with: there, a delayed or rate limited add at the priority of the run
// counts as its echo, and a rate limited one as a failure.
func (r *run[T]) echo(o priorityqueue.AddOpts) (echo, bool) {
	expects := r.expects
	if !r.chained {
		expects = echo{source: trigger.Periodic, pending: o.RateLimited || o.After > 0, after: o.After, priority: r.priority}
		if o.RateLimited {
			expects.source = trigger.Retry
		}
	}
	if !expects.matches(o) {
		return echo{}, false
	}
	r.expects, r.chained = echo{}, true // There is one echo of a run.
	return expects, true
}

// decision returns what the add of e is.
func (e echo) decision() decision {
	d := decision{source: e.source, priority: DefaultPriority(e.source), echo: true}
	if e.own {
		d.priority = e.priority
	}
	return d
}

// failed reports whether the run counts as a failure: without a chain, whatever
// asks the rate limiter.
func (e echo) failed() bool { return e.err != nil || !e.reported }

// terminal reports whether the controller will not retry although there is an error.
func (e echo) terminal() bool { return e.err != nil && !e.pending }

// failing reports whether the controller will ask the rate limiter.
func (e echo) failing() bool { return e.pending && e.source == trigger.Retry }

func (e echo) matches(o priorityqueue.AddOpts) bool {
	return e.pending && *o.Priority == e.priority && o.After == e.after && o.RateLimited == (e.source == trigger.Retry)
}
