package metrics

import (
	"time"

	"github.com/trimtab/trimtab/trigger"
)

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
	p.add(delayPhase, info.Delay())
	p.add(waitPhase, info.Wait())
	p.add(ownRunPhase, info.OwnRun)
}

// Limited counts the delay that a request which failed got, by the class of the
// failure. An empty class counts as "unknown".
func (c *Controller) Limited(class string, delay time.Duration) {
	c.limited.get(class).Observe(max(0, delay).Seconds())
}

// FailuresReset counts a request that fails and whose backoff starts anew, since
// somebody has changed or deleted its object.
func (c *Controller) FailuresReset() { c.failureResets.Inc() }

// GaveUp counts a request that has failed too often in a row to be retried.
func (c *Controller) GaveUp() { c.givenUp.Inc() }

// HotLoop counts a request that was found to run in a hot loop.
func (c *Controller) HotLoop() { c.hotLoops.Inc() }

// HandlerPanicked counts a panic of the handler of an event of source.
func (c *Controller) HandlerPanicked(source trigger.Source) {
	c.handlerPanics.at(ofSource(source)).Inc()
}

// Filtered counts an event of a watch of that source that a predicate of that name
// has admitted or dropped. An empty name counts as "unknown".
func (c *Controller) Filtered(source trigger.Source, predicate string, admitted bool) {
	events := c.events.get(predicate).events.at(ofSource(source))
	if admitted {
		events.admitted.Inc()
	} else {
		events.dropped.Inc()
	}
}

// PredicatePanicked counts a panic of a predicate of that name; its event has passed.
// An empty name counts as "unknown".
func (c *Controller) PredicatePanicked(predicate string) { c.events.get(predicate).panics.Inc() }
