package scrape

import (
	"fmt"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
)

// Gather reads the metrics of a registry in the same process. Unlike the text format,
// it knows native histograms.
func Gather(g prometheus.Gatherer) (Sample, error) {
	families, err := g.Gather()
	if err != nil {
		return nil, fmt.Errorf("scrape: %w", err)
	}
	s := make(Sample, len(families))
	for _, family := range families {
		s.add(family.GetName(), family)
	}
	return s, nil
}

// Len returns the number of series, of which a histogram is one.
func (s Sample) Len() int {
	n := 0
	for _, series := range s {
		n += len(series)
	}
	return n
}

func (s Sample) add(name string, family *dto.MetricFamily) {
	for _, m := range family.GetMetric() {
		s[name] = append(s[name], series(m))
	}
}
