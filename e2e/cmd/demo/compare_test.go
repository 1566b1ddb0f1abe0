package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/e2e/internal/scrape"
)

func TestQuantile(t *testing.T) {
	var times []time.Duration
	for i := range 200 {
		times = append(times, time.Duration(i+1))
	}
	require.Equal(t, time.Duration(100), quantile(times, 0.50))
	require.Equal(t, time.Duration(198), quantile(times, 0.99))
	require.Equal(t, time.Duration(200), quantile(times, 1))
	require.Equal(t, time.Duration(1), quantile(times, 0))
	require.Equal(t, time.Duration(1), quantile(times[:1], 0.99))
	require.Equal(t, time.Duration(50), quantile(times[:50], 0.99), "of few, the longest")
	require.Zero(t, quantile(nil, 0.99))
}

func TestOutcomeRow(t *testing.T) {
	o := outcome{took: []time.Duration{3 * time.Second, time.Second, 2 * time.Second}, rotation: 6 * time.Second}
	require.Equal(t, []string{"Trimtab's queue, Spread(20s, …)", "3", "2.00s", "3.00s", "3.00s", "6.00s"},
		o.row(setting{queue: "Trimtab's", handler: "Spread(20s, …)"}))
}

// The settings differ in the operator, or in the spread, and the rest is the same.
func TestSettings(t *testing.T) {
	d := &demo{opts: options{operator: "ours", stock: "stock", certificates: 500}}
	settings := d.settings()
	require.Equal(t, setting{"controller-runtime's", "EnqueueRequestsFromMapFunc", "stock", 0}, settings[0])
	require.Equal(t, setting{"Trimtab's", "Spread(0, …)", "ours", 0}, settings[1])
	require.Equal(t, setting{"Trimtab's", "Spread(20s, …)", "ours", 20 * time.Second}, settings[2])
	require.Equal(t, []string{"--rotation-spread=20s"}, d.operatorArgs(settings[2].spread)[len(d.operatorArgs(0))-1:])
}

func TestQuiet(t *testing.T) {
	for exposition, want := range map[string]bool{
		"runs 500":          true,
		"runs 499":          false, // the first runs are still going on
		"runs 600\ndepth 1": false,
		"runs 600\nbusy 1":  false,
		"":                  false,
	} {
		text := strings.NewReplacer(
			"runs", `controller_runtime_reconcile_total{controller="certificate",result="success"}`,
			"depth", `workqueue_depth{controller="certificate",name="certificate",priority="0"}`,
			"busy", `controller_runtime_active_workers{controller="certificate"}`,
		).Replace(exposition)
		s, err := scrape.Parse(strings.NewReader(text + "\n"))
		require.NoError(t, err)
		require.Equal(t, want, quiet(s, 500), exposition)
	}
}

func TestCheckQueue(t *testing.T) {
	stock, err := scrape.Parse(strings.NewReader("workqueue_depth 0\n"))
	require.NoError(t, err)
	ours, err := scrape.Parse(strings.NewReader("trimtab_runs_total 1\n"))
	require.NoError(t, err)
	require.NoError(t, checkQueue(stock, false))
	require.NoError(t, checkQueue(ours, true))
	require.ErrorContains(t, checkQueue(ours, false), "runs on Trimtab's queue: true, want false")
	require.ErrorContains(t, checkQueue(stock, true), "runs on Trimtab's queue: false, want true")
}
