package e2e_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/e2e/internal/operator"
	"github.com/trimtab/trimtab/e2e/internal/report"
)

// The standard series of a work queue are there, for dashboards that have them.
func TestWorkqueueSeries(t *testing.T) {
	s := newScene(t)
	p := s.startOperator(t)
	s.served(t, s.createMany(t, 3)...)

	m := sample(t, p)
	labels := []string{"name", "certificate", "controller", "certificate"}
	for _, name := range []string{"depth", "unfinished_work_seconds", "longest_running_processor_seconds", "retries_total"} {
		require.Contains(t, m, "workqueue_"+name)
		require.Equal(t, "certificate", m.Max("workqueue_"+name, labels...).Labels["controller"], name)
	}
	require.Contains(t, m.Max("workqueue_depth", labels...).Labels, "priority")
	require.GreaterOrEqual(t, m.Sum("workqueue_adds_total", labels...), 3.0)
	require.Positive(t, m.Sum("workqueue_work_duration_seconds", labels...))
	require.Positive(t, m.Sum("workqueue_queue_duration_seconds", labels...))
}

// ranFor returns an error while there were fewer runs for a trigger.
func ranFor(t *testing.T, p *operator.Process, trigger string, atLeast int) error {
	t.Helper()
	if runs := report.Runs(sample(t, p), trigger); runs < float64(atLeast) {
		return fmt.Errorf("%.0f runs for %s, not %d", runs, trigger, atLeast)
	}
	return nil
}

// allRuns returns the number of runs, whatever triggered them.
func allRuns(t *testing.T, p *operator.Process) float64 {
	t.Helper()
	return sample(t, p).Sum("trimtab_runs_total")
}
