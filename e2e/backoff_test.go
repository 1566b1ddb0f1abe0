package e2e_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/e2e/internal/operator"
	"github.com/trimtab/trimtab/e2e/internal/outage"
	"github.com/trimtab/trimtab/e2e/internal/report"
)

// RL05: who mends the spec of a certificate that has failed for long does not wait
// out its old backoff, nor does that go on; what the operator writes itself, which is
// the status, changes nothing.
func TestSpecChangeResetsBackoff_RL05(t *testing.T) {
	s := newScene(t)
	p := s.startOperator(t, "--backoff-base=100ms", "--backoff-max=1h", "--backoff-jitter=0")
	require.NoError(t, outage.Begin(t.Context(), world, s.namespace))
	t.Cleanup(func() { _ = outage.End(context.WithoutCancel(t.Context()), world, s.namespace) })

	cert := s.create(t, "a")
	// 100, 200, … 6400 ms: the seventh retry comes after 12.7 s, the next 12.8 s later.
	eventually(t, func() error { return ranFor(t, p, "retry", 7) })
	require.Zero(t, resets(t, p))

	change(t, cert, addName)
	eventually(t, func() error {
		if n := resets(t, p); n != 1 {
			return fmt.Errorf("%.0f resets", n)
		}
		return nil
	})
	runs := int(report.Runs(sample(t, p), "retry"))
	eventually(t, func() error { return ranFor(t, p, "retry", runs+4) })
	require.InDelta(t, 1, resets(t, p), 0)

	require.NoError(t, outage.End(t.Context(), world, s.namespace))
	s.served(t, cert)
}

func resets(t *testing.T, p *operator.Process) float64 {
	t.Helper()
	return sample(t, p).Sum("trimtab_failure_resets_total")
}
