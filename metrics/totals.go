package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/trimtab/trimtab/trigger"
)

// Totals is what a Controller has counted up to one moment, for whoever shows it
// without a scrape. The zero value is that of one that has counted nothing.
type Totals struct {
	// Triggers is what is counted by trigger, indexed by trigger.Source; the last is of
	// unknown causes.
	Triggers [trigger.Count + 1]TriggerTotals

	// Classes is the number of runs by the class of their outcome. A class without a
	// run is missing.
	Classes map[string]uint64

	// Events is the events that reached a predicate, by its name and their source.
	Events []EventTotals

	// Calls is the calls of the Kubernetes API by kind and verb.
	Calls []CallTotals

	// Retries and Periodics are the requests that were requeued, after an error and by
	// a RequeueAfter.
	Retries, Periodics uint64

	// Each of these is the series of that name; see the package documentation.
	FailureResets, GivenUp, HotLoops, Panics, WorkersLost, Overruns uint64

	// Overdue is the runs in flight that have passed their deadline.
	Overdue int

	// LastSuccess is when a run last succeeded. Zero means that none has.
	LastSuccess time.Time
}

// TriggerTotals is what was counted of one trigger.
type TriggerTotals struct {
	// Adds is the adds to the queue, Merges those of them that met a request already
	// queued, and Deliveries the requests handed to a worker.
	Adds, Merges, Deliveries uint64

	// Runs is the completed runs, and NoOps those of them without an error or a change.
	Runs, NoOps uint64

	// HandlerPanics is the event handlers that panicked.
	HandlerPanics uint64

	// Delay, Wait and OwnRun are the time before the runs, in all: held back on purpose,
	// without a worker, behind a run of the same key.
	Delay, Wait, OwnRun time.Duration

	// Phases is the time in the runs, in all.
	Phases trigger.Phases

	// Latency is the wait and the run of each run.
	Latency Distribution
}

// EventTotals is the events of one source that reached one predicate.
type EventTotals struct {
	Predicate         string
	Trigger           string // the source's name, or "unknown"
	Admitted, Dropped uint64
}

// CallTotals is the calls of one verb on one kind.
type CallTotals struct {
	Kind, Verb string
	Calls      uint64
}

// Totals returns what was counted so far. It waits for no lock that a run holds, and
// costs some hundred microseconds.
func (c *Controller) Totals() Totals {
	read := newReader(c.panics.Write)
	t := Totals{
		Events:        c.eventTotals(read),
		Calls:         c.callTotals(read),
		Retries:       read(c.retries),
		Periodics:     read(c.periodics),
		FailureResets: read(c.failureResets),
		GivenUp:       read(c.givenUp),
		HotLoops:      read(c.hotLoops),
		Panics:        read(c.panics),
		WorkersLost:   read(c.workersLost),
		Overruns:      read(c.overruns),
		Overdue:       int(written(c.overdue.Write).GetGauge().GetValue()),
	}
	if at := c.succeeded.Load(); at != 0 {
		t.LastSuccess = time.Unix(0, at)
	}
	for i := range t.Triggers {
		t.Triggers[i] = c.triggerTotals(i, read)
	}
	c.countClasses(&t, read)
	return t
}

// triggerTotals is all but the runs.
func (c *Controller) triggerTotals(i int, read reader) TriggerTotals {
	t := TriggerTotals{
		Adds:          read.at(c.adds, i),
		Merges:        read.at(c.merges, i),
		Deliveries:    read.at(c.deliveries, i),
		NoOps:         read.at(c.noOps, i),
		HandlerPanics: read.at(c.handlerPanics, i),
	}
	if h, ok := c.latency.made(i); ok {
		t.Latency = distributionOf(h)
	}
	if p, ok := c.phases.made(i); ok {
		spent := func(phase phase) time.Duration { return time.Duration(p.nanos[phase].Load()) }
		t.Delay, t.Wait, t.OwnRun = spent(delayPhase), spent(waitPhase), spent(ownRunPhase)
		t.Phases = trigger.Phases{Read: spent(readPhase), Compute: spent(computePhase), Write: spent(writePhase), Status: spent(statusPhase)}
	}
	return t
}

func (c *Controller) countClasses(t *Totals, read reader) {
	t.Classes = map[string]uint64{}
	for class, row := range c.runs.all {
		for i := range t.Triggers {
			if n := read.at(row, i); n > 0 {
				t.Classes[class] += n
				t.Triggers[i].Runs += n
			}
		}
	}
}

func (c *Controller) eventTotals(read reader) []EventTotals {
	var totals []EventTotals
	for predicate, counters := range c.events.all {
		for i := range triggers {
			if e, ok := counters.events.made(i); ok {
				totals = append(totals, EventTotals{
					Predicate: predicate,
					Trigger:   triggerName(i),
					Admitted:  read(e.admitted),
					Dropped:   read(e.dropped),
				})
			}
		}
	}
	return totals
}

func (c *Controller) callTotals(read reader) []CallTotals {
	var totals []CallTotals
	names := verbNames()
	for kind, verbs := range c.calls.all {
		for verb, row := range verbs {
			t := CallTotals{Kind: kind, Verb: names[verb]}
			for i := range triggers {
				t.Calls += read.at(row, i)
			}
			if t.Calls > 0 {
				totals = append(totals, t)
			}
		}
	}
	return totals
}

// reader returns what a counter has counted.
type reader func(prometheus.Counter) uint64

// at is what the counter of the trigger at index i has counted.
func (read reader) at(r *row[prometheus.Counter], i int) uint64 {
	if c, ok := r.made(i); ok {
		return read(c)
	}
	return 0
}

// newReader returns a reader for one goroutine. The type of what counters write, which
// nobody names, is of a module that the library does not require itself.
func newReader[M any, P interface {
	*M
	GetCounter() C
}, C interface{ GetValue() float64 }](write func(P) error) reader {
	_ = write
	m := new(M)
	return func(c prometheus.Counter) uint64 {
		_ = any(c).(interface{ Write(P) error }).Write(P(m)) // Those of this package never fail.
		return uint64(P(m).GetCounter().GetValue())
	}
}

// written returns what a metric writes; see newReader.
func written[M any](write func(*M) error) *M {
	m := new(M)
	_ = write(m) // Those of this package never fail.
	return m
}

func inSeconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
