package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/e2e/internal/ledger"
	"github.com/trimtab/trimtab/e2e/internal/scrape"
)

func someMoment(t *testing.T) moment {
	t.Helper()
	totals, err := scrape.Parse(strings.NewReader(`
# TYPE trimtab_runs_total counter
trimtab_runs_total{controller="certificate",trigger="primary",class="none"} 500
# TYPE trimtab_queue_depth gauge
trimtab_queue_depth{controller="certificate",trigger="primary"} 1
trimtab_queue_depth{controller="certificate",trigger="resync"} 41
# TYPE trimtab_workers_busy gauge
trimtab_workers_busy{controller="certificate"} 3
# TYPE trimtab_workers_limit gauge
trimtab_workers_limit{controller="certificate"} 4
`))
	require.NoError(t, err)
	return moment{
		elapsed: 83 * time.Second, duration: 2 * time.Minute,
		step: 3, steps: 7, name: "replace the CA",
		counts: ledger.Counts{Certificates: 500, Ready: 498, Current: 312},
		totals: totals, kubeconfig: "/tmp/k", metrics: "http://127.0.0.1:1/metrics",
	}
}

func TestTable(t *testing.T) {
	require.Equal(t, []string{
		"1:23 of 2:00   step 3 of 7: replace the CA",
		"",
		"certificates 500   ready 498   by the current CA 312   queue 42   delayed 0   workers 3/4",
		"",
		"trigger   waiting  runs  latency P50  P99",
		"primary         1   500            –    –",
		"watched         0     0            –    –",
		"periodic        0     0            –    –",
		"retry           0     0            –    –",
		"resync         41     0            –    –",
		"",
		"KUBECONFIG=/tmp/k   http://127.0.0.1:1/metrics",
	}, someMoment(t).table())
}

func TestLine(t *testing.T) {
	line := someMoment(t).line()
	require.NotContains(t, line, "\n")
	require.Contains(t, line, "1:23  replace the CA")
	require.Contains(t, line, "ready 498/500  current CA 312  queue 42  workers 3/4  runs: primary 500, watched 0")
}
