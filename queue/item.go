package queue

import (
	"time"

	"github.com/trimtab/trimtab/trigger"
)

// place is where an item stands.
type place uint8

const (
	nowhere place = iota // not queued: it exists because its run is in flight
	ready                // can be handed out: in its lane
	parked               // ready, but its own run is in flight
	delayed              // waits for its time: in the heap of the delayed
	resting              // not queued, its last run ended just now: in the heap of the resting
)

// item is a request that is queued, in flight, or both. A queue may hold a million:
// what few of them need is in their extra, and they refer to each other by half a
// pointer. Times are durations since the queue's start: half the size of a
// [time.Time], and monotonic.
type item[T comparable] struct {
	key  T
	hash uint32 // of the key
	self ref    // where the table has it

	prev ref // in the list of its lane; in a heap, where there is no list, its index
	next ref // in the list of its lane, or of its block's free items

	priority int
	seq      uint64 // order among the items of one priority

	added time.Duration // the first add of its causes
	due   time.Duration // when it became or becomes ready

	group *group[T]
	extra *extra[T] // or nil

	sources   trigger.Set
	place     place
	again     bool  // was added during its own run or just after; see hotLoops
	lastClass uint8 // the class of the last run, if that failed; see classes
	early     bool  // stands in the early heap of its lane, not in the list
	backoff   bool  // delayed, and a retry is pending
}

// index is the item's place in the heap in which it stands.
func (it *item[T]) index() int { return int(it.prev) }

// free is when a worker could have taken the item: ready, its own run over.
func (it *item[T]) free() time.Duration { return it.due + it.ownRun() }

// strongest returns the source under which the item counts.
func (it *item[T]) strongest() trigger.Source {
	source, _ := it.sources.Strongest()
	return source
}

// before is the order in which ready items are handed out.
func (it *item[T]) before(other *item[T]) bool {
	if it.priority != other.priority {
		return it.priority > other.priority
	}
	return it.seq < other.seq
}

// sooner is the order in which delayed items become ready.
func (it *item[T]) sooner(other *item[T]) bool {
	if it.due != other.due {
		return it.due < other.due
	}
	return it.before(other)
}

// run is a request in flight: handed to a worker that has not said Done.
type run[T comparable] struct {
	key        T
	prev, next *run[T] // in the order of starts

	priority int
	sources  trigger.Set
	started  time.Duration
	asked    time.Duration // when a worker first asked for any work
	added    time.Duration // of the item, as the next three
	caused   time.Duration
	ready    time.Duration
	ownRun   time.Duration

	lastClass string // of the run before, if that failed
	chained   bool   // the chain asked for info, so it will report
	expects   echo   // the add by which the controller will requeue it
	object    Object // as the chain reported it
	again     bool   // of the item
	renew     bool   // it found its object, and did not stop: MaxInterval is for it
	exited    bool   // its worker ends with it
}

// since is where its latency begins; see trigger.Info.Since.
func (r *run[T]) since() time.Duration {
	return max(r.caused, max(r.ready, r.asked)+r.ownRun)
}

// echo describes the add by which the controller carries out what a run asked for.
type echo struct {
	source   trigger.Source // Retry or Periodic
	pending  bool
	after    time.Duration // of a Periodic; a Retry has none
	priority int           // that the controller will give
	own      bool          // the user chose that priority
	retry    time.Duration // that a Retry waits instead of what the limiter says, if more than zero
	within   time.Duration // that a Retry waits at most, if more than zero

	reported bool // by a chain, which knows what follows
	err      error
	class    string
	object   Object
}
