package queue

import (
	"errors"
	"fmt"
	"time"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"

	"github.com/trimtab/trimtab/internal/named"
	"github.com/trimtab/trimtab/ratelimit"
)

// limiterFault is the delay of a failing request whose rate limiter panics: long
// enough not to storm, short enough not to be lost sight of.
const limiterFault = time.Second

// own makes l the limiter of the queue, or one like it if another queue has l.
func (q *Queue[T]) own(l workqueue.TypedRateLimiter[T]) {
	if l == nil {
		l = ratelimit.NewExponential[T](ratelimit.ExponentialOptions{Jitter: 0.2})
	}
	var shared bool
	if q.limiter, q.disown, shared = ratelimit.Own(l); shared {
		q.opts.Log.Error(errors.New("queue: a rate limiter is for one queue"), "Another queue has this rate limiter: this one gets its like, which counts for itself", "queue", q.name)
	}
}

// Forget tells the rate limiter that request has succeeded, and ends its row of
// failures. A panic of the limiter is logged.
func (q *Queue[T]) Forget(request T) {
	if q.failing.some.Load() {
		q.endFailures(request)
	}
	q.resetLimiter(request)
}

func (q *Queue[T]) endFailures(request T) {
	q.mu.Lock()
	defer q.mu.Unlock() // The hash of an interface may panic.
	q.failing.forget(request)
}

func (q *Queue[T]) resetLimiter(request T) {
	defer q.panicked("The rate limiter panicked", "Forget", request)
	q.limiter.Forget(request)
}

// NumRequeues returns how many failures of request the rate limiter remembers,
// zero if that panics, which is logged.
func (q *Queue[T]) NumRequeues(request T) int {
	defer q.panicked("The rate limiter panicked", "NumRequeues", request)
	return q.limiter.NumRequeues(request)
}

// limited deals with a rate limited add: it returns the delay that o asks for, and
// what the add is if it is the echo of a run, which is a zero decision otherwise.
// False means that the request is given up. The limiter is asked without the
// lock: a slow one delays nobody else.
func (q *Queue[T]) limited(mayEcho bool, o priorityqueue.AddOpts, request T) (decision, time.Duration, bool) {
	var e echo
	var d decision
	if mayEcho {
		var v verdict
		var ok bool
		if e, v, ok = q.claim(o, request); ok {
			d = e.decision()
		}
		if v.reset {
			q.resetLimiter(request)
			q.observer.FailuresReset()
		}
		if v.tell {
			q.tellGivenUp(request, v.failures, e.err)
		}
		if v.giveUp {
			return d, 0, false
		}
	}
	after := q.when(request, e)
	if e.retry > 0 && e.err != nil {
		after = e.retry
	}
	if e.within > 0 && e.err != nil {
		after = min(after, e.within)
	}
	q.observer.Limited(e.class, after)
	if o.After != 0 {
		after = min(after, o.After)
	}
	return d, after, true
}

// claim returns how the run ended whose echo the add is, and what follows, and
// false if it is the echo of none.
func (q *Queue[T]) claim(o priorityqueue.AddOpts, request T) (echo, verdict, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	_, r := q.inFlight(request)
	if r == nil || q.closed {
		return echo{}, verdict{}, false
	}
	e, ok := r.echo(o)
	if !ok {
		return echo{}, verdict{}, false
	}
	return e, q.failing.note(request, e, r.since(), q.now(), q.opts.GiveUp, !q.opts.DisableFailureReset), true
}

// when asks the limiter. A limiter that knows errors is told of that of a run that
// a chain has reported.
func (q *Queue[T]) when(request T, e echo) (d time.Duration) {
	d = limiterFault // stays if the limiter panics
	if aware, ok := q.limiter.(ratelimit.ErrorAware[T]); ok && e.reported {
		defer q.panicked("The rate limiter panicked", "WhenError", request)
		return aware.WhenError(request, e.err, e.class)
	}
	defer q.panicked("The rate limiter panicked", "When", request)
	return q.limiter.When(request)
}

// tellGivenUp tells everybody who wants to know that request is not retried any more.
func (q *Queue[T]) tellGivenUp(request T, failures int, err error) {
	q.observer.GaveUp()
	q.opts.Log.Error(err, "A request is given up: its failures are retried no more. Events still run it, as does MaxInterval if that is set", "queue", q.name, "request", named.Of(request), "failures", failures)
	if q.opts.OnGiveUp == nil {
		return
	}
	defer q.panicked("A callback of the queue panicked", "OnGiveUp", request)
	q.opts.OnGiveUp(request, failures, err)
}

// panicked, deferred, ends a panic of code that the queue was given. It would end
// the process: a controller calls its queue where nobody recovers.
func (q *Queue[T]) panicked(message, method string, request T) {
	if p := recover(); p != nil {
		q.opts.Log.Error(fmt.Errorf("panic: %v", p), message, "queue", q.name, "method", method, "request", named.Of(request))
	}
}
