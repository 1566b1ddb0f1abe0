package metrics_test

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/metrics"
	"github.com/trimtab/trimtab/trigger"
)

// newRegistry returns a Metrics and the registry that gathers it. A pedantic
// one also finds metrics that were not described.
func newRegistry(tb testing.TB, opts metrics.Options) (*metrics.Metrics, *prometheus.Registry) {
	tb.Helper()
	m := metrics.New(opts)
	reg := prometheus.NewPedanticRegistry()
	require.NoError(tb, reg.Register(m))
	return m, reg
}

// samples is all that a scrape finds, by the series as Prometheus writes it. A
// histogram is its _count, its _sum and its _bucket, cumulative.
func samples(tb testing.TB, from prometheus.Gatherer) map[string]float64 {
	tb.Helper()
	families, err := from.Gather()
	require.NoError(tb, err)
	all := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			var labels []string
			for _, l := range m.GetLabel() {
				labels = append(labels, fmt.Sprintf("%s=%q", l.GetName(), l.GetValue()))
			}
			series := func(suffix string, more ...string) string {
				return f.GetName() + suffix + "{" + strings.Join(append(labels, more...), ",") + "}"
			}
			if h := m.GetHistogram(); h != nil {
				all[series("_count")] = float64(h.GetSampleCount())
				all[series("_sum")] = h.GetSampleSum()
				for _, b := range h.GetBucket() {
					all[series("_bucket", fmt.Sprintf("le=\"%v\"", b.GetUpperBound()))] = float64(b.GetCumulativeCount())
				}
				continue
			}
			all[series("")] = cmp.Or(m.GetCounter().GetValue(), m.GetGauge().GetValue())
		}
	}
	return all
}

// named returns the samples of the metric of that name that are not zero.
func named(all map[string]float64, name string) map[string]float64 {
	found := map[string]float64{}
	for series, value := range all {
		if strings.HasPrefix(series, name+"{") && value != 0 {
			found[series] = value
		}
	}
	return found
}

// runOf is a run of which no more is known.
func runOf(info trigger.Info, class string, phases trigger.Phases) trigger.Run {
	return trigger.Run{Info: info, Class: class, Phases: phases}
}
