package metrics

import (
	"sync/atomic"
	"time"

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

	adds, merges, deliveries, handlerPanics *row[prometheus.Counter]
	latency, delay                          *row[prometheus.Observer]
	phases                                  *row[phaseCounters]
	retries, periodics, panics              prometheus.Counter
	failureResets, givenUp, hotLoops        prometheus.Counter

	runs  *bounded[*row[prometheus.Counter]]            // by class
	calls *bounded[map[string]*row[prometheus.Counter]] // by kind, then by verb

	succeeded atomic.Int64 // when a run last did, in nanoseconds since 1970
	state     atomic.Pointer[func() State]
}

// phaseCounters are the values of the label phase.
type phaseCounters struct {
	delay, wait, ownRun, read, compute, write, status prometheus.Counter
}

func newController(name string, s *series, maxLabelValues int) *Controller {
	c := &Controller{
		name:          name,
		adds:          counters(s.adds, name),
		merges:        counters(s.merges, name),
		deliveries:    counters(s.deliveries, name),
		handlerPanics: counters(s.handlerPanics, name),
		latency:       observers(s.latency, name),
		delay:         observers(s.delay, name),
		phases:        phases(s.phases, name),
		retries:       s.requeues.WithLabelValues(name, trigger.Retry.String()),
		periodics:     s.requeues.WithLabelValues(name, trigger.Periodic.String()),
		panics:        s.panics.WithLabelValues(name),
		failureResets: s.failureResets.WithLabelValues(name),
		givenUp:       s.givenUp.WithLabelValues(name),
		hotLoops:      s.hotLoops.WithLabelValues(name),
		runs:          runs(s.runs, name, maxLabelValues),
		calls:         calls(s.calls, name, maxLabelValues),
	}
	for _, outcome := range classes() {
		c.runs.get(outcome).fill()
	}
	return c
}

func counters(vec *prometheus.CounterVec, name string) *row[prometheus.Counter] {
	r := newRow(func(trigger string) prometheus.Counter { return vec.WithLabelValues(name, trigger) })
	r.fill()
	return r
}

func observers(vec *prometheus.HistogramVec, name string) *row[prometheus.Observer] {
	r := newRow(func(trigger string) prometheus.Observer { return vec.WithLabelValues(name, trigger) })
	r.fill()
	return r
}

func phases(vec *prometheus.CounterVec, name string) *row[phaseCounters] {
	r := newRow(func(trigger string) phaseCounters {
		phase := func(phase string) prometheus.Counter { return vec.WithLabelValues(name, trigger, phase) }
		return phaseCounters{
			delay: phase("delay"), wait: phase("wait"), ownRun: phase("own_run"),
			read: phase("read"), compute: phase("compute"), write: phase("write"), status: phase("status"),
		}
	})
	r.fill()
	return r
}

func runs(vec *prometheus.CounterVec, name string, limit int) *bounded[*row[prometheus.Counter]] {
	return newBounded(limit, func(outcome string) *row[prometheus.Counter] {
		return newRow(func(trigger string) prometheus.Counter { return vec.WithLabelValues(name, trigger, outcome) })
	})
}

func calls(vec *prometheus.CounterVec, name string, limit int) *bounded[map[string]*row[prometheus.Counter]] {
	return newBounded(limit, func(kind string) map[string]*row[prometheus.Counter] {
		rows := make(map[string]*row[prometheus.Counter])
		for _, verb := range verbs() {
			rows[verb] = newRow(func(trigger string) prometheus.Counter {
				return vec.WithLabelValues(name, trigger, verb, kind)
			})
		}
		return rows
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

// verbs are the values of the label verb.
func verbs() []string {
	return []string{
		"get", "list", "watch", "create", "update", "patch", "apply", "delete", "deletecollection", other,
	}
}

// Added counts an add to the queue that source caused. Merged says that it met
// a request already queued.
func (c *Controller) Added(source trigger.Source, merged bool) {
	i := ofSource(source)
	c.adds.at(i).Inc()
	if merged {
		c.merges.at(i).Inc()
	}
}

// Requeued counts an add that is the echo of a run, besides Added: Retry after
// an error, Periodic after a RequeueAfter. No other source is counted.
func (c *Controller) Requeued(source trigger.Source) {
	switch source {
	case trigger.Retry:
		c.retries.Inc()
	case trigger.Periodic:
		c.periodics.Inc()
	default: // an event is no echo
	}
}

// FailuresReset counts a request that fails and whose backoff starts anew, since
// somebody has changed or deleted its object.
func (c *Controller) FailuresReset() { c.failureResets.Inc() }

// GaveUp counts a request that has failed too often in a row to be retried.
func (c *Controller) GaveUp() { c.givenUp.Inc() }

// HotLoop counts a request that was found to run in a hot loop.
func (c *Controller) HotLoop() { c.hotLoops.Inc() }

// Delivered counts a request that a worker has taken, and the time until then.
// If one of info's times is unknown, no time is counted.
func (c *Controller) Delivered(info trigger.Info) {
	i := ofSet(info.Sources)
	c.deliveries.at(i).Inc()
	if info.Added.IsZero() || info.Ready.IsZero() || info.Started.IsZero() {
		return
	}
	c.delay.at(i).Observe(info.Delay().Seconds())
	p := c.phases.at(i)
	add(p.delay, info.Delay())
	add(p.wait, info.Wait())
	add(p.ownRun, info.OwnRun)
}

// HandlerPanicked counts a panic of the handler of an event of source.
func (c *Controller) HandlerPanicked(source trigger.Source) {
	c.handlerPanics.at(ofSource(source)).Inc()
}

// Ran counts a run that has just returned, its outcome, which is the label
// class, and the time it took. If its Info does not know when the request was
// ready and when the run started, the latency is the time of the run alone. A run
// of class "success" or "requeue" is the controller's last success.
func (c *Controller) Ran(run trigger.Run) {
	i := ofSet(run.Info.Sources)
	c.runs.get(run.Class).at(i).Inc()
	c.latency.at(i).Observe(latency(run.Info, run.Phases.Total()).Seconds())
	p := c.phases.at(i)
	add(p.read, run.Phases.Read)
	add(p.compute, run.Phases.Compute)
	add(p.write, run.Phases.Write)
	add(p.status, run.Phases.Status)
	if run.Class == class.Success || run.Class == class.Requeue {
		c.succeeded.Store(time.Now().UnixNano())
	}
}

// Called counts one call of the Kubernetes API by a run that sources caused.
// Verb is the client's, in lower case: get, list, watch, create, update, patch,
// apply, delete or deletecollection; any other counts as "other". Kind is the
// object's, and for a subresource "Certificate/status".
func (c *Controller) Called(sources trigger.Set, verb, kind string) {
	rows := c.calls.get(kind)
	r, ok := rows[verb]
	if !ok {
		r = rows[other]
	}
	r.at(ofSet(sources)).Inc()
}

// Overdue counts runs that have passed their deadline and are still in flight: 1
// when one has, -1 when it has returned.
func (c *Controller) Overdue(int) {}

// WorkerLost counts a worker that ended with the run that it was in.
func (c *Controller) WorkerLost() {}

// Limited counts a delay that the rate limiter gave a request that failed, by the
// class of the failure.
func (c *Controller) Limited(string, time.Duration) {}

// Panicked counts a run that panicked.
func (c *Controller) Panicked() { c.panics.Inc() }

// lastSuccess is the time of the last success in seconds since 1970, 0 if
// there was none.
func (c *Controller) lastSuccess() float64 { return time.Duration(c.succeeded.Load()).Seconds() }

// latency is the wait before a run and the run.
func latency(info trigger.Info, run time.Duration) time.Duration {
	run = max(0, run)
	if info.Ready.IsZero() || info.Started.IsZero() {
		return run
	}
	return run + max(0, info.Started.Sub(info.Since()))
}

// add adds d to a counter of seconds. A negative time, of which a counter would
// panic, is none; nor is zero worth the wait for the counter's memory.
func add(c prometheus.Counter, d time.Duration) {
	if d > 0 {
		c.Add(d.Seconds())
	}
}
