package scrape_test

import (
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/e2e/internal/scrape"
)

// exposition is what a process that started at start would answer.
func exposition(start, runs, fast, slow int) string {
	return fmt.Sprintf(`# TYPE process_start_time_seconds gauge
process_start_time_seconds %d
# TYPE runs_total counter
runs_total{trigger="primary",class="none"} %d
runs_total{trigger="primary",class="error"} 1
runs_total{trigger="retry",class="none"} 2
# TYPE depth gauge
depth{trigger="primary"} %d
# TYPE latency_seconds histogram
latency_seconds_bucket{trigger="primary",le="0.1"} %d
latency_seconds_bucket{trigger="primary",le="1"} %d
latency_seconds_bucket{trigger="primary",le="+Inf"} %d
latency_seconds_sum{trigger="primary"} 5
latency_seconds_count{trigger="primary"} %d
`, start, runs, runs, fast, fast+slow, fast+slow, fast+slow)
}

func parse(t *testing.T, text string) scrape.Sample {
	t.Helper()
	s, err := scrape.Parse(strings.NewReader(text))
	require.NoError(t, err)
	return s
}

func TestSample(t *testing.T) {
	s := parse(t, exposition(1, 10, 3, 1))

	require.InDelta(t, 11.0, s.Sum("runs_total", "trigger", "primary"), 0)
	require.InDelta(t, 13.0, s.Sum("runs_total"), 0)
	require.InDelta(t, 10.0, s.Sum("runs_total", "trigger", "primary", "class", "none"), 0)
	require.Zero(t, s.Sum("runs_total", "trigger", "watched"))
	require.Zero(t, s.Sum("no_such_series"))
	require.Equal(t, map[string]string{"trigger": "primary", "class": "none"}, s.Max("runs_total").Labels)
	require.Empty(t, s.Max("no_such_series").Labels)
	require.InDelta(t, 4.0, s.Histogram("latency_seconds").Count(), 0)
	require.InDelta(t, 5.0, s.Sum("latency_seconds", "trigger", "primary"), 0)
	require.True(t, s.Has("depth"))
	require.False(t, s.Has("no_such_series"))
}

func TestParseSaysWhatIsWrong(t *testing.T) {
	_, err := scrape.Parse(strings.NewReader("this is no metric {"))
	require.ErrorContains(t, err, "scrape: ")
}

func TestQuantile(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		name    string
		buckets scrape.Buckets
		q, want float64
	}{
		{"lowest bucket starts at zero", scrape.Buckets{{1, 10}, {inf, 10}}, 0.5, 0.5},
		{"evenly inside a bucket", scrape.Buckets{{1, 10}, {3, 20}, {inf, 20}}, 0.75, 2},
		{"on a bound", scrape.Buckets{{1, 10}, {3, 20}, {inf, 20}}, 0.5, 1},
		{"empty buckets are passed over", scrape.Buckets{{1, 0}, {2, 0}, {4, 8}, {inf, 8}}, 0.5, 3},
		{"zeroth quantile: start of the first bucket that counts", scrape.Buckets{{1, 0}, {2, 5}, {inf, 5}}, 0, 1},
		{"everything: end of the last bucket that counts", scrape.Buckets{{1, 5}, {2, 5}, {inf, 5}}, 1, 1},
		{"beyond the last bound: at least that", scrape.Buckets{{1, 1}, {inf, 10}}, 0.99, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.InDelta(t, c.want, c.buckets.Quantile(c.q), 1e-9)
		})
	}
	require.True(t, math.IsNaN(scrape.Buckets{}.Quantile(0.5)))
	require.True(t, math.IsNaN(scrape.Buckets{{1, 0}, {inf, 0}}.Quantile(0.5)))
}

// A restarted process starts at zero, even when it has caught up by the next
// sample; gauges are not added.
func TestTotalOverRestarts(t *testing.T) {
	var total scrape.Total
	require.Empty(t, total.Sample())

	total.Observe(parse(t, exposition(1, 5, 1, 0)))
	total.Observe(parse(t, exposition(1, 10, 3, 1)))
	total.Observe(parse(t, exposition(2, 12, 4, 2)))
	total.Observe(parse(t, exposition(3, 1, 1, 1)))
	s := total.Sample()

	require.InDelta(t, 23.0, s.Sum("runs_total", "trigger", "primary", "class", "none"), 0)
	require.InDelta(t, 3.0, s.Sum("runs_total", "class", "error"), 0)
	require.InDelta(t, 1.0, s.Sum("depth"), 0)
	require.InDelta(t, 12.0, s.Histogram("latency_seconds").Count(), 0)
	require.InDelta(t, 8.0, s.Histogram("latency_seconds")[0].Count, 0)
	require.InDelta(t, 15.0, s.Sum("latency_seconds"), 0)
}

func TestTotalOfAGaugeThatCounts(t *testing.T) {
	total := scrape.Total{Counts: []string{"depth"}}
	total.Observe(parse(t, exposition(1, 5, 1, 0)))
	total.Observe(parse(t, exposition(2, 6, 1, 0)))
	require.InDelta(t, 11.0, total.Sample().Sum("depth"), 0)
}

// Asking twice gives the same: the totals do not grow by being read.
func TestTotalIsNotChangedByReading(t *testing.T) {
	var total scrape.Total
	total.Observe(parse(t, exposition(1, 5, 1, 0)))
	total.Observe(parse(t, exposition(2, 5, 1, 0)))
	for range 3 {
		require.InDelta(t, 16.0, total.Sample().Sum("runs_total"), 0)
	}
}

// A series that the new process has not shown yet is not lost.
func TestTotalKeepsSeriesOfThePast(t *testing.T) {
	var total scrape.Total
	total.Observe(parse(t, exposition(1, 5, 1, 0)))
	total.Observe(parse(t, "# TYPE process_start_time_seconds gauge\nprocess_start_time_seconds 2\n"))
	require.InDelta(t, 8.0, total.Sample().Sum("runs_total"), 0)
	require.False(t, total.Sample().Has("depth"))
}

func TestBucketsSince(t *testing.T) {
	early := scrape.Buckets{{1, 10}, {math.Inf(1), 12}}
	late := scrape.Buckets{{1, 11}, {math.Inf(1), 20}}
	require.Equal(t, scrape.Buckets{{1, 1}, {math.Inf(1), 8}}, late.Since(early))
	require.Equal(t, late, late.Since(nil))
	require.Zero(t, late.Since(late).Count())
}

func TestGet(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/metrics" {
			http.Error(w, "no", http.StatusTeapot)
			return
		}
		fmt.Fprint(w, exposition(1, 10, 3, 1))
	}))
	defer server.Close()

	s, err := scrape.Get(t.Context(), nil, server.URL+"/metrics")
	require.NoError(t, err)
	require.InDelta(t, 13.0, s.Sum("runs_total"), 0)

	_, err = scrape.Get(t.Context(), nil, server.URL)
	require.ErrorContains(t, err, "418")
}
