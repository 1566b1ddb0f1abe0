package scrape_test

import (
	"math"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/e2e/internal/scrape"
)

// A gathered histogram has both kinds of buckets, which count the same; the native
// ones have gaps filled, and each observation is in its own.
func TestGather(t *testing.T) {
	reg := prometheus.NewRegistry()
	h := prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "latency_seconds", Buckets: []float64{1, 10},
		NativeHistogramBucketFactor: 1.1, NativeHistogramZeroThreshold: 0.001,
	})
	reg.MustRegister(h, prometheus.NewCounter(prometheus.CounterOpts{Name: "runs_total"}))
	observed := []float64{0, 0.0005, 0.9, 1, 1.05, 7, 7.5, 100}
	for _, v := range observed {
		h.Observe(v)
	}

	s, err := scrape.Gather(reg)
	require.NoError(t, err)
	require.Equal(t, 2, s.Len())
	series := s["latency_seconds"][0]
	require.Equal(t, scrape.Buckets{{1, 4}, {10, 7}, {math.Inf(1), 8}}, series.Buckets)
	require.InDelta(t, 8.0, series.Native.Count(), 0)
	for i, v := range observed {
		at := series.Native.Index(v)
		require.GreaterOrEqual(t, series.Native[at].Count, float64(i+1), v)
		if at > 0 {
			require.LessOrEqual(t, series.Native[at-1].Count, float64(i), v)
		}
		if at > 1 {
			require.InDelta(t, 1.09, series.Native[at].UpperBound/series.Native[at-1].UpperBound, 0.01)
		}
	}
	require.Equal(t, len(series.Native), series.Native.Index(1000))
	require.InDelta(t, 1.0, series.Native.Quantile(0.5), 0.05)
}
