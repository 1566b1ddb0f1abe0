package metrics_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/metrics"
	"github.com/trimtab/trimtab/trigger"
)

// What package queue and package reconcile report to; they stand beside this
// package, which must not import them.
var _ interface {
	Added(source trigger.Source, merged bool)
	Requeued(source trigger.Source)
	Limited(class string, delay time.Duration)
	Delivered(info trigger.Info)
	HandlerPanicked(source trigger.Source)
	FailuresReset()
	GaveUp()
	HotLoop()
	Filtered(source trigger.Source, predicate string, admitted bool)
	PredicatePanicked(predicate string)

	Ran(run trigger.Run)
	Called(sources trigger.Set, verb, kind string)
	Panicked()
	Overdue(change int)
	WorkerLost()
} = (*metrics.Controller)(nil)

// at is a moment s seconds after the first add.
func at(s float64) time.Time { return time.Unix(1_700_000_000, 0).Add(seconds(s)) }

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

func TestTheTripOfOneRequest(t *testing.T) {
	m, reg := newRegistry(t, metrics.Options{})
	c := m.Controller("c")

	// Held back for 10 s, for 5 s behind its own run, 3 s without a worker;
	// then a run of 10 s. The strongest cause came last, after 17 s.
	info := trigger.Info{
		Sources: trigger.SetOf(trigger.Retry, trigger.Primary),
		Added:   at(0), Ready: at(10), OwnRun: seconds(5), Caused: at(17), Started: at(18),
	}
	c.Delivered(info)
	c.Called(info.Sources, "get", "Secret")
	c.Called(info.Sources, "update", "Certificate/status")
	c.Called(info.Sources, "update", "Certificate/status")
	c.Ran(runOf(info, "conflict", trigger.Phases{Read: seconds(1), Compute: seconds(2), Write: seconds(3), Status: seconds(4)}))

	got := map[string]float64{}
	for series, value := range samples(t, reg) {
		if value != 0 && !strings.Contains(series, "_bucket") {
			got[strings.Replace(series, `controller="c",`, "", 1)] = value
		}
	}
	require.Equal(t, map[string]float64{
		`trimtab_deliveries_total{trigger="primary"}`:                                        1,
		`trimtab_delay_seconds_count{trigger="primary"}`:                                     1,
		`trimtab_delay_seconds_sum{trigger="primary"}`:                                       10,
		`trimtab_runs_total{class="conflict",trigger="primary"}`:                             1,
		`trimtab_latency_seconds_count{trigger="primary"}`:                                   1,
		`trimtab_latency_seconds_sum{trigger="primary"}`:                                     11, // from its own add, not the retry's
		`trimtab_phase_seconds_total{phase="delay",trigger="primary"}`:                       10,
		`trimtab_phase_seconds_total{phase="wait",trigger="primary"}`:                        3,
		`trimtab_phase_seconds_total{phase="own_run",trigger="primary"}`:                     5,
		`trimtab_phase_seconds_total{phase="read",trigger="primary"}`:                        1,
		`trimtab_phase_seconds_total{phase="compute",trigger="primary"}`:                     2,
		`trimtab_phase_seconds_total{phase="write",trigger="primary"}`:                       3,
		`trimtab_phase_seconds_total{phase="status",trigger="primary"}`:                      4,
		`trimtab_api_calls_total{kind="Secret",trigger="primary",verb="get"}`:                1,
		`trimtab_api_calls_total{kind="Certificate/status",trigger="primary",verb="update"}`: 2,
	}, got)
}

// With a queue that is not ours nothing is known but the run itself.
func TestUnknownTrigger(t *testing.T) {
	m, reg := newRegistry(t, metrics.Options{})
	c := m.Controller("c")
	c.Delivered(trigger.Info{})
	c.Ran(runOf(trigger.Info{}, "success", trigger.Phases{Compute: seconds(2)}))
	all := samples(t, reg)
	require.InDelta(t, 1, all[`trimtab_deliveries_total{controller="c",trigger="unknown"}`], 0)
	require.InDelta(t, 1, all[`trimtab_runs_total{class="success",controller="c",trigger="unknown"}`], 0)
	require.InDelta(t, 2, all[`trimtab_latency_seconds_sum{controller="c",trigger="unknown"}`], 0)
	require.NotContains(t, all, `trimtab_delay_seconds_count{controller="c",trigger="unknown"}`)
	require.Empty(t, named(all, "trimtab_delay_seconds_count"))
	require.Zero(t, all[`trimtab_phase_seconds_total{controller="c",phase="wait",trigger="unknown"}`])

	// A cause without times is counted under it, and its wait is none.
	c.Delivered(trigger.Info{Sources: trigger.SetOf(trigger.External), Added: at(0), Started: at(1)})
	c.Ran(runOf(trigger.Info{Sources: trigger.SetOf(trigger.External), Caused: at(0)}, "success", trigger.Phases{Read: seconds(3)}))
	all = samples(t, reg)
	require.InDelta(t, 1, all[`trimtab_deliveries_total{controller="c",trigger="external"}`], 0)
	require.Zero(t, all[`trimtab_delay_seconds_count{controller="c",trigger="external"}`])
	require.InDelta(t, 3, all[`trimtab_latency_seconds_sum{controller="c",trigger="external"}`], 0)
}

// A clock that was set back between two steps gives no negative time, of which
// a counter would panic.
func TestNegativeTimesCountAsNone(t *testing.T) {
	m, reg := newRegistry(t, metrics.Options{})
	c := m.Controller("c")
	info := trigger.Info{Added: at(9), Ready: at(5), Started: at(1), OwnRun: seconds(-1)}
	c.Delivered(info)
	c.Ran(runOf(info, "success", trigger.Phases{Read: -1, Compute: -2, Write: -3, Status: -4}))
	all := samples(t, reg)
	require.Empty(t, named(all, "trimtab_phase_seconds_total"))
	require.Empty(t, named(all, "trimtab_latency_seconds_sum"))
	require.Empty(t, named(all, "trimtab_delay_seconds_sum"))
}

func TestOpenLabelsAreBounded_ME04(t *testing.T) {
	m, reg := newRegistry(t, metrics.Options{})
	c := m.Controller("c")
	for range 2 {
		for i := range 1000 {
			c.Called(trigger.SetOf(trigger.Primary), "get", fmt.Sprint("Kind", i))
			c.Called(trigger.SetOf(trigger.Primary), fmt.Sprint("verb", i), "Secret")
		}
	}
	all := samples(t, reg)
	require.InDelta(t, 2, all[`trimtab_api_calls_total{controller="c",kind="Kind0",trigger="primary",verb="get"}`], 0)
	require.InDelta(t, 2, all[`trimtab_api_calls_total{controller="c",kind="Kind23",trigger="primary",verb="get"}`], 0)
	require.InDelta(t, 2*(1000-24), all[`trimtab_api_calls_total{controller="c",kind="other",trigger="primary",verb="get"}`], 0)
	require.InDelta(t, 2000, all[`trimtab_api_calls_total{controller="c",kind="Secret",trigger="primary",verb="other"}`], 0)
	require.Len(t, named(all, "trimtab_api_calls_total"), 26) // 25 kinds and other; of Secret the one verb

	// One controller does not use up the room of another.
	d := m.Controller("d")
	d.Called(0, "get", "Kind999")
	require.Contains(t, samples(t, reg), `trimtab_api_calls_total{controller="d",kind="Kind999",trigger="unknown",verb="get"}`)
}

func TestVerbs(t *testing.T) {
	m, reg := newRegistry(t, metrics.Options{})
	c := m.Controller("c")
	verbs := []string{"get", "list", "watch", "create", "update", "patch", "apply", "delete", "deletecollection"}
	for _, verb := range append(verbs, "Get", "", "other") {
		c.Called(0, verb, "Secret")
	}
	all := named(samples(t, reg), "trimtab_api_calls_total")
	require.Len(t, all, len(verbs)+1)
	for _, verb := range verbs {
		require.InDelta(t, 1, all[`trimtab_api_calls_total{controller="c",kind="Secret",trigger="unknown",verb="`+verb+`"}`], 0)
	}
	require.InDelta(t, 3, all[`trimtab_api_calls_total{controller="c",kind="Secret",trigger="unknown",verb="other"}`], 0)
}

// 10,000 runs, each of another object and with an error that names it.
func TestSeriesDoNotGrowWithObjects_ME05_ME06(t *testing.T) {
	m, reg := newRegistry(t, metrics.Options{})
	c := m.Controller("c")
	everything(c)
	before := len(samples(t, reg))
	for i := range 10_000 {
		text := errors.New(fmt.Sprint("object ", i, " is broken")).Error()
		c.Ran(runOf(trigger.Info{Sources: trigger.SetOf(trigger.Primary)}, text, trigger.Phases{}))
	}
	all := samples(t, reg)
	// 11 classes are there from the start: 14 texts have room beside them, the
	// others share one.
	require.Len(t, all, before+14+1)
	require.InDelta(t, 10_000-14, all[`trimtab_runs_total{class="other",controller="c",trigger="primary"}`], 0)
}

func TestDelayIsNotWait_ME10(t *testing.T) {
	m, reg := newRegistry(t, metrics.Options{})
	m.Controller("c").Delivered(trigger.Info{
		Sources: trigger.SetOf(trigger.Retry), Added: at(0), Ready: at(30), Caused: at(0), Started: at(30),
	})
	all := samples(t, reg)
	require.InDelta(t, 30, all[`trimtab_delay_seconds_sum{controller="c",trigger="retry"}`], 0)
	require.InDelta(t, 0, all[`trimtab_delay_seconds_bucket{controller="c",trigger="retry",le="10"}`], 0)
	require.InDelta(t, 1, all[`trimtab_delay_seconds_bucket{controller="c",trigger="retry",le="30"}`], 0)
	require.InDelta(t, 30, all[`trimtab_phase_seconds_total{controller="c",phase="delay",trigger="retry"}`], 0)
	require.Zero(t, all[`trimtab_phase_seconds_total{controller="c",phase="wait",trigger="retry"}`])
}

func TestCausesSurviveTheMerge_ME11(t *testing.T) {
	m, reg := newRegistry(t, metrics.Options{})
	c := m.Controller("c")
	for i, source := range []trigger.Source{
		trigger.Watched, trigger.Watched, trigger.Watched, trigger.External, trigger.External, trigger.Periodic,
	} {
		c.Added(source, i > 0)
	}
	c.Requeued(trigger.Periodic)
	info := trigger.Info{Sources: trigger.SetOf(trigger.Watched, trigger.External, trigger.Periodic)}
	c.Delivered(info)
	c.Ran(runOf(info, "success", trigger.Phases{}))

	all := samples(t, reg)
	require.Equal(t, map[string]float64{
		`trimtab_adds_total{controller="c",trigger="watched"}`:  3,
		`trimtab_adds_total{controller="c",trigger="external"}`: 2,
		`trimtab_adds_total{controller="c",trigger="periodic"}`: 1,
	}, named(all, "trimtab_adds_total"))
	require.Equal(t, map[string]float64{
		`trimtab_merges_total{controller="c",trigger="watched"}`:  2,
		`trimtab_merges_total{controller="c",trigger="external"}`: 2,
		`trimtab_merges_total{controller="c",trigger="periodic"}`: 1,
	}, named(all, "trimtab_merges_total"))
	require.Equal(t, map[string]float64{`trimtab_requeues_total{controller="c",reason="periodic"}`: 1}, named(all, "trimtab_requeues_total"))
	require.Equal(t, map[string]float64{`trimtab_deliveries_total{controller="c",trigger="external"}`: 1}, named(all, "trimtab_deliveries_total"))
	require.Equal(t, map[string]float64{`trimtab_runs_total{class="success",controller="c",trigger="external"}`: 1}, named(all, "trimtab_runs_total"))
}

func TestOnlyEchoesAreRequeues(t *testing.T) {
	m, reg := newRegistry(t, metrics.Options{})
	c := m.Controller("c")
	for i := range 256 {
		c.Requeued(trigger.Source(i))
	}
	require.Equal(t, map[string]float64{
		`trimtab_requeues_total{controller="c",reason="retry"}`:    1,
		`trimtab_requeues_total{controller="c",reason="periodic"}`: 1,
	}, named(samples(t, reg), "trimtab_requeues_total"))
}

func TestExpectedErrorsAreTheirOwnClass_ME13(t *testing.T) {
	m, reg := newRegistry(t, metrics.Options{})
	c := m.Controller("c")
	errorsSoFar := func() float64 {
		return samples(t, reg)[`trimtab_runs_total{class="error",controller="c",trigger="watched"}`]
	}
	info := trigger.Info{Sources: trigger.SetOf(trigger.Watched)}
	c.Ran(runOf(info, "conflict", trigger.Phases{}))
	require.Zero(t, errorsSoFar())
	c.Ran(runOf(info, "error", trigger.Phases{}))
	require.InDelta(t, 1, errorsSoFar(), 0)
	require.InDelta(t, 1, samples(t, reg)[`trimtab_runs_total{class="conflict",controller="c",trigger="watched"}`], 0)
}

// 67 objects that poll every 30 s for ten minutes are no events.
func TestHealthyPolling_ME14(t *testing.T) {
	m, reg := newRegistry(t, metrics.Options{})
	c := m.Controller("c")
	for range 600 / 30 {
		for range 67 {
			info := trigger.Info{
				Sources: trigger.SetOf(trigger.Periodic), Added: at(0), Ready: at(30), Caused: at(0), Started: at(30.001),
			}
			c.Added(trigger.Periodic, false)
			c.Requeued(trigger.Periodic)
			c.Delivered(info)
			c.Ran(runOf(info, "requeue", trigger.Phases{Read: time.Millisecond}))
		}
	}
	all := samples(t, reg)
	require.InDelta(t, 2.2, all[`trimtab_runs_total{class="requeue",controller="c",trigger="periodic"}`]/600, 0.05)
	require.Len(t, named(all, "trimtab_runs_total"), 1)
	require.InDelta(t, 67*20, all[`trimtab_delay_seconds_bucket{controller="c",trigger="periodic",le="30"}`], 0)
	require.InDelta(t, 67*20, all[`trimtab_latency_seconds_bucket{controller="c",trigger="periodic",le="0.0025"}`], 0)
	require.Contains(t, all, `trimtab_latency_seconds_bucket{controller="c",trigger="periodic",le="30"}`)
}

func TestLastSuccess_ME15(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, reg := newRegistry(t, metrics.Options{})
		c := m.Controller("c")
		last := func() float64 {
			return samples(t, reg)[`trimtab_last_success_timestamp_seconds{controller="c"}`]
		}
		require.Zero(t, last())

		time.Sleep(time.Minute)
		c.Ran(runOf(trigger.Info{}, "success", trigger.Phases{}))
		first := float64(time.Now().Unix())
		require.InDelta(t, first, last(), 1e-3)

		for range 100 {
			time.Sleep(time.Second)
			c.Ran(runOf(trigger.Info{}, "error", trigger.Phases{}))
		}
		require.InDelta(t, first, last(), 1e-3)

		c.Ran(runOf(trigger.Info{}, "requeue", trigger.Phases{}))
		require.InDelta(t, first+100, last(), 1e-3)
	})
}

// Nothing that an observer is told can make it, or the scrape, fail.
func TestOddValues_ME16(t *testing.T) {
	m, reg := newRegistry(t, metrics.Options{})
	c := m.Controller("broken \xff\xfe \"quoted\"\n")
	c.Added(255, true)
	c.HandlerPanicked(99)
	for _, odd := range []string{"", "\xff", "\xfe", "\x00", strings.Repeat("x", 1<<16), "unknown", "other"} {
		c.Ran(runOf(trigger.Info{Sources: 0xC0}, odd, trigger.Phases{}))
		c.Called(0xFF, odd, odd)
		c.Limited(odd, -1)
		c.Filtered(99, odd, true)
	}
	c.SetState(func() metrics.State {
		return metrics.State{Hot: []metrics.HotObject{{"", 1}, {"", 1}, {"a/\xff", 2}, {"a/\xfe", 3}}}
	})
	all := samples(t, reg)
	require.NotEmpty(t, named(all, "trimtab_adds_total"))
	runs := 0.0
	for _, n := range named(all, "trimtab_runs_total") {
		runs += n
	}
	require.InDelta(t, 7, runs, 0)
	problems, err := testutil.GatherAndLint(reg)
	require.NoError(t, err)
	require.Empty(t, problems)
}

func FuzzLabels(f *testing.F) {
	f.Add("certificate", "success", "get", "Secret", "default/web")
	f.Add("", "", "", "", "")
	f.Add("\xff", "\xc3\x28", "\xfe", "\x80", "\xff\xff")
	f.Fuzz(func(t *testing.T, name, outcome, verb, kind, object string) {
		m, reg := newRegistry(t, metrics.Options{MaxLabelValues: 12})
		for _, s := range []string{"", "x", "\xff"} {
			c := m.Controller(name + s)
			c.Ran(runOf(trigger.Info{}, outcome+s, trigger.Phases{}))
			c.Called(0, verb+s, kind+s)
			c.SetState(func() metrics.State {
				return metrics.State{Hot: []metrics.HotObject{{object, 1}, {object + s, 2}}}
			})
		}
		_, err := reg.Gather()
		require.NoError(t, err)
	})
}

// What the queue does about failures has a counter each.
func TestFailuresAreCounted_RL05_RL10(t *testing.T) {
	m, reg := newRegistry(t, metrics.Options{})
	c := m.Controller("c")
	m.Controller("d").GaveUp()
	c.FailuresReset()
	c.GaveUp()
	c.GaveUp()
	c.HotLoop()
	all := samples(t, reg)
	require.Equal(t, map[string]float64{`trimtab_failure_resets_total{controller="c"}`: 1}, named(all, "trimtab_failure_resets_total"))
	require.Equal(t, map[string]float64{
		`trimtab_given_up_total{controller="c"}`: 2,
		`trimtab_given_up_total{controller="d"}`: 1,
	}, named(all, "trimtab_given_up_total"))
	require.Equal(t, map[string]float64{`trimtab_hot_loops_total{controller="c"}`: 1}, named(all, "trimtab_hot_loops_total"))
}

func TestHotPathsAllocateNothing(t *testing.T) {
	c := metrics.New(metrics.Options{}).Controller("c")
	info := trigger.Info{
		Sources: trigger.SetOf(trigger.Watched), Added: at(0), Ready: at(0.3), Caused: at(0), Started: at(0.302),
	}
	phases := trigger.Phases{Read: 3 * time.Millisecond, Compute: 70 * time.Microsecond, Write: 9 * time.Millisecond}
	for i := range 100 { // fill what is bounded
		c.Called(info.Sources, "get", fmt.Sprint("Kind", i))
		c.Ran(runOf(info, fmt.Sprint("class ", i), phases))
		c.Limited(fmt.Sprint("class ", i), time.Second)
		c.Filtered(trigger.Watched, fmt.Sprint("predicate ", i), true)
	}
	for name, call := range map[string]func(){
		"Added":      func() { c.Added(trigger.Watched, true) },
		"Requeued":   func() { c.Requeued(trigger.Retry) },
		"Delivered":  func() { c.Delivered(info) },
		"Ran":        func() { c.Ran(runOf(info, "success", phases)) },
		"Ran, other": func() { c.Ran(runOf(info, "nobody knows", phases)) },
		"Ran, converged": func() {
			run := runOf(info, "success", phases)
			run.Converged, run.NoOp, run.Info.Attempt, run.Info.First = true, true, 1, at(0)
			c.Ran(run)
		},
		"Limited":           func() { c.Limited("conflict", time.Second) },
		"Limited, other":    func() { c.Limited("nobody knows", time.Second) },
		"Filtered":          func() { c.Filtered(trigger.Watched, "SpecChanged", false) },
		"Filtered, other":   func() { c.Filtered(trigger.Watched, "nobody knows", false) },
		"Overdue":           func() { c.Overdue(1) },
		"WorkerLost":        c.WorkerLost,
		"Called":            func() { c.Called(info.Sources, "get", "Kind1") },
		"Called, other":     func() { c.Called(info.Sources, "get", "Nobody") },
		"FailuresReset":     c.FailuresReset,
		"GaveUp":            c.GaveUp,
		"HotLoop":           c.HotLoop,
		"PredicatePanicked": func() { c.PredicatePanicked("nobody knows") },
		"HandlerPanicked":   func() { c.HandlerPanicked(trigger.Watched) },
		"Panicked":          func() { c.Panicked() },
	} {
		call()
		require.Zero(t, testing.AllocsPerRun(1000, call), name)
	}
}

func BenchmarkController(b *testing.B) {
	c := metrics.New(metrics.Options{}).Controller("c")
	info := trigger.Info{
		Sources: trigger.SetOf(trigger.Watched), Added: at(0), Ready: at(0.3), Caused: at(0), Started: at(0.302),
	}
	phases := trigger.Phases{Read: 3 * time.Millisecond, Compute: 70 * time.Microsecond, Write: 9 * time.Millisecond}
	for _, bm := range []struct {
		name string
		call func()
	}{
		{"Added", func() { c.Added(trigger.Watched, true) }},
		{"Delivered", func() { c.Delivered(info) }},
		{"Ran", func() { c.Ran(runOf(info, "success", phases)) }},
		{"Ran, converged", func() {
			run := runOf(info, "success", phases)
			run.Converged, run.Info.Attempt, run.Info.First = true, 1, at(0)
			c.Ran(run)
		}},
		{"Filtered", func() { c.Filtered(trigger.Watched, "SpecChanged", false) }},
		{"Called", func() { c.Called(info.Sources, "get", "Secret") }},
	} {
		b.Run(bm.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				bm.call()
			}
		})
	}
}

// An operator without Trimtab's queue and client can still count what it knows.
func ExampleMetrics_Controller() {
	reg := prometheus.NewRegistry()
	m := metrics.New(metrics.Options{})
	reg.MustRegister(m)
	c := m.Controller("certificate")

	reconcile := func(ctx context.Context) {
		info, _ := trigger.FromContext(ctx) // the zero Info: nothing is known
		start := time.Now()
		c.Called(info.Sources, "get", "Secret")
		c.Ran(runOf(info, "success", trigger.Phases{Compute: time.Since(start)}))
	}
	reconcile(context.Background())

	fmt.Println(testutil.GatherAndCompare(reg, strings.NewReader(`
# HELP trimtab_api_calls_total Calls of the Kubernetes API made by runs.
# TYPE trimtab_api_calls_total counter
trimtab_api_calls_total{controller="certificate",kind="Secret",trigger="unknown",verb="get"} 1
`), "trimtab_api_calls_total"))
	// Output: <nil>
}
