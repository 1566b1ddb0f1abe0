package metrics

import (
	"time"
	"unicode/utf8"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/trimtab/trimtab/internal/class"
	"github.com/trimtab/trimtab/trigger"
)

// Ran counts a run that has just returned, its outcome, which is the label
// class, and the time it took. If its Info does not know when the request was
// ready and when the run started, the latency is the time of the run alone. Its
// exemplar is the run's TraceID, unless that is not UTF-8 or too long for one. A run
// of class "success" or "requeue" is the controller's last success. What is counted
// of a run that Converged needs its Info's Attempt, and First and Started.
func (c *Controller) Ran(run trigger.Run) {
	i, took := ofSet(run.Info.Sources), max(0, run.Phases.Total())
	c.runs.get(run.Class).at(i).Inc()
	observe(c.latency.at(i), latency(run.Info, took), run.TraceID)
	p := c.phases.at(i)
	p.add(readPhase, run.Phases.Read)
	p.add(computePhase, run.Phases.Compute)
	p.add(writePhase, run.Phases.Write)
	p.add(statusPhase, run.Phases.Status)
	if run.NoOp {
		c.noOps.at(i).Inc()
	}
	if run.Converged {
		c.converged(run.Info, took)
	}
	if run.Class == class.Success || run.Class == class.Requeue {
		c.succeeded.Store(time.Now().UnixNano())
	}
}

// converged counts what it took until a request needed no further attempt, as far
// as that is known.
func (c *Controller) converged(info trigger.Info, took time.Duration) {
	if info.Attempt > 0 {
		c.attempts.Observe(float64(info.Attempt))
	}
	if !info.First.IsZero() && !info.Started.IsZero() {
		c.convergence.Observe((max(0, info.Started.Sub(info.First)) + took).Seconds())
	}
}

// Called counts one call of the Kubernetes API by a run that sources caused.
// Verb is the client's, in lower case: get, list, watch, create, update, patch,
// apply, delete or deletecollection; any other counts as "other". Kind is the
// object's, and for a subresource "Certificate/status".
func (c *Controller) Called(sources trigger.Set, verb, kind string) {
	c.calls.get(kind)[verbOf(verb)].at(ofSet(sources)).Inc()
}

// Overdue counts runs that have passed their deadline and are still in flight: 1
// when one has, -1 when it has returned.
func (c *Controller) Overdue(change int) {
	c.overdue.Add(float64(change))
	if change > 0 {
		c.overruns.Add(float64(change))
	}
}

// Panicked counts a run that panicked.
func (c *Controller) Panicked() { c.panics.Inc() }

// WorkerLost counts a worker that ended with the run that it was in.
func (c *Controller) WorkerLost() { c.workersLost.Inc() }

// lastSuccess is the time of the last success in seconds since 1970, 0 if
// there was none.
func (c *Controller) lastSuccess() float64 { return time.Duration(c.succeeded.Load()).Seconds() }

// latency is the wait before a run and the run.
func latency(info trigger.Info, run time.Duration) time.Duration {
	if info.Ready.IsZero() || info.Started.IsZero() {
		return run
	}
	return run + max(0, info.Started.Sub(info.Since()))
}

// traceLabel is the label of an exemplar, and maxTrace how many runes its value can
// have: Prometheus panics if both are longer.
const (
	traceLabel = "trace_id"
	maxTrace   = prometheus.ExemplarMaxRunes - len(traceLabel)
)

// observe counts d in h, with the trace as its exemplar if it can be one.
func observe(h prometheus.Histogram, d time.Duration, trace string) {
	e, ok := h.(prometheus.ExemplarObserver)
	if trace == "" || !ok || !utf8.ValidString(trace) || utf8.RuneCountInString(trace) > maxTrace {
		h.Observe(d.Seconds())
		return
	}
	e.ObserveWithExemplar(d.Seconds(), prometheus.Labels{traceLabel: trace})
}
