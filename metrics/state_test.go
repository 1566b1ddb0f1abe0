package metrics_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/metrics"
	"github.com/trimtab/trimtab/trigger"
)

// gaugesOf returns the gauges of controller c that are not zero.
func gaugesOf(t *testing.T, reg *prometheus.Registry) map[string]float64 {
	t.Helper()
	found := map[string]float64{}
	for series, value := range samples(t, reg) {
		for _, name := range []string{"trimtab_workers_", "trimtab_queue_", "trimtab_oldest_", "trimtab_object_"} {
			if strings.HasPrefix(series, name) && value != 0 {
				found[series] = value
			}
		}
	}
	return found
}

func TestState_ME15(t *testing.T) {
	m, reg := newRegistry(t, metrics.Options{})
	c := m.Controller("c")
	require.Empty(t, gaugesOf(t, reg))

	c.SetState(func() metrics.State {
		return metrics.State{
			Depth:         [trigger.Count]int{trigger.Primary: 1, trigger.Retry: 2, trigger.Resync: 300},
			Delayed:       4,
			Busy:          5,
			Limit:         6,
			OldestWaiting: 7 * time.Second,
			OldestRun:     10 * time.Minute, // it hangs, and is seen while it does
			OverFor:       time.Minute,
			Hot:           []metrics.HotObject{{Object: "default/a", Requeues: 8}, {Object: "default/b", Requeues: 9}},
			Busiest:       []metrics.BusyObject{{Object: "default/b", Time: 90 * time.Second}},
		}
	})
	require.Equal(t, map[string]float64{
		`trimtab_queue_depth{controller="c",trigger="primary"}`:          1,
		`trimtab_queue_depth{controller="c",trigger="retry"}`:            2,
		`trimtab_queue_depth{controller="c",trigger="resync"}`:           300,
		`trimtab_queue_delayed{controller="c"}`:                          4,
		`trimtab_workers_busy{controller="c"}`:                           5,
		`trimtab_workers_limit{controller="c"}`:                          6,
		`trimtab_workers_utilisation{controller="c"}`:                    5.0 / 6,
		`trimtab_queue_oldest_waiting_seconds{controller="c"}`:           7,
		`trimtab_oldest_run_seconds{controller="c"}`:                     600,
		`trimtab_queue_saturated{controller="c"}`:                        1,
		`trimtab_object_requeues{controller="c",object="default/a"}`:     8,
		`trimtab_object_requeues{controller="c",object="default/b"}`:     9,
		`trimtab_object_busy_seconds{controller="c",object="default/b"}`: 90,
	}, gaugesOf(t, reg))

	c.SetState(func() metrics.State { return metrics.State{Busy: 1, OverFor: time.Minute - 1} })
	require.Equal(t, map[string]float64{`trimtab_workers_busy{controller="c"}`: 1}, gaugesOf(t, reg),
		"not saturated for a minute yet, and the hot objects are gone")

	c.SetState(nil)
	all := samples(t, reg)
	require.Empty(t, gaugesOf(t, reg))
	require.Contains(t, all, `trimtab_oldest_run_seconds{controller="c"}`)
	require.Contains(t, all, `trimtab_queue_saturated{controller="c"}`)
}

func TestOnlyTheHottestAreNamed_ME05(t *testing.T) {
	for _, tc := range []struct{ topK, named int }{{0, 10}, {3, 3}} {
		m, reg := newRegistry(t, metrics.Options{TopK: tc.topK})
		m.Controller("c").SetState(func() metrics.State {
			var s metrics.State
			for i := range 10_000 {
				s.Hot = append(s.Hot, metrics.HotObject{Object: fmt.Sprint("default/", i), Requeues: uint64(i)})
				s.Busiest = append(s.Busiest, metrics.BusyObject{Object: fmt.Sprint("default/", i), Time: time.Duration(i) * time.Second})
			}
			return s
		})
		hot := named(samples(t, reg), "trimtab_object_requeues")
		require.Len(t, hot, tc.named)
		busy := named(samples(t, reg), "trimtab_object_busy_seconds")
		require.Len(t, busy, tc.named)
		for i := range tc.named {
			series := fmt.Sprintf(`trimtab_object_requeues{controller="c",object="default/%d"}`, 9999-i)
			require.InDelta(t, 9999-i, hot[series], 0, series)
			series = fmt.Sprintf(`trimtab_object_busy_seconds{controller="c",object="default/%d"}`, 9999-i)
			require.InDelta(t, 9999-i, busy[series], 0, series)
		}
		require.Equal(t, tc.named, m.Controller("c").TopK())
	}
}

// Two requests can look the same, such as those that carry a cluster beside the
// name. The same series twice would fail the scrape of the whole process.
func TestOneObjectTwice(t *testing.T) {
	m, reg := newRegistry(t, metrics.Options{TopK: 1})
	m.Controller("c").SetState(func() metrics.State {
		return metrics.State{Hot: []metrics.HotObject{{"a", 2}, {"b", 3}, {"a", 2}}}
	})
	require.Equal(t, map[string]float64{`trimtab_object_requeues{controller="c",object="a"}`: 4},
		named(samples(t, reg), "trimtab_object_requeues"))
}

// ME01: the gauges of two controllers of one name add up, until one of them ends.
func TestStatesAddUp_ME01(t *testing.T) {
	m, reg := newRegistry(t, metrics.Options{})
	c := m.Controller("c")
	ended := false
	c.AddState(func() (metrics.State, bool) {
		return metrics.State{
			Depth: [trigger.Count]int{1, 2}, Delayed: 3, Busy: 4, Limit: 5, OldestWaiting: time.Second, OldestRun: time.Hour, OverFor: time.Second,
			Hot: []metrics.HotObject{{Object: "a", Requeues: 2}}, Busiest: []metrics.BusyObject{{Object: "a", Time: time.Second}},
		}, !ended
	})
	c.AddState(func() (metrics.State, bool) {
		return metrics.State{
			Depth: [trigger.Count]int{10, 20}, Delayed: 30, Busy: 1, Limit: 5, OldestWaiting: time.Minute, OldestRun: time.Minute, OverFor: time.Minute,
			Hot: []metrics.HotObject{{Object: "b", Requeues: 3}, {Object: "a", Requeues: 1}},
		}, true
	})
	for end, want := range []map[string]float64{{
		`queue_depth{controller="c",trigger="primary"}`: 11, `queue_depth{controller="c",trigger="external"}`: 22,
		`queue_delayed{controller="c"}`: 33, `workers_busy{controller="c"}`: 5, `workers_limit{controller="c"}`: 10,
		`workers_utilisation{controller="c"}`: 0.5, `queue_oldest_waiting_seconds{controller="c"}`: 60,
		`oldest_run_seconds{controller="c"}`: 3600, `queue_saturated{controller="c"}`: 1,
		`object_requeues{controller="c",object="a"}`: 3, `object_requeues{controller="c",object="b"}`: 3,
		`object_busy_seconds{controller="c",object="a"}`: 1,
	}, {
		`queue_depth{controller="c",trigger="primary"}`: 10, `workers_busy{controller="c"}`: 1, `workers_limit{controller="c"}`: 5,
		`oldest_run_seconds{controller="c"}`: 60, `object_requeues{controller="c",object="a"}`: 1,
	}} {
		ended = end == 1
		got := samples(t, reg)
		for name, value := range want {
			require.InDelta(t, value, got["trimtab_"+name], 0, name)
		}
	}
	ended = false
	require.InDelta(t, 1, samples(t, reg)[`trimtab_workers_busy{controller="c"}`], 0, "what has ended is not asked again")
	require.PanicsWithError(t, "metrics: AddState(nil): the state must not be nil", func() { c.AddState(nil) })
}

func TestStateIsAskedOutsideAnyLock(t *testing.T) {
	m, reg := newRegistry(t, metrics.Options{})
	c := m.Controller("c")
	c.SetState(func() metrics.State {
		m.Controller("d").Panicked()
		c.SetState(nil)
		return metrics.State{Busy: 1}
	})
	require.InDelta(t, 1, samples(t, reg)[`trimtab_workers_busy{controller="c"}`], 0)
	require.Zero(t, samples(t, reg)[`trimtab_workers_busy{controller="c"}`])
}

func ExampleController_SetState() {
	reg := prometheus.NewRegistry()
	m := metrics.New(metrics.Options{})
	reg.MustRegister(m)

	m.Controller("certificate").SetState(func() metrics.State {
		return metrics.State{Busy: 3, Limit: 4, OldestRun: 90 * time.Second}
	})

	fmt.Println(testutil.GatherAndCompare(reg, strings.NewReader(`
# HELP trimtab_oldest_run_seconds Seconds for which the longest run in flight has been going on.
# TYPE trimtab_oldest_run_seconds gauge
trimtab_oldest_run_seconds{controller="certificate"} 90
`), "trimtab_oldest_run_seconds"))
	// Output: <nil>
}
