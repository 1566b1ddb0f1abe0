package metrics

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// Metrics is the collector of all controllers of a process. It is safe for
// concurrent use. Make one with New.
type Metrics struct {
	opts    Options
	series  series
	gauges  gaugeVecs
	objects objects

	mu          sync.Mutex
	controllers map[string]*Controller
}

var _ prometheus.Collector = (*Metrics)(nil)

// New returns a collector that is not registered anywhere, without a
// controller. It panics with the error of opts.Validate.
//
// In one registry there is room for one Metrics, whatever its options. The
// second to come gets a prometheus.AlreadyRegisteredError whose
// ExistingCollector is the first: use that one instead. If something else has
// one of the names, Register returns another error.
func New(opts Options) *Metrics {
	if err := opts.Validate(); err != nil {
		panic(err)
	}
	coarse := opts.coarseBuckets()
	opts = opts.withDefaults()
	return &Metrics{
		opts:        opts,
		series:      newSeries(opts.Buckets, coarse),
		gauges:      newGaugeVecs(),
		objects:     newObjects(),
		controllers: make(map[string]*Controller),
	}
}

// Controller returns the handle of the controller of that name, always the same
// one. Its series exist from then on, for as long as m does. The names must be
// few: each costs about 430 series, most of them the buckets of histograms.
func (m *Metrics) Controller(name string) *Controller {
	name = valid(name)
	m.mu.Lock()
	defer m.mu.Unlock()
	c, ok := m.controllers[name]
	if !ok {
		c = newController(name, &m.series, &m.gauges, m.opts)
		m.controllers[name] = c
	}
	return c
}

// Describe implements prometheus.Collector.
func (m *Metrics) Describe(ch chan<- *prometheus.Desc) {
	for _, c := range m.collectors() {
		c.Describe(ch)
	}
	m.objects.describe(ch)
}

// Collect implements prometheus.Collector. It calls the function of each
// Controller.SetState and AddState, outside any lock.
func (m *Metrics) Collect(ch chan<- prometheus.Metric) {
	for _, c := range m.all() {
		state := c.currentState()
		c.tell(state)
		m.objects.collect(ch, c.name, state, m.opts.TopK)
	}
	for _, c := range m.collectors() {
		c.Collect(ch)
	}
}

func (m *Metrics) collectors() []prometheus.Collector {
	return append(m.series.collectors(), m.gauges.collectors()...)
}

// all returns the controllers by their names.
func (m *Metrics) all() []*Controller {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.SortedFunc(maps.Values(m.controllers), func(a, b *Controller) int {
		return strings.Compare(a.name, b.name)
	})
}

// valid returns s as Prometheus takes it for the value of a label: what is not
// UTF-8 would be refused, and the scrape with it.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
