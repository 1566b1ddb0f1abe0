package queue

import "time"

// flight holds the runs in flight, in the order in which they started.
type flight[T comparable] struct {
	head, tail *run[T]
	len        int
	parked     int // requests that are ready again while their run is in flight
	spare      spares[run[T]]
}

// keepRuns is how many ended runs are kept for reuse; there are as many in flight
// as a controller has workers.
const keepRuns = 64

// begin starts a run of it at now, when workers have asked for work since asked.
func (f *flight[T]) begin(it *item[T], lastClass string, now, asked time.Duration) *run[T] {
	r := f.spare.take()
	*r = run[T]{
		key: it.key, prev: f.tail,
		priority: it.priority, sources: it.sources, started: now, asked: asked,
		added: it.added, caused: it.caused(), ready: it.due, ownRun: it.ownRun(),
		lastClass: lastClass, again: it.again,
	}
	if f.tail == nil {
		f.head = r
	} else {
		f.tail.next = r
	}
	f.tail = r
	f.len++
	return r
}

// end ends r, to which nothing refers any more.
func (f *flight[T]) end(r *run[T]) {
	if r.prev == nil {
		f.head = r.next
	} else {
		r.prev.next = r.next
	}
	if r.next == nil {
		f.tail = r.prev
	} else {
		r.next.prev = r.prev
	}
	f.len--
	f.spare.put(r, keepRuns)
}
