package queue

import "time"

// seriesPeriod is how often unfinished work is measured, as by client-go.
const seriesPeriod = 500 * time.Millisecond

// picked notes that a worker took the request of r at now.
func (q *Queue[T]) picked(r *run[T], now time.Duration) {
	s := q.series
	if s == nil {
		return
	}
	s.deepen(r.priority, -1)
	s.noted.waited = span{now - max(r.ready, r.asked), true}
	s.starts += now
	q.armTick(now)
}

// finished notes that r ended at now.
func (q *Queue[T]) finished(r *run[T], now time.Duration) {
	s := q.series
	if s == nil {
		return
	}
	s.starts -= r.started
	s.noted.worked = span{now - r.started, true}
}

// armTick sets the timer for the next tick, unless it is set. Ticks are in step with
// the queue's start.
func (q *Queue[T]) armTick(now time.Duration) {
	s := q.series
	if s.armed || s.ended {
		return
	}
	s.armed = true
	wait := seriesPeriod - now%seriesPeriod
	if s.timer == nil {
		s.timer = time.AfterFunc(wait, q.onTick)
	} else {
		s.timer.Reset(wait)
	}
}

// onTick measures unfinished work. While nothing is in flight there are no ticks, but
// for the one that says so.
func (q *Queue[T]) onTick() {
	q.mu.Lock()
	defer q.unlock()
	s := q.series
	s.armed = false
	if s.ended {
		return
	}
	now := q.now()
	r := q.flight.head
	if r == nil {
		s.measured(0, 0)
		return
	}
	s.measured(time.Duration(q.flight.len)*now-s.starts, now-r.started)
	q.armTick(now)
}

// measured notes how long what is in flight has been worked on.
func (s *series) measured(unfinished, longest time.Duration) {
	s.ticks++
	s.noted.tick, s.noted.unfinished, s.noted.longest = s.ticks, unfinished, longest
}
