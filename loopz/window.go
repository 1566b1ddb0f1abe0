package loopz

import (
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/metrics"
	"github.com/trimtab/trimtab/trigger"
)

// window is what a loop has counted in the time up to now, and what it is doing now.
type window struct {
	over    time.Duration
	status  *trimtab.Status
	counted metrics.Totals     // in that time
	growth  [trigger.Count]int // of what is ready, in that time
}

func newWindow(over time.Duration, from reading, status *trimtab.Status) window {
	w := window{over: over, status: status, counted: between(from.totals, status.Totals)}
	for source, depth := range status.Queue.Depth {
		w.growth[source] = depth - from.depth[source]
	}
	return w
}

// rate is n in a second. Zero for a window of no length.
func (w *window) rate(n uint64) float64 {
	if w.over <= 0 {
		return 0
	}
	return float64(n) / w.over.Seconds()
}

// runs is the runs of all triggers.
func (w *window) runs() (runs, noOps uint64) {
	for i := range w.counted.Triggers {
		runs += w.counted.Triggers[i].Runs
		noOps += w.counted.Triggers[i].NoOps
	}
	return runs, noOps
}

// between returns what was counted from one moment to another. A loop that has got
// another controller meanwhile may have counted less: that is nothing.
func between(from, to metrics.Totals) metrics.Totals {
	d := to
	for i := range d.Triggers {
		d.Triggers[i] = betweenTriggers(&from.Triggers[i], &to.Triggers[i])
	}
	d.Classes = map[string]uint64{}
	for class, n := range to.Classes {
		d.Classes[class] = less(n, from.Classes[class])
	}
	d.Events = betweenEvents(from.Events, to.Events)
	d.Calls = betweenCalls(from.Calls, to.Calls)
	d.Retries, d.Periodics = less(to.Retries, from.Retries), less(to.Periodics, from.Periodics)
	d.Overruns = less(to.Overruns, from.Overruns)
	return d
}

func betweenTriggers(from, to *metrics.TriggerTotals) metrics.TriggerTotals {
	return metrics.TriggerTotals{
		Adds:          less(to.Adds, from.Adds),
		Merges:        less(to.Merges, from.Merges),
		Deliveries:    less(to.Deliveries, from.Deliveries),
		Runs:          less(to.Runs, from.Runs),
		NoOps:         less(to.NoOps, from.NoOps),
		HandlerPanics: less(to.HandlerPanics, from.HandlerPanics),
		Delay:         max(0, to.Delay-from.Delay),
		Wait:          max(0, to.Wait-from.Wait),
		OwnRun:        max(0, to.OwnRun-from.OwnRun),
		Phases: trigger.Phases{
			Read:    max(0, to.Phases.Read-from.Phases.Read),
			Compute: max(0, to.Phases.Compute-from.Phases.Compute),
			Write:   max(0, to.Phases.Write-from.Phases.Write),
			Status:  max(0, to.Phases.Status-from.Phases.Status),
		},
		Latency: to.Latency.Since(from.Latency),
	}
}

func betweenEvents(from, to []metrics.EventTotals) []metrics.EventTotals {
	type key struct{ predicate, trigger string }
	before := map[key]metrics.EventTotals{}
	for _, e := range from {
		before[key{e.Predicate, e.Trigger}] = e
	}
	var d []metrics.EventTotals
	for _, e := range to {
		b := before[key{e.Predicate, e.Trigger}]
		e.Admitted, e.Dropped = less(e.Admitted, b.Admitted), less(e.Dropped, b.Dropped)
		d = append(d, e)
	}
	return d
}

func betweenCalls(from, to []metrics.CallTotals) []metrics.CallTotals {
	type key struct{ kind, verb string }
	before := map[key]uint64{}
	for _, c := range from {
		before[key{c.Kind, c.Verb}] = c.Calls
	}
	var d []metrics.CallTotals
	for _, c := range to {
		c.Calls = less(c.Calls, before[key{c.Kind, c.Verb}])
		d = append(d, c)
	}
	return d
}

func less(n, m uint64) uint64 { return n - min(n, m) }
