package trimtab

import (
	"cmp"
	"slices"
	"time"

	"github.com/trimtab/trimtab/internal/named"
	"github.com/trimtab/trimtab/metrics"
	"github.com/trimtab/trimtab/queue"
	"github.com/trimtab/trimtab/trigger"
)

// statusKept is how many requests of each kind a Status names.
const statusKept = 10

// Status is what a loop is doing and has counted, whatever the type of its requests:
// here they are what they print as. It is what package loopz shows.
type Status struct {
	// Name is that of the loop, and Controller that of the controller which runs on its
	// queue now, empty if none does.
	Name, Controller string

	// Queue is the state of the queue, with at most 10 requests of each kind. It is zero
	// without a Controller.
	Queue queue.Snapshot[string]

	// Hot is what is known of each of Queue.Hot.
	Hot []queue.Inspection

	// OtherRequeues is how often the one in the middle of the other requests that were
	// requeued most, at most 199, was requeued. Zero if there is no other.
	OtherRequeues uint64

	// Measured is whether the loop has metrics. Without, Totals is zero.
	Measured bool
	Totals   metrics.Totals

	// Slow is the slowest runs of the last five to ten minutes, at most 10, the slowest
	// first.
	Slow []SlowRun

	// SaturationDepth is how many requests, resyncs aside, may be ready before the queue
	// counts as too deep; see queue.Options.
	SaturationDepth int

	// Deadline is how long a run may take. Zero means that there is no limit.
	Deadline time.Duration
}

// SlowRun is a run that took long.
type SlowRun struct {
	Request string
	Run     trigger.Run
	Ended   time.Time
}

// Status returns what the loop is doing. It costs some hundred microseconds; nothing
// is measured for it while nobody asks, but for the slowest runs.
func (l *TypedLoop[request]) Status() Status {
	s := Status{
		Name:            l.name,
		SaturationDepth: cmp.Or(l.opts.Queue.SaturationDepth, queue.DefaultSaturationDepth),
		Deadline:        l.opts.Reconcile.Deadline.Timeout,
	}
	slowest := l.slow.slowest(time.Now())
	s.Slow = slices.Grow(s.Slow, len(slowest))
	for i := range slowest {
		slow := &slowest[i]
		s.Slow = append(s.Slow, SlowRun{Request: named.Of(slow.request), Run: slow.run, Ended: slow.ended})
	}
	w := l.current.Load()
	if w == nil {
		return s
	}
	if w.signals != nil {
		s.Measured, s.Totals = true, w.signals.Totals()
	}
	if w.live() {
		s.Controller = w.queue.Name()
		s.Queue, s.Hot, s.OtherRequeues = w.inspect()
	}
	return s
}

// inspect returns the state of the queue with the names of its requests, and what is
// known of the hot ones and the others.
func (w *wiring[request]) inspect() (s queue.Snapshot[string], hot []queue.Inspection, others uint64) {
	from := w.queue.Snapshot()
	s = queue.Snapshot[string]{
		Depth: from.Depth, ByPriority: from.ByPriority, Delayed: from.Delayed, NextDue: from.NextDue,
		Running: from.Running, Workers: from.Workers, OldestWaiting: from.OldestWaiting, OverFor: from.OverFor,
	}
	for _, r := range from.Runs[:min(statusKept, len(from.Runs))] {
		s.Runs = append(s.Runs, queue.Run[string]{Request: named.Of(r.Request), Sources: r.Sources, Age: r.Age})
	}
	for _, r := range from.HotLoops[:min(statusKept, len(from.HotLoops))] {
		s.HotLoops = append(s.HotLoops, named.Of(r))
	}
	if n := len(from.Hot); n > 1 {
		others = from.Hot[(n+1)/2].Requeues
	}
	for _, h := range from.Hot[:min(statusKept, len(from.Hot))] {
		s.Hot = append(s.Hot, queue.Hot[string]{Request: named.Of(h.Request), Requeues: h.Requeues})
		hot = append(hot, w.queue.Inspect(h.Request))
	}
	for _, b := range from.Busiest[:min(statusKept, len(from.Busiest))] {
		s.Busiest = append(s.Busiest, queue.Busy[string]{Request: named.Of(b.Request), Time: b.Time})
	}
	return s, hot, others
}
