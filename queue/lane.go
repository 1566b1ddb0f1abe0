package queue

// lane holds the ready items of one group at one priority in the order of their
// seq. Nearly all join at the end, which is a list; one that joins with an older
// place, since it was parked or its delay was cut short, goes to the early heap.
type lane[T comparable] struct {
	items *table[T]
	group *group[T]
	level *level[T]

	head, tail *item[T]
	early      heap[*item[T]]

	prev, next *lane[T] // in the circle of its level, while a worker may take from it
	age        int      // its index in the heap of ages; unserved while none may
}

// unserved is the age of a lane that is empty, or whose group is full.
const unserved = -1

func newLane[T comparable](items *table[T], g *group[T], l *level[T]) *lane[T] {
	return &lane[T]{items: items, group: g, level: l, early: itemHeap((*item[T]).before), age: unserved}
}

// itemHeap returns an empty heap of items.
func itemHeap[T comparable](less func(a, b *item[T]) bool) heap[*item[T]] {
	return heap[*item[T]]{less: less, place: func(it *item[T], index int) { it.prev = ref(index) }}
}

func (l *lane[T]) empty() bool { return l.head == nil && l.early.len() == 0 }

// first returns the item that comes next, or nil.
func (l *lane[T]) first() *item[T] {
	it := l.early.top()
	if it == nil || l.head != nil && l.head.seq < it.seq {
		return l.head
	}
	return it
}

// older is the order of ages: whose first item has been free for longer. Of two that
// became free at once the priority must not decide: a share is for the other one.
func (l *lane[T]) older(other *lane[T]) bool {
	a, b := l.first(), other.first()
	if a.free() != b.free() {
		return a.free() < b.free()
	}
	return a.seq < b.seq
}

func (l *lane[T]) push(it *item[T]) {
	it.early = l.tail != nil && it.seq < l.tail.seq
	if it.early {
		l.early.push(it)
		return
	}
	it.prev, it.next = 0, 0
	if l.tail == nil {
		l.head = it
	} else {
		it.prev, l.tail.next = l.tail.self, it.self
	}
	l.tail = it
}

func (l *lane[T]) remove(it *item[T]) {
	if it.early {
		l.early.remove(it.index())
		return
	}
	prev, next := l.items.at(it.prev), l.items.at(it.next)
	if prev == nil {
		l.head = next
	} else {
		prev.next = it.next
	}
	if next == nil {
		l.tail = prev
	} else {
		next.prev = it.prev
	}
}

// moved mends what refers to an item that has moved, and what it refers to itself.
func (l *lane[T]) moved(to *item[T], forward func(ref) ref) {
	if to.early {
		l.early.elems[to.index()] = to
		return
	}
	to.prev, to.next = forward(to.prev), forward(to.next)
	if to.prev == 0 {
		l.head = to
	}
	if to.next == 0 {
		l.tail = to
	}
}
