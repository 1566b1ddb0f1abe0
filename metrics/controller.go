package metrics

import (
	"sync"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/trimtab/trimtab/internal/class"
	"github.com/trimtab/trimtab/trigger"
)

// Controller counts what happens in one controller. Its methods are the
// observers that package queue and package reconcile ask for. All are safe for
// concurrent use and, once the series exists, wait for no lock and allocate
// nothing. Get one from Metrics.Controller.
type Controller struct {
	name string
	topK int

	telling sync.Mutex // held while a scrape tells what it finds
	gauges  gauges

	adds, merges, deliveries, handlerPanics, noOps *row[prometheus.Counter]
	latency, delay                                 *row[prometheus.Histogram]
	phases                                         *row[*phaseTimes]
	retries, periodics, panics                     prometheus.Counter
	failureResets, givenUp, hotLoops               prometheus.Counter
	overruns, workersLost                          prometheus.Counter
	overdue                                        prometheus.Gauge
	attempts, convergence                          prometheus.Histogram

	runs    *bounded[*row[prometheus.Counter]] // by class
	limited *bounded[prometheus.Histogram]     // by class
	events  *bounded[predicateCounters]        // by predicate
	calls   *bounded[*verbCalls]               // by kind

	succeeded atomic.Int64 // when a run last did, in nanoseconds since 1970
	states    states
}

// verbCalls are the calls by verb.
type verbCalls [verbCount]*row[prometheus.Counter]

// predicateCounters are what is counted of one predicate.
type predicateCounters struct {
	events *row[eventCounters]
	panics prometheus.Counter
}

// eventCounters are the values of the label result.
type eventCounters struct {
	admitted, dropped prometheus.Counter
}

func newController(name string, s *series, g *gaugeVecs, opts Options) *Controller {
	c := &Controller{
		name:          name,
		topK:          opts.TopK,
		gauges:        newGauges(g, name),
		adds:          counters(s.adds, name),
		merges:        counters(s.merges, name),
		deliveries:    counters(s.deliveries, name),
		handlerPanics: counters(s.handlerPanics, name),
		noOps:         counters(s.noOps, name),
		latency:       observers(s.latency, name),
		delay:         observers(s.delay, name),
		phases:        phases(s.phases, name),
		retries:       s.requeues.with(name, trigger.Retry.String()),
		periodics:     s.requeues.with(name, trigger.Periodic.String()),
		panics:        s.panics.with(name),
		failureResets: s.failureResets.with(name),
		givenUp:       s.givenUp.with(name),
		hotLoops:      s.hotLoops.with(name),
		overruns:      s.overruns.with(name),
		workersLost:   s.workersLost.with(name),
		overdue:       s.overdue.with(name),
		attempts:      s.attempts.with(name),
		convergence:   s.convergence.with(name),
		runs:          runs(s.runs, name, opts.MaxLabelValues),
		limited:       limited(s.limited, name, opts.MaxLabelValues),
		events:        events(s.events, s.predicatePanics, name, opts.MaxLabelValues),
		calls:         calls(s.calls, name, opts.MaxLabelValues),
	}
	for _, outcome := range classes() {
		c.runs.get(outcome).fill()
	}
	for _, failure := range failures() {
		c.limited.get(failure)
	}
	return c
}

func counters(vec *family[prometheus.Counter], name string) *row[prometheus.Counter] {
	r := newRow(func(trigger string) prometheus.Counter { return vec.with(name, trigger) })
	r.fill()
	return r
}

func observers(vec *family[prometheus.Histogram], name string) *row[prometheus.Histogram] {
	r := newRow(func(trigger string) prometheus.Histogram { return vec.with(name, trigger) })
	r.fill()
	return r
}

func phases(vec *family[prometheus.Counter], name string) *row[*phaseTimes] {
	r := newRow(func(trigger string) *phaseTimes {
		p := &phaseTimes{}
		for i, phase := range phaseNames() {
			p.counters[i] = vec.with(name, trigger, phase)
		}
		return p
	})
	r.fill()
	return r
}

func runs(vec *family[prometheus.Counter], name string, limit int) *bounded[*row[prometheus.Counter]] {
	return newBounded(limit, func(outcome string) *row[prometheus.Counter] {
		return newRow(func(trigger string) prometheus.Counter { return vec.with(name, trigger, outcome) })
	})
}

func limited(vec *family[prometheus.Histogram], name string, limit int) *bounded[prometheus.Histogram] {
	return newBounded(limit, func(class string) prometheus.Histogram { return vec.with(name, class) })
}

func events(vec, panics *family[prometheus.Counter], name string, limit int) *bounded[predicateCounters] {
	return newBounded(limit, func(predicate string) predicateCounters {
		row := newRow(func(trigger string) eventCounters {
			result := func(result string) prometheus.Counter {
				return vec.with(name, trigger, predicate, result)
			}
			return eventCounters{admitted: result("admitted"), dropped: result("dropped")}
		})
		return predicateCounters{row, panics.with(name, predicate)}
	})
}

func calls(vec *family[prometheus.Counter], name string, limit int) *bounded[*verbCalls] {
	return newBounded(limit, func(kind string) *verbCalls {
		var rows verbCalls
		for i, verb := range verbNames() {
			rows[i] = newRow(func(trigger string) prometheus.Counter {
				return vec.with(name, trigger, verb, kind)
			})
		}
		return &rows
	})
}

// classes are those of package reconcile. Their series are there from the
// start: an alert on the first terminal error must see it rise from zero.
func classes() []string {
	return []string{
		class.Success, class.Requeue, class.Conflict, class.Throttled, class.NotFound, class.Invalid,
		class.Timeout, class.Canceled, class.Terminal, class.Panic, class.Error,
	}
}

// failures are the classes of a run that the limiter is asked about.
func failures() []string {
	return []string{
		class.Requeue, class.Conflict, class.Throttled, class.NotFound, class.Invalid,
		class.Timeout, class.Canceled, class.Panic, class.Error,
	}
}

// tell makes the metrics say what is so at this moment, for a scrape.
func (c *Controller) tell(s State) {
	c.telling.Lock()
	defer c.telling.Unlock()
	c.gauges.set(s, c.lastSuccess())
	for p := range c.phases.all {
		p.tell()
	}
}
