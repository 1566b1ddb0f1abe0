package queue

import (
	"container/heap"
	"time"

	"github.com/trimtab/trimtab/internal/keyed"
	"github.com/trimtab/trimtab/trigger"
)

// levels holds the ready items by priority. The zero value is empty.
type levels[T comparable] struct {
	byPriority keyed.Map[int, *level[T]]
	filled     filled[T]          // those that are not empty
	depth      [trigger.Count]int // items by the source that they count under
	len        int                // all items
}

// level holds the ready items of one priority in the order of their seq. Nearly
// all join at the end, which is a list; one that joins with an older place, since
// it was parked or its delay was cut short, goes to the early heap.
type level[T comparable] struct {
	priority   int
	head, tail *item[T]
	early      itemHeap[T]
	index      int // in filled
}

// keepLevels is how many levels may stay though empty, so that the usual handful
// of priorities is not made again and again.
const keepLevels = 8

// push adds it, which must not be in any level.
func (ls *levels[T]) push(it *item[T]) {
	l := ls.level(it.priority)
	if l.empty() {
		heap.Push(&ls.filled, l)
	}
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
	if !l.empty() {
		return
	}
	heap.Remove(&ls.filled, l.index)
	if ls.byPriority.Len() > keepLevels {
		ls.byPriority.Delete(l.priority)
	}
}

// first returns the item to hand out next, or nil.
func (ls *levels[T]) first() *item[T] {
	if len(ls.filled) == 0 {
		return nil
	}
	return ls.filled[0].first()
}

// oldest returns when the item that has been ready for longest became so. An
// item that was raised to another priority counts from its place there.
func (ls *levels[T]) oldest() (time.Duration, bool) {
	var oldest time.Duration
	found := false
	for _, l := range ls.filled {
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

func (ls *levels[T]) level(priority int) *level[T] {
	l, ok := ls.byPriority.Get(priority)
	if !ok {
		l = &level[T]{priority: priority, early: itemHeap[T]{less: (*item[T]).before}}
		ls.byPriority.Put(priority, l)
	}
	return l
}

// filled is a [heap.Interface] of levels, the highest priority first.
type filled[T comparable] []*level[T]

// Len implements [heap.Interface].
func (f filled[T]) Len() int { return len(f) }

// Less implements [heap.Interface].
func (f filled[T]) Less(i, j int) bool { return f[i].priority > f[j].priority }

// Swap implements [heap.Interface].
func (f filled[T]) Swap(i, j int) {
	f[i], f[j] = f[j], f[i]
	f[i].index, f[j].index = i, j
}

// Push implements [heap.Interface].
func (f *filled[T]) Push(l any) {
	added := l.(*level[T]) // Only levels pushes.
	added.index = len(*f)
	*f = append(*f, added)
}

// Pop implements [heap.Interface].
func (f *filled[T]) Pop() any {
	last := len(*f) - 1
	l := (*f)[last]
	(*f)[last] = nil
	*f = shrunk((*f)[:last])
	return l
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

// moved mends what refers to an item that has moved.
func (ls *levels[T]) moved(from, to *item[T]) {
	l := ls.level(to.priority)
	if to.early {
		l.early.items[to.index] = to
		return
	}
	if l.head == from {
		l.head = to
	} else {
		to.prev.next = to
	}
	if l.tail == from {
		l.tail = to
	} else {
		to.next.prev = to
	}
}
