package report_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/e2e/internal/report"
	"github.com/trimtab/trimtab/e2e/internal/scrape"
)

const exposition = `
# TYPE trimtab_adds_total counter
trimtab_adds_total{controller="certificate",trigger="primary"} 120
trimtab_adds_total{controller="certificate",trigger="periodic"} 40
trimtab_adds_total{controller="other",trigger="primary"} 9999
# TYPE trimtab_runs_total counter
trimtab_runs_total{controller="certificate",trigger="primary",class="none"} 90
trimtab_runs_total{controller="certificate",trigger="primary",class="error"} 10
trimtab_runs_total{controller="certificate",trigger="periodic",class="none"} 40
# TYPE trimtab_requeues_total counter
trimtab_requeues_total{controller="certificate",reason="periodic"} 40
trimtab_requeues_total{controller="certificate",reason="retry"} 10
# TYPE trimtab_api_calls_total counter
trimtab_api_calls_total{controller="certificate",trigger="primary",verb="update",kind="Secret"} 100
trimtab_api_calls_total{controller="certificate",trigger="primary",verb="get",kind="Secret"} 150
# TYPE trimtab_phase_seconds_total counter
trimtab_phase_seconds_total{controller="certificate",trigger="primary",phase="wait"} 2
trimtab_phase_seconds_total{controller="certificate",trigger="primary",phase="write"} 7
# TYPE trimtab_latency_seconds histogram
trimtab_latency_seconds_bucket{controller="certificate",trigger="primary",le="0.1"} 50
trimtab_latency_seconds_bucket{controller="certificate",trigger="primary",le="0.5"} 100
trimtab_latency_seconds_bucket{controller="certificate",trigger="primary",le="+Inf"} 100
trimtab_latency_seconds_sum{controller="certificate",trigger="primary"} 20
trimtab_latency_seconds_count{controller="certificate",trigger="primary"} 100
# TYPE trimtab_delay_seconds histogram
trimtab_delay_seconds_bucket{controller="certificate",trigger="periodic",le="30"} 40
trimtab_delay_seconds_bucket{controller="certificate",trigger="periodic",le="+Inf"} 40
trimtab_delay_seconds_sum{controller="certificate",trigger="periodic"} 600
trimtab_delay_seconds_count{controller="certificate",trigger="periodic"} 40
# TYPE trimtab_events_total counter
trimtab_events_total{controller="certificate",trigger="watched",predicate="Secret",result="admitted"} 10
trimtab_events_total{controller="certificate",trigger="watched",predicate="Secret",result="dropped"} 30
trimtab_events_total{controller="certificate",trigger="watched",predicate="CA",result="admitted"} 1
trimtab_events_total{controller="certificate",trigger="watched",predicate="CA",result="dropped"} 0
trimtab_events_total{controller="certificate",trigger="primary",predicate="Certificate",result="admitted"} 0
trimtab_events_total{controller="certificate",trigger="primary",predicate="Certificate",result="dropped"} 7
trimtab_events_total{controller="certificate",trigger="retry",predicate="Certificate",result="dropped"} 0
trimtab_events_total{controller="other",trigger="primary",predicate="Certificate",result="dropped"} 99
# TYPE trimtab_queue_depth gauge
trimtab_queue_depth{controller="certificate",trigger="primary"} 3
trimtab_queue_depth{controller="certificate",trigger="resync"} 400
# TYPE trimtab_workers_busy gauge
trimtab_workers_busy{controller="certificate"} 4
# TYPE trimtab_workers_limit gauge
trimtab_workers_limit{controller="certificate"} 4
# TYPE trimtab_object_requeues gauge
trimtab_object_requeues{controller="certificate",object="ns/a"} 5
trimtab_object_requeues{controller="certificate",object="ns/b"} 7
`

func sample(t *testing.T) scrape.Sample {
	t.Helper()
	s, err := scrape.Parse(strings.NewReader(exposition))
	require.NoError(t, err)
	return s
}

func TestEvents(t *testing.T) {
	require.Equal(t, []string{
		"watch    predicate    admitted  dropped  share dropped",
		"primary  Certificate         0        7         100.0%",
		"watched  CA                  1        0           0.0%",
		"watched  Secret             10       30          75.0%",
	}, report.Events(sample(t)))
}

func TestSeconds(t *testing.T) {
	for in, want := range map[float64]string{
		math.NaN(): "–",
		0:          "0",
		0.0000042:  "4µs",
		0.00042:    "420µs",
		0.00421:    "4.21ms",
		0.0421:     "42.1ms",
		0.4216:     "422ms",
		0.9996:     "1.00s",
		12.34:      "12.3s",
		90:         "1m30s",
		4000:       "1h6m40s",
	} {
		require.Equal(t, want, report.Seconds(in))
	}
}

func TestTableAlignsRunes(t *testing.T) {
	require.Equal(t, []string{"a     –", "bb  100"}, report.Table([][]string{{"a", "–"}, {"bb", "100"}}))
	require.Equal(t, []string{"a   –", "bb  100"}, report.TableLeft([][]string{{"a", "–"}, {"bb", "100"}}))
}

func TestComparison(t *testing.T) {
	lines := report.Comparison(sample(t), 10)
	require.Equal(t, []string{
		"trigger   events  runs    P50    P95    P99  mean wait  mean delay  requeues/object  API calls/run",
		"primary      120   100  100ms  460ms  492ms     20.0ms           –                –      2.5 (1.0)",
		"watched        0     0      –      –      –          –           –                –              –",
		"periodic      40    40      –      –      –          0       15.0s              4.0      0.0 (0.0)",
		"retry          0     0      –      –      –          –           –              1.0              –",
		"resync         0     0      –      –      –          –           –                –              –",
	}, lines[:6])
	require.NotContains(t, strings.Join(lines, "\n"), "external")
}

func TestRotation(t *testing.T) {
	before, after := sample(t), sample(t)
	b := after["trimtab_latency_seconds"][0].Buckets
	b[1].Count, b[2].Count = b[1].Count+4, b[2].Count+4
	require.Equal(t, "while the CA was replaced: 4 runs for changes by users, P99 496ms, among 0 for the resync, P99 –",
		report.Rotation(before, after))
}

func TestComparisonShowsOtherTriggersThatRan(t *testing.T) {
	s := sample(t)
	s["trimtab_runs_total"][0].Labels["trigger"] = "external"
	require.Contains(t, strings.Join(report.Comparison(s, 10), "\n"), "\nexternal")
}

func TestPeaks(t *testing.T) {
	var p report.Peaks
	start := time.Now()
	deep, calm := sample(t), sample(t)
	calm["trimtab_queue_depth"] = nil
	for i, s := range []scrape.Sample{calm, deep, deep, deep, calm, deep, deep, calm} {
		p.Observe(s, start.Add(time.Duration(i)*time.Second))
	}
	require.InDelta(t, 403.0, p.Depth, 0)
	require.InDelta(t, 400.0, p.Resync, 0)
	require.Equal(t, 2*time.Second, p.TooDeep)
	require.InDelta(t, 4.0, p.Busy, 0)
	require.InDelta(t, 4.0, p.Limit, 0)
	require.False(t, p.Saturated)
}

func TestSignals(t *testing.T) {
	good := report.Peaks{Depth: 3, Busy: 3, Limit: 4}
	for name, c := range map[string]struct {
		spoil func(s scrape.Sample, p *report.Peaks)
		want  string
	}{
		"prompt":         {func(scrape.Sample, *report.Peaks) {}, "P99 492ms, primary 492ms good: 99 in 100 changes of a user are served within 492ms"},
		"slow":           {slow, "slow: 1 in 100"},
		"no user":        {func(s scrape.Sample, _ *report.Peaks) { s["trimtab_latency_seconds"] = nil }, "unknown: no user"},
		"never deep":     {func(s scrape.Sample, _ *report.Peaks) { s["trimtab_queue_depth"] = nil }, "0 now, peak 3 (limit 100) good: never"},
		"deep now":       {func(scrape.Sample, *report.Peaks) {}, "not keeping up: above the limit now"},
		"burst":          {burst(time.Second), "good: a burst, 400 of it resync; above the limit for 1.00s at most"},
		"long burst":     {burst(time.Minute), "not keeping up: above the limit for 1m0s"},
		"even requeues":  {func(scrape.Sample, *report.Peaks) {}, "mean 5.0, most 7"},
		"uneven":         {func(s scrape.Sample, _ *report.Peaks) { s[report.ObjectRequeues][1].Value = 51 }, "uneven: look at ns/b"},
		"no requeues":    {func(s scrape.Sample, _ *report.Peaks) { s[report.ObjectRequeues] = nil }, "mean 5.0 good: no object stands out"},
		"idle workers":   {func(scrape.Sample, *report.Peaks) {}, "4 now, peak 3 of 4"},
		"all busy":       {func(_ scrape.Sample, p *report.Peaks) { p.Busy = 4 }, "all busy in bursts"},
		"not enough":     {func(_ scrape.Sample, p *report.Peaks) { p.Saturated = true }, "too few"},
		"four are shown": {func(scrape.Sample, *report.Peaks) {}, "concurrent reconciles"},
	} {
		t.Run(name, func(t *testing.T) {
			s, p := sample(t), good
			c.spoil(s, &p)
			text := strings.Join(strings.Fields(strings.Join(report.Signals(s, p, 10), "\n")), " ")
			require.Contains(t, text, c.want)
		})
	}
}

// slow moves all latencies to the histogram's last bucket, at ten seconds.
func slow(s scrape.Sample, _ *report.Peaks) {
	b := s["trimtab_latency_seconds"][0].Buckets
	b[0].Count, b[1] = 0, scrape.Bucket{UpperBound: 10, Count: 100}
}

func burst(long time.Duration) func(s scrape.Sample, p *report.Peaks) {
	return func(s scrape.Sample, p *report.Peaks) {
		s["trimtab_queue_depth"] = nil
		p.Depth, p.Resync, p.TooDeep = 403, 400, long
	}
}
