package metrics_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/metrics"
	"github.com/trimtab/trimtab/trigger"
)

// What the series say, Totals says without a scrape.
func TestTotals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, _ := newRegistry(t, metrics.Options{})
		c := m.Controller("c")
		require.Equal(t, metrics.Totals{Classes: map[string]uint64{}}, c.Totals())

		info := trigger.Info{
			Sources: trigger.SetOf(trigger.Retry, trigger.Primary), Attempt: 1, First: at(10),
			Added: at(0), Ready: at(10), OwnRun: seconds(5), Caused: at(17), Started: at(18),
		}
		c.Added(trigger.Primary, false)
		c.Added(trigger.Retry, true)
		c.Requeued(trigger.Retry)
		c.Requeued(trigger.Periodic)
		c.Delivered(info)
		c.Called(info.Sources, "get", "Secret")
		c.Called(trigger.SetOf(trigger.Resync), "get", "Secret")
		c.Called(0, "update", "Certificate/status")
		phases := trigger.Phases{Read: seconds(1), Compute: seconds(2), Write: seconds(3), Status: seconds(4)}
		c.Ran(trigger.Run{Info: info, Class: "success", Phases: phases, NoOp: true, Converged: true})
		c.Ran(trigger.Run{Class: "conflict"})
		c.Filtered(trigger.Watched, "mine", true)
		c.Filtered(trigger.Watched, "mine", false)
		c.Filtered(trigger.Watched, "mine", false)
		c.Filtered(trigger.Primary, "all", true)
		c.Overdue(1)
		c.Overdue(1)
		c.Overdue(-1)
		c.Panicked()
		c.GaveUp()
		c.HotLoop()
		c.FailuresReset()
		c.WorkerLost()
		c.HandlerPanicked(trigger.Watched)

		got := c.Totals()
		primary := got.Triggers[trigger.Primary]
		require.Equal(t, uint64(1), primary.Latency.Count())
		require.Equal(t, seconds(11), primary.Latency.Sum())
		require.InDelta(t, 11, primary.Latency.Quantile(0.5).Seconds(), 1)
		primary.Latency = metrics.Distribution{}
		require.Equal(t, metrics.TriggerTotals{
			Adds: 1, Deliveries: 1, Runs: 1, NoOps: 1,
			Delay: seconds(10), Wait: seconds(3), OwnRun: seconds(5), Phases: phases,
		}, primary)
		require.Equal(t, uint64(1), got.Triggers[trigger.Retry].Merges)
		require.Equal(t, uint64(1), got.Triggers[trigger.Watched].HandlerPanics)
		require.Equal(t, uint64(1), got.Triggers[trigger.Count].Runs, "of an unknown cause")
		require.Equal(t, map[string]uint64{"success": 1, "conflict": 1}, got.Classes)
		require.Equal(t, []metrics.EventTotals{
			{Predicate: "all", Trigger: "primary", Admitted: 1},
			{Predicate: "mine", Trigger: "watched", Admitted: 1, Dropped: 2},
		}, got.Events)
		require.Equal(t, []metrics.CallTotals{
			{Kind: "Certificate/status", Verb: "update", Calls: 1},
			{Kind: "Secret", Verb: "get", Calls: 2},
		}, got.Calls)
		require.Equal(t, []uint64{1, 1, 1, 1, 1, 1, 1, 2}, []uint64{
			got.Retries, got.Periodics, got.FailureResets, got.GivenUp, got.HotLoops, got.Panics, got.WorkersLost, got.Overruns,
		})
		require.Equal(t, 1, got.Overdue)
		require.True(t, got.LastSuccess.Equal(time.Now()))
	})
}
