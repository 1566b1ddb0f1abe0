package queue

import (
	"github.com/trimtab/trimtab/internal/keyed"
	"github.com/trimtab/trimtab/trigger"
)

// standing holds the ready items. A worker gets the highest priority first; within
// it the groups take turns; within a group the order is that of seq. The items of
// full groups stand aside.
type standing[T comparable] struct {
	items *table[T]

	levels keyed.Map[int, *level[T]]
	order  heap[*level[T]] // those with a lane to serve, the highest priority first
	ages   heap[*lane[T]]  // the lanes to serve, that of the longest wait first

	depth  [trigger.Count]int // items by the source that they count under
	len    int                // items
	urgent int                // items, except those of full groups and of a resync alone
}

func newStanding[T comparable](items *table[T]) standing[T] {
	return standing[T]{
		items: items,
		order: heap[*level[T]]{
			less:  func(a, b *level[T]) bool { return a.priority > b.priority },
			place: func(v *level[T], index int) { v.index = index },
		},
		ages: heap[*lane[T]]{
			less:  (*lane[T]).older,
			place: func(l *lane[T], index int) { l.age = index },
		},
	}
}

// push adds it, which must not be in any lane.
func (s *standing[T]) push(it *item[T]) {
	l := s.lane(it.group, it.priority)
	l.push(it)
	l.level.depth++
	s.len++
	s.count(it, 1)
	switch {
	case it.group.full:
	case l.age == unserved:
		s.serve(l)
	default:
		s.ages.fix(l.age)
	}
}

// remove takes it, which must be in a lane, out of it.
func (s *standing[T]) remove(it *item[T]) {
	l := s.lane(it.group, it.priority)
	l.remove(it)
	l.level.depth--
	s.len--
	s.count(it, -1)
	switch {
	case l.empty():
		s.retire(l)
	case l.age != unserved:
		s.ages.fix(l.age)
	}
}

// take removes it for a worker: its group has had its turn.
func (s *standing[T]) take(it *item[T]) {
	if l := s.lane(it.group, it.priority); l.level.turn == l {
		l.level.turn = l.next
	}
	s.remove(it)
}

// first returns the item whose turn it is, or nil.
func (s *standing[T]) first() *item[T] {
	if s.order.len() == 0 {
		return nil
	}
	return s.order.top().turn.first()
}

// oldest returns the item that has waited for longest among those that come next
// in their lanes, or nil. One that was raised to another priority counts from its
// place there.
func (s *standing[T]) oldest() *item[T] {
	if s.ages.len() == 0 {
		return nil
	}
	return s.ages.top().first()
}

// count adds n to the number of items that count as it does.
func (s *standing[T]) count(it *item[T], n int) {
	source := it.strongest()
	s.depth[source] += n
	if source == trigger.Resync {
		return
	}
	it.group.urgent += n
	if !it.group.full {
		s.urgent += n
	}
}

// fill sets g aside: as many of it are in flight as may be.
func (s *standing[T]) fill(g *group[T]) {
	g.full = true
	s.urgent -= g.urgent
	for _, l := range g.lanes.All() {
		if l.age != unserved {
			s.pass(l)
		}
	}
}

// unfill lets g be served again.
func (s *standing[T]) unfill(g *group[T]) {
	g.full = false
	s.urgent += g.urgent
	for _, l := range g.lanes.All() {
		if !l.empty() {
			s.serve(l)
		}
	}
}

// serve lets workers take from l, which has items.
func (s *standing[T]) serve(l *lane[T]) {
	v := l.level
	idle := v.turn == nil
	v.join(l)
	if idle {
		s.order.push(v)
	}
	s.ages.push(l)
}

// pass lets no worker take from l.
func (s *standing[T]) pass(l *lane[T]) {
	v := l.level
	v.leave(l)
	if v.turn == nil {
		s.order.remove(v.index)
	}
	s.ages.remove(l.age)
	l.age = unserved
}

// retire takes l, which has become empty, out of service.
func (s *standing[T]) retire(l *lane[T]) {
	if l.age != unserved {
		// What the lane is compared by is gone: that it is the last says enough.
		s.pass(l)
	}
	if l.group.lanes.Len() > keepLanes {
		s.forget(l)
	}
}

// disband forgets the lanes of g, which has no items and is gone.
func (s *standing[T]) disband(g *group[T]) {
	for _, l := range g.lanes.All() {
		s.unlist(l.level)
	}
}

// forget drops l, and its level if no group needs it.
func (s *standing[T]) forget(l *lane[T]) {
	l.group.recent = nil
	l.group.lanes.Delete(l.level.priority)
	s.unlist(l.level)
}

// unlist takes a lane off the count of v, which goes with the last of them.
func (s *standing[T]) unlist(v *level[T]) {
	v.lanes--
	if v.lanes == 0 {
		s.levels.Delete(v.priority)
	}
}

// lane returns the lane of g at that priority, a new one if there is none.
func (s *standing[T]) lane(g *group[T], priority int) *lane[T] {
	if l := g.recent; l != nil && l.level.priority == priority {
		return l
	}
	if l, ok := g.lanes.Get(priority); ok {
		g.recent = l
		return l
	}
	v, ok := s.levels.Get(priority)
	if !ok {
		v = &level[T]{priority: priority}
		s.levels.Put(priority, v)
	}
	v.lanes++
	l := newLane(s.items, g, v)
	g.lanes.Put(priority, l)
	g.recent = l
	return l
}

// byPriority returns how many items are ready at each priority.
func (s *standing[T]) byPriority() map[int]int {
	if s.len == 0 {
		return nil
	}
	depth := map[int]int{}
	for priority, v := range s.levels.All() {
		if v.depth > 0 {
			depth[priority] = v.depth
		}
	}
	return depth
}
