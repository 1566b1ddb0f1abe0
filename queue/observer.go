package queue

import (
	"time"

	"github.com/trimtab/trimtab/trigger"
)

// Observer is told what passes through a queue. Its methods are called by many
// goroutines at once and never under the queue's lock; they must not block.
type Observer interface {
	// Added is called after an add: source caused it, and merged says that the
	// request was queued already, so that this add causes no run of its own.
	Added(source trigger.Source, merged bool)

	// Requeued is called after an add that is the echo of a run: Retry after an
	// error or Result.Requeue, Periodic after Result.RequeueAfter. Added was
	// called for it, too.
	Requeued(source trigger.Source)

	// Limited is called when the rate limiter was asked how long a request should
	// wait, with its answer, or what Outcome.RetryAfter says instead, and the class of
	// the failure: "requeue" for a Result.Requeue without an error, and empty if no
	// chain reports the runs.
	Limited(class string, delay time.Duration)

	// FailuresReset is called when the rate limiter was made to forget a request
	// that fails, since its object has a new generation or its deletion has started.
	FailuresReset()

	// GaveUp is called when a request has failed too often in a row and is not
	// retried any more; see Options.GiveUp.
	GaveUp()

	// HotLoop is called when a request is found to run in a hot loop; see
	// Options.DisableHotLoop.
	HotLoop()

	// Delivered is called when a worker has taken a request.
	Delivered(info trigger.Info)

	// HandlerPanicked is called when an event handler or its mapping function
	// panicked while it handled an event of source.
	HandlerPanicked(source trigger.Source)
}

// nobody is the Observer of a queue that has none.
type nobody struct{}

func (nobody) Added(trigger.Source, bool)     {}
func (nobody) Requeued(trigger.Source)        {}
func (nobody) Limited(string, time.Duration)  {}
func (nobody) FailuresReset()                 {}
func (nobody) GaveUp()                        {}
func (nobody) HotLoop()                       {}
func (nobody) Delivered(trigger.Info)         {}
func (nobody) HandlerPanicked(trigger.Source) {}
