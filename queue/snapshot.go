package queue

import (
	"time"

	"github.com/trimtab/trimtab/trigger"
)

// Snapshot is the state of a queue at one moment.
type Snapshot[T comparable] struct {
	// Depth is the number of ready requests by the source that they count under.
	// Requests behind their own running reconcile are not in it.
	Depth [trigger.Count]int

	// ByPriority is the same by priority; one of which nothing is ready is missing.
	ByPriority map[int]int

	// Delayed is the number of requests that wait for their time.
	Delayed int

	// NextDue is how long it is until the first of them is ready. Zero if there
	// are none, or if it is due.
	NextDue time.Duration

	// Running is the number of requests in flight.
	Running int

	// Workers is the peak of requests in flight and calls of Get that wait, without
	// those that ended with a run (Outcome.Exited): how many workers the controller
	// has, whatever its options said.
	Workers int

	// OldestWaiting is how long the request that has been ready for longest has
	// waited for a worker. Zero if none waits, or no worker ever asked.
	OldestWaiting time.Duration

	// Runs is all that is in flight, the longest first.
	Runs []Run[T]

	// OverFor is how long, without a break, more requests have been ready than
	// Options.SaturationDepth allows, those that only a resync caused aside. All
	// workers are busy then. Zero if they are not now.
	OverFor time.Duration

	// HotLoops is the requests that run in a hot loop now, in no order.
	HotLoops []T

	// Hot is the requests that were requeued most, the most first.
	Hot []Hot[T]

	// Busiest is the requests whose runs took most time, the most first.
	Busiest []Busy[T]
}

// Run is a request in flight: what caused it, and for how long it has been going on.
type Run[T comparable] struct {
	Request T
	Sources trigger.Set
	Age     time.Duration
}

// Hot is a request and how often it was requeued at the least: after an error, or
// since its reconciler asked for it. What it had before it came into the list, or
// while it had fallen out of it, is not counted. Every ten minutes what was counted
// until then is halved; that of a request is forgotten by a run that finds that its
// object is gone; see Object.Gone.
type Hot[T comparable] struct {
	Request  T
	Requeues uint64
}

// Busy is a request and how long its runs took in all at the least. It is counted,
// halved and forgotten as Hot is. Runs of less than a millisecond are sampled: one of
// half a millisecond counts every other time, as a whole one.
type Busy[T comparable] struct {
	Request T
	Time    time.Duration
}

// Snapshot returns the state of the queue. It costs the same at any length of the
// queue, and more only with the number of workers and of priorities in use.
func (q *Queue[T]) Snapshot() Snapshot[T] {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := q.now()
	s := Snapshot[T]{
		Depth:      q.ready.depth,
		ByPriority: q.ready.byPriority(),
		Delayed:    q.delayed.len(),
		Running:    q.flight.len,
		Workers:    q.limit,
	}
	if it := q.delayed.top(); it != nil {
		s.NextDue = max(0, it.due-now)
	}
	for r := q.flight.head; r != nil; r = r.next {
		s.Runs = append(s.Runs, Run[T]{Request: r.key, Sources: r.sources, Age: now - r.started})
	}
	if oldest := q.ready.oldest(); oldest != nil && q.asked {
		s.OldestWaiting = now - max(oldest.free(), q.askedAt)
	}
	if q.overSince != never {
		s.OverFor = now - q.overSince
	}
	s.HotLoops = q.loops.current(now)
	s.Hot, s.Busiest = q.hot.mostRequeued(now), q.hot.busiest(now)
	return s
}
