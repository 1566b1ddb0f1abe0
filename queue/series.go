package queue

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/client-go/util/workqueue"
)

// PriorityDepth is what a workqueue.MetricsProvider may have, too: then the depth is
// told by priority, as controller-runtime does it.
type PriorityDepth interface {
	// NewPriorityDepthMetric returns the gauge of what is ready at a priority, a
	// decimal number. The first 25 priorities that come have a gauge each; all
	// others share that of "exceeded_cardinality_limit". The queue calls it at
	// most once for each, when the priority first comes.
	NewPriorityDepthMetric(name, priority string) workqueue.GaugeMetric
}

const (
	// maxPriorities is how many priorities have a gauge of their own, and
	// morePriorities is how the gauge of all others is called. Both are
	// controller-runtime's.
	maxPriorities  = 25
	morePriorities = "exceeded_cardinality_limit"
)

// series is the workqueue_* metrics of a queue. A nil one has none.
//
// Its methods are called under the queue's lock and note what happened; tell is
// called after it was released and passes that on.
type series struct {
	log    logr.Logger
	broken atomic.Bool // a metric panicked: nothing is told any more

	adds, retries       workqueue.CounterMetric
	waited, worked      workqueue.HistogramMetric
	unfinished, longest workqueue.SettableGaugeMetric
	newDepth            func(priority string) workqueue.GaugeMetric // nil: depth is for all priorities
	depths              [maxPriorities + 1]depth
	inUse               int // of depths

	noted  notes
	starts time.Duration // the sum of the starts of what is in flight
	ticks  uint64
	timer  *time.Timer // measures unfinished work
	armed  bool
	ended  bool

	setting sync.Mutex // held while the gauges of unfinished work are set
	set     uint64     // the tick that they show
}

// depth is the gauge of a priority.
type depth struct {
	priority int
	len      int          // what is ready
	untold   atomic.Int64 // by how much the gauge is behind
	create   sync.Once
	gauge    workqueue.GaugeMetric
}

// notes are what happened since the lock was taken.
type notes struct {
	adds, retries  int
	depths         uint32 // a bit for each depth that changed
	waited, worked span
	unfinished     time.Duration
	longest        time.Duration
	tick           uint64 // not zero: unfinished work was measured
}

// span is a duration, if there is one.
type span struct {
	d  time.Duration
	ok bool
}

// newSeries returns the series of a queue, nil if nobody wants them: a queue without
// a name has none in controller-runtime, either.
func newSeries(name string, p workqueue.MetricsProvider, log logr.Logger) *series {
	if name == "" || p == nil {
		return nil
	}
	s := &series{
		log:        log.WithValues("queue", name),
		adds:       p.NewAddsMetric(name),
		retries:    p.NewRetriesMetric(name),
		waited:     p.NewLatencyMetric(name),
		worked:     p.NewWorkDurationMetric(name),
		unfinished: p.NewUnfinishedWorkSecondsMetric(name),
		longest:    p.NewLongestRunningProcessorSecondsMetric(name),
	}
	if byPriority, ok := p.(PriorityDepth); ok {
		s.newDepth = func(priority string) workqueue.GaugeMetric { return byPriority.NewPriorityDepthMetric(name, priority) }
	} else {
		s.depths[0].gauge, s.inUse = p.NewDepthMetric(name), 1
	}
	return s
}

// ready notes that a request has become ready, be it behind its own run. Counted
// says that it was, before it was withdrawn.
func (s *series) ready(priority int, counted bool) {
	if s == nil {
		return
	}
	if !counted {
		s.noted.adds++
	}
	s.deepen(priority, 1)
}

// withdrawn notes that a request is not ready any more, but held.
func (s *series) withdrawn(priority int) {
	if s != nil {
		s.deepen(priority, -1)
	}
}

// raised notes that a request that is ready has another priority.
func (s *series) raised(from, to int) {
	if s == nil {
		return
	}
	s.deepen(from, -1)
	s.deepen(to, 1)
}

// delayed notes an add that asks for a delay. It counts as a retry, whatever it is.
func (s *series) delayed(after time.Duration) {
	if s != nil && after > 0 {
		s.noted.retries++
	}
}

// deepen notes that n more requests of priority are ready.
func (s *series) deepen(priority, n int) {
	i := s.depth(priority)
	s.depths[i].len += n
	s.depths[i].untold.Add(int64(n))
	s.noted.depths |= 1 << i
}

// depth returns the index of the depth of priority.
func (s *series) depth(priority int) int {
	if s.newDepth == nil {
		return 0
	}
	own := min(s.inUse, maxPriorities)
	for i := range own {
		if s.depths[i].priority == priority {
			return i
		}
	}
	if own < maxPriorities {
		s.depths[own].priority = priority
	}
	s.inUse = own + 1
	return own
}

// end notes that the queue has ended: nothing of it waits or is worked on any more.
func (s *series) end() {
	if s == nil || s.ended {
		return
	}
	s.ended = true
	if s.timer != nil {
		s.timer.Stop()
	}
	for i := range s.inUse {
		d := &s.depths[i]
		d.untold.Add(-int64(d.len))
		s.noted.depths |= 1 << i
	}
	s.measured(0, 0)
}
