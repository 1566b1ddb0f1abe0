package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/trimtab/trimtab/trigger"
)

// gaugeVecs is what a scrape sets to what a State says.
type gaugeVecs struct {
	busy, limit, utilisation, depth, delayed       *family[prometheus.Gauge]
	oldestWaiting, saturated, oldestRun, succeeded *family[prometheus.Gauge]
}

func newGaugeVecs() gaugeVecs {
	return gaugeVecs{
		busy:          gauge("workers_busy", "Runs in flight."),
		limit:         gauge("workers_limit", "Runs that can be in flight at once."),
		utilisation:   gauge("workers_utilisation", "Runs in flight as a ratio of those that can be, from 0 to 1; 0 if that is not known."),
		depth:         gauge("queue_depth", "Requests ready for a worker, by the strongest of their causes.", labelTrigger),
		delayed:       gauge("queue_delayed", "Requests that wait for their time."),
		oldestWaiting: gauge("queue_oldest_waiting_seconds", "Seconds for which the request that has been ready for longest has waited for a worker."),
		saturated:     gauge("queue_saturated", "1 if for a minute the queue has been too deep, resyncs aside, with all workers busy, else 0."),
		oldestRun:     gauge("oldest_run_seconds", "Seconds for which the longest run in flight has been going on."),
		succeeded:     gauge("last_success_timestamp_seconds", "When a run last succeeded, in seconds since 1970; 0 if none has."),
	}
}

func gauge(name, help string, labels ...string) *family[prometheus.Gauge] {
	labels = append([]string{labelController}, labels...)
	vec := prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help}, labels)
	return newFamily(vec, vec.WithLabelValues, labels)
}

func (v *gaugeVecs) collectors() []prometheus.Collector {
	return []prometheus.Collector{
		v.busy, v.limit, v.utilisation, v.depth, v.delayed, v.oldestWaiting, v.saturated, v.oldestRun, v.succeeded,
	}
}

// gauges are those of one controller.
type gauges struct {
	busy, limit, utilisation, delayed              prometheus.Gauge
	oldestWaiting, saturated, oldestRun, succeeded prometheus.Gauge
	depth                                          [trigger.Count]prometheus.Gauge
}

func newGauges(v *gaugeVecs, controller string) gauges {
	of := func(vec *family[prometheus.Gauge]) prometheus.Gauge { return vec.with(controller) }
	g := gauges{
		busy: of(v.busy), limit: of(v.limit), utilisation: of(v.utilisation), delayed: of(v.delayed),
		oldestWaiting: of(v.oldestWaiting), saturated: of(v.saturated), oldestRun: of(v.oldestRun), succeeded: of(v.succeeded),
	}
	for source := range g.depth {
		g.depth[source] = v.depth.with(controller, triggerName(source))
	}
	return g
}

// set makes the gauges say s.
func (g *gauges) set(s State, lastSuccess float64) {
	g.busy.Set(float64(s.Busy))
	g.limit.Set(float64(s.Limit))
	g.utilisation.Set(s.utilisation())
	for source, depth := range s.Depth {
		g.depth[source].Set(float64(depth))
	}
	g.delayed.Set(float64(s.Delayed))
	g.oldestWaiting.Set(s.OldestWaiting.Seconds())
	g.saturated.Set(oneIf(s.OverFor >= saturatedAfter))
	g.oldestRun.Set(s.OldestRun.Seconds())
	g.succeeded.Set(lastSuccess)
}

func oneIf(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
