package queue

import (
	"fmt"
	"strconv"

	"k8s.io/client-go/util/workqueue"
)

// unlock releases the queue's lock, and tells the series what happened under it.
func (q *Queue[T]) unlock() {
	s := q.series
	if s == nil || s.noted == (notes{}) {
		q.mu.Unlock()
		return
	}
	n := s.noted
	s.noted = notes{}
	q.mu.Unlock()
	s.tell(n)
}

// idle waits until there may be work. First it tells what the caller noted.
func (q *Queue[T]) idle() {
	if s := q.series; s != nil && s.noted != (notes{}) {
		q.unlock()
		q.mu.Lock()
		return // There may be work by now.
	}
	q.work.Wait()
}

// tell passes on what was noted. A metric that panics would end the process, since
// nobody recovers where a controller calls its queue.
func (s *series) tell(n notes) {
	if s.broken.Load() {
		return
	}
	defer func() {
		if p := recover(); p != nil && !s.broken.Swap(true) {
			s.log.Error(fmt.Errorf("panic: %v", p), "A metric of the queue panicked: it has none from now on")
		}
	}()
	count(s.adds, n.adds)
	count(s.retries, n.retries)
	for i := 0; n.depths != 0; i, n.depths = i+1, n.depths>>1 {
		if n.depths&1 != 0 {
			s.tellDepth(i)
		}
	}
	if n.waited.ok {
		s.waited.Observe(n.waited.d.Seconds())
	}
	if n.worked.ok {
		s.worked.Observe(n.worked.d.Seconds())
	}
	if n.tick != 0 {
		s.tellUnfinished(n)
	}
}

// tellDepth tells what a gauge is behind by, once: several may come for it.
func (s *series) tellDepth(i int) {
	d := &s.depths[i]
	d.create.Do(func() {
		switch {
		case s.newDepth == nil: // It is there.
		case i == maxPriorities:
			d.gauge = s.newDepth(morePriorities)
		default:
			d.gauge = s.newDepth(strconv.Itoa(d.priority))
		}
	})
	move(d.gauge, d.untold.Swap(0))
}

// tellUnfinished sets the gauges, unless a later tick was faster.
func (s *series) tellUnfinished(n notes) {
	s.setting.Lock()
	defer s.setting.Unlock()
	if n.tick < s.set {
		return
	}
	s.set = n.tick
	s.unfinished.Set(n.unfinished.Seconds())
	s.longest.Set(n.longest.Seconds())
}

// adder is a metric that can take many steps at once, as those of Prometheus can.
type adder interface{ Add(v float64) }

// count counts n more.
func count(c workqueue.CounterMetric, n int) {
	if a, ok := c.(adder); ok && n > 1 {
		a.Add(float64(n))
		return
	}
	for range n {
		c.Inc()
	}
}

// move moves a gauge by n, up or down.
func move(g workqueue.GaugeMetric, n int64) {
	if a, ok := g.(adder); ok && n != 0 {
		a.Add(float64(n))
		return
	}
	for range n {
		g.Inc()
	}
	for range -n {
		g.Dec()
	}
}
