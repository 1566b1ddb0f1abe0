package prometheus_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/e2e/internal/prometheus"
)

// start starts a Prometheus that scrapes one series.
func start(t *testing.T, rules string) (*prometheus.Prometheus, error) {
	t.Helper()
	target := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintln(w, `answer{of="all"} 42`)
		fmt.Fprintln(w, `nothing NaN`)
	}))
	t.Cleanup(target.Close)
	file := filepath.Join(t.TempDir(), "rules.yaml")
	require.NoError(t, os.WriteFile(file, []byte(rules), 0o600))
	return prometheus.Start(t.Context(), prometheus.Options{
		Folder: t.TempDir(), Target: target.Listener.Addr().String(), Namespace: "a", Job: "b",
		Interval: 100 * time.Millisecond, Rules: file,
	})
}

func TestAsk(t *testing.T) {
	p, err := start(t, `groups: [{name: g, rules: [{record: half, expr: answer / 2}, {alert: Wrong, expr: answer != 42}]}]`)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Stop()) })

	require.Eventually(t, func() bool {
		values, err := p.Values(t.Context(), `half{namespace="a", job="b"}`)
		return err == nil && len(values) == 1 && values[0] == 21
	}, 30*time.Second, 50*time.Millisecond)
	values, err := p.Values(t.Context(), `nothing`)
	require.NoError(t, err)
	require.Empty(t, values)
	found, err := p.LabelsOf(t.Context(), "of", "answer")
	require.NoError(t, err)
	require.Equal(t, []string{"all"}, found)
	_, err = p.Values(t.Context(), `answer[1m]`)
	require.ErrorContains(t, err, "not a vector")
	_, err = p.Values(t.Context(), `sum(`)
	require.ErrorContains(t, err, "sum(")

	recordings, alerts, err := p.Evaluated(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"half"}, recordings)
	require.Len(t, alerts, 1)
	require.Equal(t, "inactive", alerts[0].State)
}

// A rule that Prometheus can't evaluate is named.
func TestEvaluatedNamesTheRule(t *testing.T) {
	p, err := start(t, `groups: [{name: g, rules: [{record: twice, expr: '{__name__=~"answer|nothing"}', labels: {of: both}}]}]`)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Stop()) })
	require.Eventually(t, func() bool {
		_, _, err := p.Evaluated(t.Context())
		return err != nil && err.Error() != "prometheus: twice is unknown: "
	}, 30*time.Second, 50*time.Millisecond)
	_, _, err = p.Evaluated(t.Context())
	require.ErrorContains(t, err, "twice is err")
}

// Bad rules keep it from starting.
func TestStartNamesTheLog(t *testing.T) {
	_, err := start(t, `groups: [{name: g, rules: [{record: r, expr: "sum("}]}]`)
	require.ErrorContains(t, err, "prometheus.log")
}
