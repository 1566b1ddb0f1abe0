package e2e_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/e2e/internal/operator"
	"github.com/trimtab/trimtab/e2e/internal/outage"
	"github.com/trimtab/trimtab/e2e/internal/projected"
	"github.com/trimtab/trimtab/e2e/internal/report"
)

// The retries' pace follows a ConfigMap that is mounted, in the process that runs; a bad
// one changes nothing, and the log says which field, value and line is bad.
func TestRateLimitFile(t *testing.T) {
	const name = "ratelimit.yaml"
	volume := projected.New(t.TempDir())
	mount := func(text string) { require.NoError(t, volume.Write(map[string]string{name: text})) }
	mount("constant:\n  delay: 2s\n")
	s := newScene(t)
	p := s.startOperator(t, "--rate-limit-config="+volume.Path(name))
	pid := p.PID()
	require.NotZero(t, pid)
	require.NoError(t, outage.Begin(t.Context(), world, s.namespace))
	t.Cleanup(func() { _ = outage.End(context.WithoutCancel(t.Context()), world, s.namespace) })

	cert := s.create(t, "a")
	retries(t, p, 1)
	require.Greater(t, retries(t, p, 2), 3*time.Second)

	mount("constant:\n  delay: 100ms\n")
	logged(t, p, "The limiter has new numbers")
	retries(t, p, 1) // what it waits for already stays
	require.Less(t, retries(t, p, 10), 10*time.Second, "20 s with the first numbers")

	mount("constant:\n  delay: 0s\n")
	logged(t, p, "ratelimit: line 2: constant.delay is 0s, want more than 0")
	retries(t, p, 1)
	require.Less(t, retries(t, p, 10), 10*time.Second)
	require.Equal(t, pid, p.PID())

	require.NoError(t, outage.End(t.Context(), world, s.namespace))
	s.served(t, cert)
}

// retries returns how long it takes until there are n retries more.
func retries(t *testing.T, p *operator.Process, n int) time.Duration {
	t.Helper()
	begin := time.Now()
	runs := int(report.Runs(sample(t, p), "retry"))
	eventually(t, func() error { return ranFor(t, p, "retry", runs+n) })
	return time.Since(begin)
}

// logged waits until the operator's log has the text.
func logged(t *testing.T, p *operator.Process, text string) {
	t.Helper()
	eventually(t, func() error {
		content, err := os.ReadFile(p.Log())
		if err == nil && !strings.Contains(string(content), text) {
			return fmt.Errorf("the log has no %q", text)
		}
		return err
	})
}
