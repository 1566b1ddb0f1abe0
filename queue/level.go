package queue

// level is one priority: the lanes of its groups, which take turns.
type level[T comparable] struct {
	priority int
	turn     *lane[T] // that is served next, in a circle of those that may be served
	lanes    int      // that exist
	depth    int      // items in them
	index    int      // in the heap of levels, while turn is not nil
}

// join lets l be served, after all that wait for their turn now.
func (v *level[T]) join(l *lane[T]) {
	if v.turn == nil {
		l.prev, l.next = l, l
		v.turn = l
		return
	}
	l.prev, l.next = v.turn.prev, v.turn
	l.prev.next, l.next.prev = l, l
}

func (v *level[T]) leave(l *lane[T]) {
	if l.next == l {
		v.turn = nil
	} else {
		l.prev.next, l.next.prev = l.next, l.prev
		if v.turn == l {
			v.turn = l.next
		}
	}
	l.prev, l.next = nil, nil
}
