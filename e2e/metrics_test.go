package e2e_test

import (
	"fmt"
	"testing"

	"github.com/trimtab/trimtab/e2e/internal/operator"
	"github.com/trimtab/trimtab/e2e/internal/report"
)

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
