package scale_test

import (
	"slices"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
)

// loopOnly leaves out of a registry what is not of loops: of Go, of the process, and of
// client-go.
type loopOnly struct{ prometheus.Gatherer }

func (l loopOnly) Gather() ([]*dto.MetricFamily, error) {
	all, err := l.Gatherer.Gather()
	return slices.DeleteFunc(all, func(f *dto.MetricFamily) bool { return !isLoops(f.GetName()) }), err
}
