package queue

import (
	"slices"
	"time"

	"github.com/trimtab/trimtab/trigger"
)

// levels holds the ready items by priority.
type levels[T comparable] struct {
	sorted []*level[T]        // the highest priority first
	depth  [trigger.Count]int // items by the source that they count under
	len    int                // all items
}

// level holds the ready items of one priority in the order of their seq. Nearly
// all join at the end, which is a list; one that joins with an older place, since
// it was parked or its delay was cut short, goes to the early heap.
type level[T comparable] struct {
	priority   int
	head, tail *item[T]
	early      heap[T]
}

// keepLevels is how many levels may stay though empty, so that the usual handful
// of priorities is not made again and again.
const keepLevels = 8

// push adds it, which must not be in any level.
func (ls *levels[T]) push(it *item[T]) {
	l := ls.level(it.priority)
	it.early = l.tail != nil && it.seq < l.tail.seq
	if it.early {
		l.early.push(it)
	} else {
		l.append(it)
	}
	ls.depth[it.strongest()]++
	ls.len++
}

// cause notes that source was added at now to it, which must be in a level.
func (ls *levels[T]) cause(it *item[T], source trigger.Source, now time.Duration) {
	ls.depth[it.strongest()]--
	it.cause(source, now)
	ls.depth[it.strongest()]++
}

// remove takes it, which must be in a level, out of it.
func (ls *levels[T]) remove(it *item[T]) {
	l := ls.level(it.priority)
	if it.early {
		l.early.remove(it)
	} else {
		l.unlink(it)
	}
	ls.depth[it.strongest()]--
	ls.len--
	if l.empty() && len(ls.sorted) > keepLevels {
		i, _ := ls.find(it.priority)
		ls.sorted = slices.Delete(ls.sorted, i, i+1)
	}
}

// first returns the item to hand out next, or nil.
func (ls *levels[T]) first() *item[T] {
	for _, l := range ls.sorted {
		if it := l.first(); it != nil {
			return it
		}
	}
	return nil
}

// oldest returns when the item that has been ready for longest became so. An
// item that was raised to another priority counts from its place there.
func (ls *levels[T]) oldest() (time.Duration, bool) {
	var oldest time.Duration
	found := false
	for _, l := range ls.sorted {
		for _, it := range []*item[T]{l.head, l.early.top()} {
			if it != nil && (!found || it.free() < oldest) {
				oldest, found = it.free(), true
			}
		}
	}
	return oldest, found
}

// free is when a worker could have taken the item: ready, its own run over.
func (it *item[T]) free() time.Duration { return it.due + it.ownRun }

func (ls *levels[T]) find(priority int) (int, bool) {
	return slices.BinarySearchFunc(ls.sorted, priority, func(l *level[T], p int) int {
		switch {
		case l.priority > p:
			return -1
		case l.priority < p:
			return 1
		default:
			return 0
		}
	})
}

func (ls *levels[T]) level(priority int) *level[T] {
	i, ok := ls.find(priority)
	if !ok {
		l := &level[T]{priority: priority, early: heap[T]{less: (*item[T]).before}}
		ls.sorted = slices.Insert(ls.sorted, i, l)
	}
	return ls.sorted[i]
}

func (l *level[T]) empty() bool { return l.head == nil && l.early.len() == 0 }

func (l *level[T]) first() *item[T] {
	it := l.early.top()
	if it == nil || l.head != nil && l.head.seq < it.seq {
		return l.head
	}
	return it
}

func (l *level[T]) append(it *item[T]) {
	it.prev, it.next = l.tail, nil
	if l.tail == nil {
		l.head = it
	} else {
		l.tail.next = it
	}
	l.tail = it
}

func (l *level[T]) unlink(it *item[T]) {
	if it.prev == nil {
		l.head = it.next
	} else {
		it.prev.next = it.next
	}
	if it.next == nil {
		l.tail = it.prev
	} else {
		it.next.prev = it.prev
	}
	it.prev, it.next = nil, nil
}
