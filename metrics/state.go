package metrics

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/trimtab/trimtab/trigger"
)

// State is what a controller is doing at one moment. The zero value is that of
// a controller that does nothing.
type State struct {
	// Depth is the number of ready requests, by the source that each counts under.
	Depth [trigger.Count]int

	// Delayed is the number of requests that wait for their time.
	Delayed int

	// Busy is the number of runs in flight.
	Busy int

	// Limit is the most runs that can be in flight at once.
	Limit int

	// OldestWaiting is how long the request that has been ready for longest has
	// waited for a worker. Zero if none waits.
	OldestWaiting time.Duration

	// OldestRun is how long the longest run in flight has been going on. Zero
	// if none is in flight.
	OldestRun time.Duration

	// OverFor is how long, without a break up to now, the queue has been too
	// deep, not counting what only a resync caused, with all workers busy. Zero
	// if it is not now. From a minute on the controller counts as saturated:
	// only the queue can know what was between two scrapes.
	OverFor time.Duration

	// Hot is the objects that were requeued most, in any order.
	Hot []HotObject
}

// HotObject is an object and how often it was requeued.
type HotObject struct {
	// Object is the object's namespace and name, as in "default/web".
	Object string
	// Requeues is the number of requeues, at the least.
	Requeues uint64
}

// utilisation is the part of the limit that is busy.
func (s State) utilisation() float64 {
	if s.Limit <= 0 {
		return 0
	}
	return float64(s.Busy) / float64(s.Limit)
}

// saturatedAfter is how long a queue must be too deep to call it saturated: a
// burst that the workers clear within a minute is what a queue is for.
const saturatedAfter = time.Minute

// SetState makes state the function that says what the controller is doing. It
// is called at each scrape and must be quick and safe for concurrent use. It
// replaces the one set before. Nil removes it: then the gauges are 0 and no
// object is named.
func (c *Controller) SetState(state func() State) {
	if state == nil {
		c.state.Store(nil)
		return
	}
	c.state.Store(&state)
}

func (c *Controller) currentState() State {
	if state := c.state.Load(); state != nil {
		return (*state)()
	}
	return State{}
}

// gauges is what a scrape reads from a State.
type gauges struct {
	busy, limit, utilisation, depth, delayed, oldestWaiting, saturated, oldestRun, lastSuccess, requeues *prometheus.Desc
}

func newGauges() gauges {
	return gauges{
		busy:          gauge("workers_busy", "Runs in flight."),
		limit:         gauge("workers_limit", "Runs that can be in flight at once."),
		utilisation:   gauge("workers_utilisation", "Runs in flight as a ratio of those that can be, from 0 to 1; 0 if that is not known."),
		depth:         gauge("queue_depth", "Requests ready for a worker, by the strongest of their causes.", labelTrigger),
		delayed:       gauge("queue_delayed", "Requests that wait for their time."),
		oldestWaiting: gauge("queue_oldest_waiting_seconds", "Seconds for which the request that has been ready for longest has waited for a worker."),
		saturated:     gauge("queue_saturated", "1 if for a minute the queue has been too deep, resyncs aside, with all workers busy, else 0."),
		oldestRun:     gauge("oldest_run_seconds", "Seconds for which the longest run in flight has been going on."),
		lastSuccess:   gauge("last_success_timestamp_seconds", "When a run last succeeded, in seconds since 1970; 0 if none has."),
		requeues:      gauge("object_requeues", "Requeues of the objects that were requeued most, at the least.", "object"),
	}
}

func gauge(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(prometheus.BuildFQName(namespace, "", name), help,
		append([]string{labelController}, labels...), nil)
}

func (g *gauges) describe(ch chan<- *prometheus.Desc) {
	for _, desc := range []*prometheus.Desc{
		g.busy, g.limit, g.utilisation, g.depth, g.delayed, g.oldestWaiting, g.saturated, g.oldestRun, g.lastSuccess, g.requeues,
	} {
		ch <- desc
	}
}

// collect sends the gauges of one controller.
func (g *gauges) collect(ch chan<- prometheus.Metric, controller string, s State, lastSuccess float64, topK int) {
	send := func(desc *prometheus.Desc, value float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value, append([]string{controller}, labels...)...)
	}
	send(g.busy, float64(s.Busy))
	send(g.limit, float64(s.Limit))
	send(g.utilisation, s.utilisation())
	for source, depth := range s.Depth {
		send(g.depth, float64(depth), triggerName(source))
	}
	send(g.delayed, float64(s.Delayed))
	send(g.oldestWaiting, s.OldestWaiting.Seconds())
	send(g.saturated, oneIf(s.OverFor >= saturatedAfter))
	send(g.oldestRun, s.OldestRun.Seconds())
	send(g.lastSuccess, lastSuccess)
	for _, hot := range hottest(s.Hot, topK) {
		send(g.requeues, float64(hot.Requeues), hot.Object)
	}
}

func oneIf(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// hottest returns the k of hot with the most requeues. Objects that look the
// same in a label are one: a series that is there twice fails the whole scrape.
func hottest(hot []HotObject, k int) []HotObject {
	requeues := make(map[string]uint64, len(hot))
	for _, h := range hot {
		requeues[valid(h.Object)] += h.Requeues
	}
	objects := slices.SortedFunc(maps.Keys(requeues), func(a, b string) int {
		return cmp.Or(cmp.Compare(requeues[b], requeues[a]), cmp.Compare(a, b))
	})
	top := make([]HotObject, 0, min(k, len(objects)))
	for _, object := range objects[:min(k, len(objects))] {
		top = append(top, HotObject{Object: object, Requeues: requeues[object]})
	}
	return top
}
