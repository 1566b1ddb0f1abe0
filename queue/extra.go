package queue

import (
	"time"

	"github.com/trimtab/trimtab/trigger"
)

// extra is what only some items have: those in flight, held back, parked, or caused
// more than once. The methods of an item that has none return zeros.
type extra[T comparable] struct {
	run    *run[T]       // its run in flight, or nil
	hold   *hold         // what keeps it back, or nil
	ownRun time.Duration // how long it was parked
	caused time.Duration // the first add of the strongest of its causes, unless that was the first add
}

// keepExtras is how many extras that nobody needs are kept for reuse.
const keepExtras = 1024

// extras gives items their extras.
type extras[T comparable] struct{ spares[extra[T]] }

// of returns the extra of it, a new one if it has none.
func (es *extras[T]) of(it *item[T]) *extra[T] {
	if it.extra == nil {
		it.extra = es.take()
	}
	return it.extra
}

// tidy takes the extra of it back once it says nothing.
func (es *extras[T]) tidy(it *item[T]) {
	if e := it.extra; e != nil && *e == (extra[T]{}) {
		es.takeBack(it)
	}
}

// takeBack ends the extra of it, if it has one.
func (es *extras[T]) takeBack(it *item[T]) {
	if it.extra == nil {
		return
	}
	es.put(it.extra, keepExtras)
	it.extra = nil
}

// begin makes it an item that d alone causes, ready now.
func (es *extras[T]) begin(it *item[T], d decision, now time.Duration) {
	it.sources, it.again = trigger.SetOf(d.source), d.again
	it.added, it.due = now, now
	if e := it.extra; e != nil {
		e.caused, e.ownRun = 0, 0
		es.tidy(it)
	}
}

// cause notes that d was added to it at now.
func (es *extras[T]) cause(it *item[T], d decision, now time.Duration) {
	if d.source < it.strongest() {
		es.setCaused(it, now)
	}
	it.sources = it.sources.With(d.source)
	it.again = it.again || d.again
}

func (es *extras[T]) setCaused(it *item[T], at time.Duration) {
	if at > it.added {
		es.of(it).caused = at
	} else if it.extra != nil {
		it.extra.caused = 0
		es.tidy(it)
	}
}

func (it *item[T]) run() *run[T] {
	if it.extra == nil {
		return nil
	}
	return it.extra.run
}

func (it *item[T]) hold() *hold {
	if it.extra == nil {
		return nil
	}
	return it.extra.hold
}

func (it *item[T]) ownRun() time.Duration {
	if it.extra == nil {
		return 0
	}
	return it.extra.ownRun
}

// caused is when the strongest of its causes was first added.
func (it *item[T]) caused() time.Duration {
	if it.extra == nil {
		return it.added
	}
	return max(it.added, it.extra.caused)
}
