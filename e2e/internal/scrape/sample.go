package scrape

import (
	"context"
	"fmt"
	"io"
	"net/http"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// Sample is all series of a process at one moment, by metric name.
type Sample map[string][]Series

// Series is one line of an exposition: a counter or gauge has a Value, a
// histogram has Buckets, with its sum as Value, and Native ones if it has such and
// was gathered.
type Series struct {
	Labels  map[string]string
	Value   float64
	Buckets Buckets
	Native  Buckets
	Gauge   bool
}

// Get fetches and parses the metrics at url with an HTTP client; nil means
// [http.DefaultClient].
func Get(ctx context.Context, client *http.Client, url string) (Sample, error) {
	if client == nil {
		client = http.DefaultClient
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return nil, fmt.Errorf("scrape: %w", err)
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("scrape: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("scrape: %s answered %s", url, resp.Status)
	}
	return Parse(resp.Body)
}

// Parse reads the Prometheus text format.
func Parse(r io.Reader) (Sample, error) {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(r)
	if err != nil {
		return nil, fmt.Errorf("scrape: %w", err)
	}
	s := make(Sample, len(families))
	for name, family := range families {
		s.add(name, family)
	}
	return s, nil
}

// Sum adds the values of name's series that have all the labels, given as
// name, value, name, value.
func (s Sample) Sum(name string, labels ...string) float64 {
	sum := 0.0
	for _, series := range s[name] {
		if series.matches(labels) {
			sum += series.Value
		}
	}
	return sum
}

// Max returns the largest value among name's series that have all the labels,
// and that series; zero if there is none.
func (s Sample) Max(name string, labels ...string) (largest Series) {
	for _, series := range s[name] {
		if series.matches(labels) && (largest.Labels == nil || series.Value > largest.Value) {
			largest = series
		}
	}
	return largest
}

// Histogram adds up name's histograms that have all the labels.
func (s Sample) Histogram(name string, labels ...string) Buckets {
	var merged Buckets
	for _, series := range s[name] {
		if series.matches(labels) {
			merged = merged.add(series.Buckets)
		}
	}
	return merged
}

// Has tells whether there is any series of that name.
func (s Sample) Has(name string) bool {
	return len(s[name]) > 0
}

func (s Series) matches(labels []string) bool {
	for i := 0; i+1 < len(labels); i += 2 {
		if s.Labels[labels[i]] != labels[i+1] {
			return false
		}
	}
	return true
}

func series(m *dto.Metric) Series {
	s := Series{Labels: map[string]string{}}
	for _, l := range m.GetLabel() {
		s.Labels[l.GetName()] = l.GetValue()
	}
	switch {
	case m.GetHistogram() != nil:
		s.Value = m.GetHistogram().GetSampleSum()
		s.Buckets = buckets(m.GetHistogram())
		s.Native = native(m.GetHistogram())
	case m.GetGauge() != nil:
		s.Value, s.Gauge = m.GetGauge().GetValue(), true
	case m.GetCounter() != nil:
		s.Value = m.GetCounter().GetValue()
	case m.GetUntyped() != nil:
		s.Value = m.GetUntyped().GetValue()
	}
	return s
}
