package queue

import "time"

// Inspection is what a queue knows of one request. The zero value is that of a
// request that is neither queued nor in flight, and does not fail.
type Inspection struct {
	// InFlight is whether a worker has it, and Ready whether it waits for one, or for
	// its own run to end.
	InFlight, Ready bool

	// Delayed is whether it waits for its time, and Due how long that is from now.
	Delayed bool
	Due     time.Duration

	// Attempts is how often it has failed in a row and was retried; see
	// trigger.Info.Attempt, which is one more.
	Attempts int

	// LastClass is the class of its last run, if that failed and it is queued or in
	// flight, or was given up.
	LastClass string
}

// Inspect returns what is known of request at this moment. It asks the rate limiter,
// as Running does.
func (q *Queue[T]) Inspect(request T) Inspection {
	retried := q.NumRequeues(request)
	q.mu.Lock()
	defer q.mu.Unlock()
	i := Inspection{Attempts: retried, LastClass: q.failing.lastClass(request)}
	if _, known, ok := q.failing.row(request); ok {
		i.Attempts = max(retried, known)
	}
	it := q.items.find(request)
	if it == nil {
		return i
	}
	i.InFlight = it.run() != nil
	i.Ready = it.place == ready || it.place == parked
	i.Delayed = it.place == delayed
	if i.Delayed {
		i.Due = max(0, it.due-q.now())
	}
	if class := q.classes.name(it.lastClass); class != "" {
		i.LastClass = class
	}
	return i
}
