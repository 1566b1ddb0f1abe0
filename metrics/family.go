package metrics

import (
	"slices"
	"strings"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// family is the metrics of one name. It differs from a vector of Prometheus in that it
// collects them in the order in which a registry sorts them: of what comes sorted,
// that takes a fraction of the time. It is safe for concurrent use.
type family[M prometheus.Metric] struct {
	vec    prometheus.Collector
	create func(values ...string) M
	order  []int // of the labels, by their names

	mu      sync.RWMutex
	metrics []labelled[M]
}

// labelled is a metric with the values of its labels, in the order of their names.
type labelled[M prometheus.Metric] struct {
	values []string
	metric M
}

func newFamily[M prometheus.Metric](vec prometheus.Collector, create func(values ...string) M, labels []string) *family[M] {
	f := &family[M]{vec: vec, create: create}
	for i := range labels {
		f.order = append(f.order, i)
	}
	slices.SortFunc(f.order, func(a, b int) int { return strings.Compare(labels[a], labels[b]) })
	return f
}

// with returns the metric with these values of the labels, always the same one.
func (f *family[M]) with(values ...string) M {
	key := make([]string, len(values))
	for i, label := range f.order {
		key[i] = values[label]
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	at, found := slices.BinarySearchFunc(f.metrics, key, func(l labelled[M], key []string) int {
		return slices.Compare(l.values, key)
	})
	if !found {
		f.metrics = slices.Insert(f.metrics, at, labelled[M]{values: key, metric: f.create(values...)})
	}
	return f.metrics[at].metric
}

// Describe implements prometheus.Collector.
func (f *family[M]) Describe(ch chan<- *prometheus.Desc) { f.vec.Describe(ch) }

// Collect implements prometheus.Collector.
func (f *family[M]) Collect(ch chan<- prometheus.Metric) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	for _, l := range f.metrics {
		ch <- l.metric
	}
}
