package metrics_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/metrics"
	"github.com/trimtab/trimtab/trigger"
)

// A run that overstays is seen while it does, and counted for good.
func TestOverdueRuns_ME15(t *testing.T) {
	m, reg := newRegistry(t, metrics.Options{})
	c := m.Controller("c")
	for _, step := range []struct{ change, overdue, overruns int }{{1, 1, 1}, {1, 2, 2}, {-1, 1, 2}, {-1, 0, 2}, {1, 1, 3}} {
		c.Overdue(step.change)
		all := samples(t, reg)
		require.InDelta(t, step.overdue, all[`trimtab_runs_overdue{controller="c"}`], 0)
		require.InDelta(t, step.overruns, all[`trimtab_overruns_total{controller="c"}`], 0)
	}
	c.WorkerLost()
	require.InDelta(t, 1, samples(t, reg)[`trimtab_workers_lost_total{controller="c"}`], 0)
}

func TestUtilisation_ME15(t *testing.T) {
	m, reg := newRegistry(t, metrics.Options{})
	c := m.Controller("c")
	for _, tc := range []struct {
		state metrics.State
		want  float64
	}{
		{metrics.State{}, 0},
		{metrics.State{Busy: 3}, 0}, // as without Trimtab's queue
		{metrics.State{Busy: 3, Limit: 4}, 0.75},
		{metrics.State{Busy: 4, Limit: 4}, 1},
	} {
		c.SetState(func() metrics.State { return tc.state })
		require.InDelta(t, tc.want, samples(t, reg)[`trimtab_workers_utilisation{controller="c"}`], 0, tc.state)
	}
}

func TestNoOpRuns_ME14(t *testing.T) {
	m, reg := newRegistry(t, metrics.Options{})
	c := m.Controller("c")
	for i, source := range []trigger.Source{trigger.Resync, trigger.Resync, trigger.Resync, trigger.Watched} {
		c.Ran(trigger.Run{Info: trigger.Info{Sources: trigger.SetOf(source)}, Class: "success", NoOp: i > 0})
	}
	require.Equal(t, map[string]float64{
		`trimtab_noop_runs_total{controller="c",trigger="resync"}`:  2,
		`trimtab_noop_runs_total{controller="c",trigger="watched"}`: 1,
	}, named(samples(t, reg), "trimtab_noop_runs_total"))
}

// What it took until a request needed nothing more is known once it needs nothing more.
func TestConvergence_ME13(t *testing.T) {
	m, reg := newRegistry(t, metrics.Options{})
	c := m.Controller("c")
	run := trigger.Run{
		Info:   trigger.Info{Attempt: 4, First: at(0), Ready: at(50), Started: at(50)},
		Class:  "conflict",
		Phases: trigger.Phases{Read: seconds(1), Write: seconds(2)},
	}
	c.Ran(run)
	require.Empty(t, named(samples(t, reg), "trimtab_convergence_attempts_count"))
	require.Empty(t, named(samples(t, reg), "trimtab_convergence_seconds_count"))

	run.Class, run.Converged = "success", true
	c.Ran(run)
	all := samples(t, reg)
	require.InDelta(t, 53, all[`trimtab_convergence_seconds_sum{controller="c"}`], 1e-9)
	require.InDelta(t, 0, all[`trimtab_convergence_seconds_bucket{controller="c",le="30"}`], 0)
	require.InDelta(t, 1, all[`trimtab_convergence_seconds_bucket{controller="c",le="60"}`], 0)
	require.InDelta(t, 0, all[`trimtab_convergence_attempts_bucket{controller="c",le="3"}`], 0)
	require.InDelta(t, 1, all[`trimtab_convergence_attempts_bucket{controller="c",le="5"}`], 0)
	require.InDelta(t, 4, all[`trimtab_convergence_attempts_sum{controller="c"}`], 0)

	// What is unknown is not counted, nor is there a negative time.
	c.Ran(trigger.Run{Converged: true})
	c.Ran(trigger.Run{Converged: true, Info: trigger.Info{First: at(0)}})
	c.Ran(trigger.Run{Converged: true, Info: trigger.Info{First: at(9), Started: at(1)}})
	all = samples(t, reg)
	require.InDelta(t, 1, all[`trimtab_convergence_attempts_count{controller="c"}`], 0)
	require.InDelta(t, 2, all[`trimtab_convergence_seconds_count{controller="c"}`], 0)
	require.InDelta(t, 53, all[`trimtab_convergence_seconds_sum{controller="c"}`], 1e-9)
}

func TestLimiterDelays_ME10_ME04(t *testing.T) {
	m, reg := newRegistry(t, metrics.Options{})
	c := m.Controller("c")
	c.Limited("conflict", 5*time.Millisecond)
	c.Limited("conflict", 30*time.Second)
	c.Limited("", time.Hour)
	c.Limited("error", -time.Second) // of a limiter that errs
	for i := range 1000 {
		c.Limited(fmt.Sprint("class ", i), time.Second)
	}
	all := samples(t, reg)
	require.InDelta(t, 30.005, all[`trimtab_limiter_delay_seconds_sum{class="conflict",controller="c"}`], 1e-9)
	require.InDelta(t, 1, all[`trimtab_limiter_delay_seconds_bucket{class="conflict",controller="c",le="1"}`], 0)
	require.InDelta(t, 2, all[`trimtab_limiter_delay_seconds_bucket{class="conflict",controller="c",le="30"}`], 0)
	require.InDelta(t, 3600, all[`trimtab_limiter_delay_seconds_sum{class="unknown",controller="c"}`], 0)
	require.Zero(t, all[`trimtab_limiter_delay_seconds_sum{class="error",controller="c"}`])
	// 9 classes are there from the start, and unknown has come; 15 of 25 are left.
	require.InDelta(t, 1000-15, all[`trimtab_limiter_delay_seconds_count{class="other",controller="c"}`], 0)
}

func TestFilteredEvents_ME04_ME11(t *testing.T) {
	m, reg := newRegistry(t, metrics.Options{MaxLabelValues: 3})
	c := m.Controller("c")
	c.Filtered(trigger.Watched, "SpecChanged", false)
	c.Filtered(trigger.Watched, "SpecChanged", false)
	c.Filtered(trigger.Primary, "SpecChanged", true)
	c.Filtered(255, "", true)
	const series = `trimtab_events_total{controller="c",predicate=%q,result=%q,trigger=%q}`
	require.Equal(t, map[string]float64{
		fmt.Sprintf(series, "SpecChanged", "dropped", "watched"):  2,
		fmt.Sprintf(series, "SpecChanged", "admitted", "primary"): 1,
		fmt.Sprintf(series, "unknown", "admitted", "unknown"):     1,
	}, named(samples(t, reg), "trimtab_events_total"))
	// The first drop is to be seen rising from zero.
	require.Contains(t, samples(t, reg), fmt.Sprintf(series, "SpecChanged", "dropped", "primary"))

	for i := range 1000 {
		c.Filtered(trigger.Watched, fmt.Sprint("predicate ", i), true)
	}
	require.InDelta(t, 999, samples(t, reg)[fmt.Sprintf(series, "other", "admitted", "watched")], 0)
}

func TestPredicatePanics_PR15(t *testing.T) {
	m, reg := newRegistry(t, metrics.Options{MaxLabelValues: 3})
	c := m.Controller("c")
	c.Filtered(trigger.Watched, "SpecChanged", true)
	c.PredicatePanicked("Mine")
	c.PredicatePanicked("Mine")
	c.PredicatePanicked("")
	c.PredicatePanicked("Yours")
	const series = `trimtab_predicate_panics_total{controller="c",predicate=%q}`
	all := samples(t, reg)
	require.Equal(t, map[string]float64{
		fmt.Sprintf(series, "Mine"):    2,
		fmt.Sprintf(series, "unknown"): 1,
		fmt.Sprintf(series, "other"):   1,
	}, named(all, "trimtab_predicate_panics_total"))
	require.Contains(t, all, fmt.Sprintf(series, "SpecChanged"), "the first panic is to be seen rising from zero")
}

// bucket is a classic bucket of a histogram.
type bucket struct {
	upper     float64
	count     float64           // of the observations up to upper
	exemplar  map[string]string // its labels
	exemplary float64           // its value
}

// buckets returns those of the histogram of that name and trigger.
func buckets(t *testing.T, reg *prometheus.Registry, name, trigger string) []bucket {
	t.Helper()
	families, err := reg.Gather()
	require.NoError(t, err)
	var found []bucket
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if f.GetName() != name || m.GetLabel()[1].GetValue() != trigger { // the labels are controller and trigger
				continue
			}
			for _, b := range m.GetHistogram().GetBucket() {
				e := bucket{upper: b.GetUpperBound(), count: float64(b.GetCumulativeCount()), exemplary: b.GetExemplar().GetValue()}
				for _, l := range b.GetExemplar().GetLabel() {
					e.exemplar = map[string]string{l.GetName(): l.GetValue()}
				}
				found = append(found, e)
			}
		}
	}
	require.NotEmpty(t, found)
	return found
}

// A latency leads to its trace; what can be no exemplar does no harm.
func TestExemplars_ME16(t *testing.T) {
	for _, tc := range []struct {
		trace string
		kept  bool
	}{
		{"4bf92f3577b34da6a3ce929d0e0e4736", true},
		{strings.Repeat("x", 120), true},
		{strings.Repeat("ü", 120), true}, // runes, not bytes
		{strings.Repeat("x", 121), false},
		{strings.Repeat("x", 1<<20), false},
		{"\xff", false},
		{"", false},
	} {
		m, reg := newRegistry(t, metrics.Options{})
		run := runOf(trigger.Info{Sources: trigger.SetOf(trigger.Primary)}, "success", trigger.Phases{Compute: 2 * time.Second})
		run.TraceID = tc.trace
		m.Controller("c").Ran(run)
		var found []map[string]string
		for _, b := range buckets(t, reg, "trimtab_latency_seconds", "primary") {
			if b.exemplar != nil {
				require.InDelta(t, 2, b.exemplary, 0)
				found = append(found, b.exemplar)
			}
		}
		require.InDelta(t, 1, samples(t, reg)[`trimtab_latency_seconds_count{controller="c",trigger="primary"}`], 0)
		if tc.kept {
			require.Equal(t, []map[string]string{{"trace_id": tc.trace}}, found)
		} else {
			require.Empty(t, found)
		}
	}
}

// What Prometheus makes of the buckets is in the bucket of the exact percentile, or
// in the one beside it.
func TestPercentiles_ME08(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for name, draw := range map[string]func() float64{
		"fast":     func() float64 { return 0.001 + 0.02*random.Float64() },
		"skewed":   func() float64 { return 0.01 * random.ExpFloat64() * random.ExpFloat64() * random.ExpFloat64() },
		"two ways": func() float64 { return []float64{0.003, 900}[random.IntN(2)] * (1 + random.Float64()) },
		"slow":     func() float64 { return 60 + 3000*random.Float64() },
	} {
		m, reg := newRegistry(t, metrics.Options{})
		c := m.Controller("c")
		var log []float64
		for range 5000 {
			d := seconds(draw())
			log = append(log, d.Seconds())
			wait := d / 3
			c.Ran(runOf(trigger.Info{
				Sources: trigger.SetOf(trigger.Primary), Added: at(0), Ready: at(0), Caused: at(0), Started: at(0).Add(wait),
			}, "success", trigger.Phases{Compute: d - wait}))
		}
		slices.Sort(log)
		classic := buckets(t, reg, "trimtab_latency_seconds", "primary")
		for _, q := range []float64{0.50, 0.95, 0.99} {
			exact := log[int(q*float64(len(log)))]
			got := quantile(q, float64(len(log)), classic)
			require.InDelta(t, bucketOf(classic, exact), bucketOf(classic, got), 1, "%s P%v: exact %v, from the histogram %v", name, 100*q, exact, got)
		}
	}
}

// bucketOf returns the index of the bucket that v is in.
func bucketOf(buckets []bucket, v float64) int {
	i := slices.IndexFunc(buckets, func(b bucket) bool { return v <= b.upper })
	if i < 0 {
		return len(buckets)
	}
	return i
}

// quantile is histogram_quantile of Prometheus over count observations.
func quantile(q, count float64, buckets []bucket) float64 {
	rank, lower, below := q*count, 0.0, 0.0
	for _, b := range buckets {
		upper, upTo := b.upper, b.count
		if upTo >= rank {
			return lower + (upper-lower)*(rank-below)/(upTo-below)
		}
		lower, below = upper, upTo
	}
	return lower
}
