package metrics_test

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/metrics"
	"github.com/trimtab/trimtab/trigger"
)

func TestOptionsValidate_ME08(t *testing.T) {
	for _, tc := range []struct {
		opts metrics.Options
		err  string
	}{
		{metrics.Options{}, ""},
		{metrics.Options{Buckets: []float64{}}, ""},
		{metrics.Options{Buckets: []float64{0, 0.5, 3, math.Inf(1)}, MaxLabelValues: 1, TopK: 1}, ""},
		{metrics.Options{Buckets: []float64{1, 5, 2}}, "metrics: Buckets[2] 2: must be more than the one before, 5"},
		{metrics.Options{Buckets: []float64{1, 1}}, "metrics: Buckets[1] 1: must be more than the one before, 1"},
		{metrics.Options{Buckets: []float64{1, math.NaN()}}, "metrics: Buckets[1] NaN: must be a number of seconds, not negative"},
		{metrics.Options{Buckets: []float64{-1, 1}}, "metrics: Buckets[0] -1: must be a number of seconds, not negative"},
		{metrics.Options{MaxLabelValues: -1}, "metrics: MaxLabelValues -1: must not be negative"},
		{metrics.Options{TopK: -20}, "metrics: TopK -20: must not be negative"},
	} {
		if tc.err == "" {
			require.NoError(t, tc.opts.Validate())
			require.NotPanics(t, func() { metrics.New(tc.opts).Controller("c") })
			continue
		}
		require.EqualError(t, tc.opts.Validate(), tc.err)
		require.PanicsWithError(t, tc.err, func() { metrics.New(tc.opts) })
	}
}

func TestBuckets_ME08(t *testing.T) {
	const below = `trimtab_latency_seconds_bucket{controller="c",trigger="unknown",le="%v"}`
	ran := func(c *metrics.Controller, d time.Duration) {
		c.Ran(runOf(trigger.Info{}, "success", trigger.Phases{Compute: d}))
	}

	t.Run("default", func(t *testing.T) {
		m, reg := newRegistry(t, metrics.Options{})
		for _, d := range []time.Duration{2 * time.Millisecond, 90 * time.Second, 20 * time.Minute} {
			ran(m.Controller("c"), d)
		}
		all := samples(t, reg)
		for i, bounds := range [][2]float64{{0.001, 0.0025}, {60, 120}, {600, 1800}} {
			require.InDelta(t, i, all[fmt.Sprintf(below, bounds[0])], 0, bounds)
			require.InDelta(t, i+1, all[fmt.Sprintf(below, bounds[1])], 0, bounds)
		}
		require.Contains(t, all, fmt.Sprintf(below, 3600))
	})

	t.Run("custom", func(t *testing.T) {
		buckets := []float64{1, 2}
		m, reg := newRegistry(t, metrics.Options{Buckets: buckets})
		buckets[0] = 7 // the caller's slice is the caller's
		ran(m.Controller("c"), 2*time.Second)
		all := samples(t, reg)
		require.Zero(t, all[fmt.Sprintf(below, 1)])
		require.InDelta(t, 1, all[fmt.Sprintf(below, 2)], 0)
		require.NotContains(t, all, fmt.Sprintf(below, 60))
	})

	t.Run("native only", func(t *testing.T) {
		m, reg := newRegistry(t, metrics.Options{Buckets: []float64{}})
		ran(m.Controller("c"), time.Second)
		for series := range samples(t, reg) {
			for _, name := range []string{"latency", "delay", "convergence"} {
				require.NotContains(t, series, "trimtab_"+name+"_seconds_bucket")
			}
		}
	})
}

// Beside the classic buckets there are native ones, and when these become too
// many the histogram gets coarser: it does not start again at zero.
func TestNativeHistograms(t *testing.T) {
	m, reg := newRegistry(t, metrics.Options{})
	c := m.Controller("c")
	const runs = 10_000
	for i := range runs { // from 1 µs to 1000 h
		d := 1e-6 * math.Pow(3.6e12, float64(i)/runs)
		c.Ran(runOf(trigger.Info{Sources: trigger.SetOf(trigger.Primary)}, "success",
			trigger.Phases{Read: time.Duration(d * float64(time.Second))}))
	}
	families, err := reg.Gather()
	require.NoError(t, err)
	for _, f := range families {
		if f.GetName() != "trimtab_latency_seconds" {
			continue
		}
		for _, metric := range f.GetMetric() {
			h := metric.GetHistogram()
			require.NotNil(t, h.Schema, "no native histogram")
			require.NotEmpty(t, h.GetBucket(), "no classic one")
			require.LessOrEqual(t, len(h.GetPositiveDelta()), 160)
		}
	}
	require.InDelta(t, runs, samples(t, reg)[`trimtab_latency_seconds_count{controller="c",trigger="primary"}`], 0)
}

func TestSameLoopTwice_ME01(t *testing.T) {
	for range 3 { // each with a registry of its own
		m, reg := newRegistry(t, metrics.Options{})
		m.Controller("c").Added(trigger.Primary, false)
		require.InDelta(t, 1, samples(t, reg)[`trimtab_adds_total{controller="c",trigger="primary"}`], 0)
	}
}

func TestOneRegistry_ME02(t *testing.T) {
	t.Run("second of ours", func(t *testing.T) {
		first, reg := newRegistry(t, metrics.Options{})
		first.Controller("c")
		// Whatever its options and its controllers.
		second := metrics.New(metrics.Options{TopK: 3, Buckets: []float64{1}})
		second.Controller("d")
		var already prometheus.AlreadyRegisteredError
		require.ErrorAs(t, reg.Register(second), &already)
		require.Same(t, first, already.ExistingCollector)
		require.Same(t, first.Controller("c"), already.ExistingCollector.(*metrics.Metrics).Controller("c"))
	})

	t.Run("behind a prefix and labels", func(t *testing.T) {
		reg := prometheus.NewRegistry()
		wrapped := prometheus.WrapRegistererWith(prometheus.Labels{"shard": "1"}, reg)
		first := metrics.New(metrics.Options{})
		require.NoError(t, wrapped.Register(first))
		var already prometheus.AlreadyRegisteredError
		require.ErrorAs(t, wrapped.Register(metrics.New(metrics.Options{})), &already)
		require.Same(t, first, already.ExistingCollector)
		// Another shard is another place.
		require.NoError(t, prometheus.WrapRegistererWith(prometheus.Labels{"shard": "2"}, reg).Register(metrics.New(metrics.Options{})))
		first.Controller("c")
		require.Contains(t, samples(t, reg), `trimtab_panics_total{controller="c",shard="1"}`)
	})

	t.Run("a foreign metric of the same name", func(t *testing.T) {
		for _, labels := range [][]string{{"controller"}, {"controller", "trigger"}, {"other"}} {
			reg := prometheus.NewRegistry()
			reg.MustRegister(prometheus.NewCounterVec(prometheus.CounterOpts{Name: "trimtab_adds_total", Help: "Mine."}, labels))
			err := reg.Register(metrics.New(metrics.Options{}))
			require.ErrorContains(t, err, "trimtab_adds_total")
			require.NotErrorAs(t, err, new(prometheus.AlreadyRegisteredError))
		}
	})

	t.Run("gone and back", func(t *testing.T) {
		m, reg := newRegistry(t, metrics.Options{})
		m.Controller("c").Panicked()
		require.True(t, reg.Unregister(metrics.New(metrics.Options{})))
		require.Empty(t, samples(t, reg))
		require.NoError(t, reg.Register(m))
		require.InDelta(t, 1, samples(t, reg)[`trimtab_panics_total{controller="c"}`], 0)
	})
}

func TestControllerIsAlwaysTheSame(t *testing.T) {
	m := metrics.New(metrics.Options{})
	c := m.Controller("c")
	require.Same(t, c, m.Controller("c"))
	require.NotSame(t, c, m.Controller("d"))
	// Two names that no label can tell apart are one controller.
	require.Same(t, m.Controller("\xff"), m.Controller("\xfe"))
}

// What dashboards and alerts are built on: a change here breaks them.
func TestSeriesAtZero(t *testing.T) {
	m, reg := newRegistry(t, metrics.Options{})
	require.Empty(t, samples(t, reg))
	m.Controller("c")

	got := map[string]int{}
	value := regexp.MustCompile(`="[^"]*"`)
	for series, v := range samples(t, reg) {
		require.Zero(t, v, series)
		got[value.ReplaceAllString(series, "")]++
	}
	const sources, phases, classes, failures, buckets, coarse = 6, 7, 11, 10, 20, 8 // other is a failure
	require.Equal(t, map[string]int{
		"trimtab_adds_total{controller,trigger}":                    sources,
		"trimtab_merges_total{controller,trigger}":                  sources,
		"trimtab_deliveries_total{controller,trigger}":              sources,
		"trimtab_requeues_total{controller,reason}":                 2,
		"trimtab_runs_total{class,controller,trigger}":              sources * classes,
		"trimtab_latency_seconds_count{controller,trigger}":         sources,
		"trimtab_latency_seconds_sum{controller,trigger}":           sources,
		"trimtab_latency_seconds_bucket{controller,trigger,le}":     sources * buckets,
		"trimtab_delay_seconds_count{controller,trigger}":           sources,
		"trimtab_delay_seconds_sum{controller,trigger}":             sources,
		"trimtab_delay_seconds_bucket{controller,trigger,le}":       sources * coarse,
		"trimtab_phase_seconds_total{controller,phase,trigger}":     sources * phases,
		"trimtab_noop_runs_total{controller,trigger}":               sources,
		"trimtab_convergence_seconds_count{controller}":             1,
		"trimtab_convergence_seconds_sum{controller}":               1,
		"trimtab_convergence_seconds_bucket{controller,le}":         coarse,
		"trimtab_convergence_attempts_count{controller}":            1,
		"trimtab_convergence_attempts_sum{controller}":              1,
		"trimtab_convergence_attempts_bucket{controller,le}":        8,
		"trimtab_limiter_delay_seconds_count{class,controller}":     failures,
		"trimtab_limiter_delay_seconds_sum{class,controller}":       failures,
		"trimtab_limiter_delay_seconds_bucket{class,controller,le}": failures * 3,
		"trimtab_overruns_total{controller}":                        1,
		"trimtab_runs_overdue{controller}":                          1,
		"trimtab_workers_lost_total{controller}":                    1,
		"trimtab_workers_utilisation{controller}":                   1,
		"trimtab_handler_panics_total{controller,trigger}":          sources,
		"trimtab_panics_total{controller}":                          1,
		"trimtab_failure_resets_total{controller}":                  1,
		"trimtab_given_up_total{controller}":                        1,
		"trimtab_hot_loops_total{controller}":                       1,
		"trimtab_workers_busy{controller}":                          1,
		"trimtab_workers_limit{controller}":                         1,
		"trimtab_queue_depth{controller,trigger}":                   sources,
		"trimtab_predicate_panics_total{controller,predicate}":      1,
		"trimtab_queue_delayed{controller}":                         1,
		"trimtab_queue_oldest_waiting_seconds{controller}":          1,
		"trimtab_queue_saturated{controller}":                       1,
		"trimtab_oldest_run_seconds{controller}":                    1,
		"trimtab_last_success_timestamp_seconds{controller}":        1,
	}, got)
}

func TestLint(t *testing.T) {
	m, reg := newRegistry(t, metrics.Options{})
	for _, name := range []string{"c", "d"} {
		c := m.Controller(name)
		everything(c)
		c.SetState(func() metrics.State {
			return metrics.State{Hot: []metrics.HotObject{{Object: "default/a", Requeues: 1}}}
		})
	}
	problems, err := testutil.GatherAndLint(reg)
	require.NoError(t, err)
	require.Empty(t, problems)
}

// everything makes each call of an observer, for each source and without.
func everything(c *metrics.Controller) {
	all(c)
	ran(c, trigger.Info{})
	c.Added(255, true)
	c.HandlerPanicked(255)
}

// all makes each call of an observer, for each source.
func all(c *metrics.Controller) {
	for source := range trigger.All.Sources() {
		c.Added(source, true)
		c.Requeued(source)
		c.HandlerPanicked(source)
		ran(c, trigger.Info{
			Sources: trigger.SetOf(source),
			Added:   time.Unix(0, 0), Ready: time.Unix(1, 0), Caused: time.Unix(0, 0), Started: time.Unix(3, 0),
			OwnRun: time.Second, Attempt: 2, First: time.Unix(0, 0),
		})
	}
	c.Panicked()
	c.Limited("conflict", time.Second)
	c.Filtered(trigger.Watched, "SpecChanged", false)
	c.Overdue(1)
	c.Overdue(-1)
	c.WorkerLost()
}

// ran makes the calls of a run.
func ran(c *metrics.Controller, info trigger.Info) {
	c.Delivered(info)
	run := runOf(info, "requeue", trigger.Phases{Read: 1, Compute: 2, Write: 3, Status: 4})
	run.Converged, run.NoOp, run.TraceID = true, true, "4bf92f3577b34da6a3ce929d0e0e4736"
	c.Ran(run)
	c.Called(info.Sources, "patch", "Secret")
}

func TestConcurrentUse(t *testing.T) {
	m, reg := newRegistry(t, metrics.Options{MaxLabelValues: 15})
	const workers, rounds = 8, 50
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			for i := range rounds {
				c := m.Controller("c")
				everything(c)
				c.Ran(runOf(trigger.Info{}, fmt.Sprint("class ", (w+i)%30), trigger.Phases{}))
				c.Called(0, "get", fmt.Sprint("Kind", (w+i)%30))
				c.SetState(func() metrics.State { return metrics.State{Busy: w} })
				if i%25 == 0 {
					_, err := reg.Gather()
					require.NoError(t, err)
				}
			}
		})
	}
	all.Wait()
	sums := map[string]float64{}
	for series, value := range samples(t, reg) {
		name, _, _ := strings.Cut(series, "{")
		sums[name] += value
	}
	const n = workers * rounds
	require.InDelta(t, n*(trigger.Count+1), sums["trimtab_adds_total"], 0)
	require.InDelta(t, n*(trigger.Count+2), sums["trimtab_runs_total"], 0)
	require.InDelta(t, n*(trigger.Count+2), sums["trimtab_api_calls_total"], 0)
	require.InDelta(t, n*(trigger.Count+2), sums["trimtab_latency_seconds_count"], 0)
}

func ExampleNew() {
	reg := prometheus.NewRegistry() // with controller-runtime: metrics.Registry

	m := metrics.New(metrics.Options{})
	if err := reg.Register(m); err != nil {
		already := prometheus.AlreadyRegisteredError{}
		if !errors.As(err, &already) {
			panic(err) // somebody else has one of the names
		}
		m = already.ExistingCollector.(*metrics.Metrics)
	}

	m.Controller("certificate").Added(trigger.Watched, false)
	fmt.Println(testutil.GatherAndCount(reg, "trimtab_adds_total"))
	// Output: 6 <nil>
}
