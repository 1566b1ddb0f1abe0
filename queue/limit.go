package queue

import (
	"fmt"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
)

// limiterFault is the delay of a failing request whose rate limiter panics: long
// enough not to storm, short enough not to be lost sight of.
const limiterFault = time.Second

// Forget tells the rate limiter that request has succeeded. A panic of the limiter
// is logged.
func (q *Queue[T]) Forget(request T) {
	defer q.limiterPanicked("Forget", request)
	q.limiter.Forget(request)
}

// NumRequeues returns how many failures of request the rate limiter remembers,
// zero if that panics, which is logged.
func (q *Queue[T]) NumRequeues(request T) int {
	defer q.limiterPanicked("NumRequeues", request)
	return q.limiter.NumRequeues(request)
}

// after returns the delay that o asks for; zero or less means none. The limiter
// is asked before the lock is taken: a slow one delays nobody else.
func (q *Queue[T]) after(o priorityqueue.AddOpts, request T) time.Duration {
	if !o.RateLimited {
		return o.After
	}
	d := q.when(request)
	if o.After == 0 {
		return d
	}
	return min(d, o.After)
}

func (q *Queue[T]) when(request T) (d time.Duration) {
	d = limiterFault // stays if the limiter panics
	defer q.limiterPanicked("When", request)
	return q.limiter.When(request)
}

// limiterPanicked, deferred, ends a panic of the limiter. It would end the process:
// a controller calls its queue where nobody recovers.
func (q *Queue[T]) limiterPanicked(method string, request T) {
	if p := recover(); p != nil {
		q.opts.Log.Error(fmt.Errorf("panic: %v", p), "The rate limiter panicked", "queue", q.name, "method", method, "request", request)
	}
}
