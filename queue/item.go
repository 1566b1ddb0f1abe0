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

// item is a request that is queued, in flight, or both. Times are durations
// since the queue's start: half the size of a [time.Time], and monotonic.
type item[T comparable] struct {
	key  T
	hash uint32 // of the key
	id   uint32 // where the table has it

	priority int
	seq      uint64 // order among the items of one priority

	added  time.Duration // the first add of its causes
	caused time.Duration // the first add of the strongest of them
	due    time.Duration // when it became or becomes ready
	ownRun time.Duration // how long it was parked

	group      *group[T]
	prev, next *item[T] // in the list of its lane; next also in the free list
	run        *run[T]  // its run in flight, or nil
	hold       *hold    // what keeps it back, or nil

	index     int32 // in a heap
	sources   trigger.Set
	place     place
	again     bool  // was added during its own run or just after; see hotLoops
	lastClass uint8 // the class of the last run, if that failed; see classes
	early     bool  // stands in the early heap of its lane, not in the list
	backoff   bool  // delayed, and a retry is pending
}

// free is when a worker could have taken the item: ready, its own run over.
func (it *item[T]) free() time.Duration { return it.due + it.ownRun }

// cause notes that source was added at now.
func (it *item[T]) cause(source trigger.Source, now time.Duration) {
	if strongest, ok := it.sources.Strongest(); !ok || source < strongest {
		it.caused = now
	}
	it.sources = it.sources.With(source)
}

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
	prev, next *run[T] // in the order of starts; next also in the free list

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
}

// echo describes the add by which the controller carries out what a run asked for.
type echo struct {
	source   trigger.Source // Retry or Periodic
	pending  bool
	after    time.Duration // of a Periodic; a Retry has none
	priority int           // that the controller will give
	own      bool          // the user chose that priority

	reported bool // by a chain, which knows what follows
	err      error
	class    string
	object   Object
}
