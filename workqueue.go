package trimtab

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/client-go/util/workqueue"
	ctrlmetrics "sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/trimtab/trimtab/queue"
)

// workqueues are controller-runtime's own collectors of the workqueue_* series.
type workqueues struct {
	depth, unfinished, longest *prometheus.GaugeVec
	adds, retries              *prometheus.CounterVec
	waited, worked             *prometheus.HistogramVec
}

// findWorkqueues finds the collectors in controller-runtime's registry, where they are
// registered by a package that only controller-runtime can import.
func findWorkqueues(reg ctrlmetrics.RegistererGatherer) (*workqueues, error) {
	descriptions, ok := reg.(prometheus.Collector)
	if !ok {
		return nil, fmt.Errorf("trimtab: controller-runtime's registry is a %T, which does not describe what is in it", reg)
	}
	w := &workqueues{}
	wanted := map[string]func(prometheus.Collector) bool{
		ctrlmetrics.DepthKey:                   isA(&w.depth),
		ctrlmetrics.AddsKey:                    isA(&w.adds),
		ctrlmetrics.QueueLatencyKey:            isA(&w.waited),
		ctrlmetrics.WorkDurationKey:            isA(&w.worked),
		ctrlmetrics.UnfinishedWorkKey:          isA(&w.unfinished),
		ctrlmetrics.LongestRunningProcessorKey: isA(&w.longest),
		ctrlmetrics.RetriesKey:                 isA(&w.retries),
	}
	for _, desc := range describe(descriptions) {
		if key := workqueueKey(desc); wanted[key] != nil && wanted[key](existing(reg, desc)) {
			delete(wanted, key)
		}
	}
	if len(wanted) > 0 {
		return nil, fmt.Errorf("trimtab: controller-runtime's registry lacks its own %s_* metrics %v", ctrlmetrics.WorkQueueSubsystem, slices.Sorted(maps.Keys(wanted)))
	}
	return w, nil
}

// isA returns a func that keeps a collector in vec, if it is of that type.
func isA[vec prometheus.Collector](v *vec) func(prometheus.Collector) bool {
	return func(c prometheus.Collector) (ok bool) {
		*v, ok = c.(vec)
		return ok
	}
}

// describe returns all descriptions of c. The goroutine ends with Describe, for which
// the loop waits.
func describe(c prometheus.Collector) []*prometheus.Desc {
	descs := make(chan *prometheus.Desc)
	go func() {
		defer close(descs)
		c.Describe(descs)
	}()
	var all []*prometheus.Desc
	for desc := range descs {
		all = append(all, desc)
	}
	return all
}

// workqueueKey returns the name of a workqueue_* series without that beginning, and ""
// for any other. A description tells its name only in its text.
func workqueueKey(desc *prometheus.Desc) string {
	rest, ok := strings.CutPrefix(desc.String(), `Desc{fqName: "`+ctrlmetrics.WorkQueueSubsystem+"_")
	if !ok {
		return ""
	}
	key, _, _ := strings.Cut(rest, `"`)
	return key
}

// existing returns the collector that is registered for just desc, or nil: a registry
// names it to who registers another.
func existing(reg prometheus.Registerer, desc *prometheus.Desc) prometheus.Collector {
	p := probe{desc: desc}
	err := reg.Register(p)
	if err == nil { // It is gone since it was described.
		reg.Unregister(p)
		return nil
	}
	var already prometheus.AlreadyRegisteredError
	if !errors.As(err, &already) {
		return nil
	}
	return already.ExistingCollector
}

// probe is a collector that has a description, and nothing to collect.
type probe struct{ desc *prometheus.Desc }

// Describe implements [prometheus.Collector].
func (p probe) Describe(descs chan<- *prometheus.Desc) { descs <- p.desc }

// Collect implements [prometheus.Collector].
func (probe) Collect(chan<- prometheus.Metric) {}

// workqueueMetrics are the metrics of one queue. It is a workqueue.MetricsProvider and
// a queue.PriorityDepth for that queue, whose name it knows.
type workqueueMetrics struct {
	depth               *prometheus.GaugeVec // by priority
	unfinished, longest prometheus.Gauge
	adds, retries       prometheus.Counter
	waited, worked      prometheus.Observer
}

var _ queue.PriorityDepth = (*workqueueMetrics)(nil)

// metrics returns the metrics of the queue of that controller, and an error if the
// labels are not those that are known here.
func (w *workqueues) metrics(controllerName string) (*workqueueMetrics, error) {
	labels := prometheus.Labels{"name": controllerName, "controller": controllerName}
	m := &workqueueMetrics{}
	var errs [7]error
	m.depth, errs[0] = w.depth.CurryWith(labels)
	m.unfinished, errs[1] = w.unfinished.GetMetricWith(labels)
	m.longest, errs[2] = w.longest.GetMetricWith(labels)
	m.adds, errs[3] = w.adds.GetMetricWith(labels)
	m.retries, errs[4] = w.retries.GetMetricWith(labels)
	m.waited, errs[5] = w.waited.GetMetricWith(labels)
	m.worked, errs[6] = w.worked.GetMetricWith(labels)
	if err := errors.Join(errs[:]...); err != nil {
		return nil, fmt.Errorf("trimtab: controller-runtime's %s_* metrics: %w", ctrlmetrics.WorkQueueSubsystem, err)
	}
	return m, nil
}

// NewPriorityDepthMetric implements [queue.PriorityDepth].
func (m *workqueueMetrics) NewPriorityDepthMetric(_, priority string) workqueue.GaugeMetric {
	return m.depth.With(prometheus.Labels{"priority": priority})
}

// NewDepthMetric implements [workqueue.MetricsProvider], as controller-runtime does.
func (m *workqueueMetrics) NewDepthMetric(name string) workqueue.GaugeMetric {
	return m.NewPriorityDepthMetric(name, "")
}

// NewAddsMetric implements [workqueue.MetricsProvider].
func (m *workqueueMetrics) NewAddsMetric(string) workqueue.CounterMetric { return m.adds }

// NewLatencyMetric implements [workqueue.MetricsProvider].
func (m *workqueueMetrics) NewLatencyMetric(string) workqueue.HistogramMetric { return m.waited }

// NewWorkDurationMetric implements [workqueue.MetricsProvider].
func (m *workqueueMetrics) NewWorkDurationMetric(string) workqueue.HistogramMetric { return m.worked }

// NewUnfinishedWorkSecondsMetric implements [workqueue.MetricsProvider].
func (m *workqueueMetrics) NewUnfinishedWorkSecondsMetric(string) workqueue.SettableGaugeMetric {
	return m.unfinished
}

// NewLongestRunningProcessorSecondsMetric implements [workqueue.MetricsProvider].
func (m *workqueueMetrics) NewLongestRunningProcessorSecondsMetric(string) workqueue.SettableGaugeMetric {
	return m.longest
}

// NewRetriesMetric implements [workqueue.MetricsProvider].
func (m *workqueueMetrics) NewRetriesMetric(string) workqueue.CounterMetric { return m.retries }
