package main

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/trimtab/trimtab/e2e/internal/ledger"
	"github.com/trimtab/trimtab/e2e/internal/report"
	"github.com/trimtab/trimtab/e2e/internal/scrape"
)

// moment is what the live table shows.
type moment struct {
	elapsed, duration time.Duration
	step, steps       int
	name              string
	counts            ledger.Counts
	totals            scrape.Sample
	kubeconfig        string
	metrics           string
}

// table shows a moment on several lines.
func (m moment) table() []string {
	lines := []string{
		fmt.Sprintf("%s of %s   step %d of %d: %s", clock(m.elapsed), clock(m.duration), m.step, m.steps, m.name),
		"",
		fmt.Sprintf("certificates %d   ready %d   by the current CA %d   queue %.0f   delayed %.0f   workers %s",
			m.counts.Certificates, m.counts.Ready, m.counts.Current, m.depth(), m.gauge("trimtab_queue_delayed"), m.workers()),
		"",
	}
	lines = append(lines, report.Table(m.rows())...)
	return append(lines, "", "KUBECONFIG="+m.kubeconfig+"   "+m.metrics)
}

// rows has one row for each trigger.
func (m moment) rows() [][]string {
	rows := [][]string{{"trigger", "waiting", "runs", "latency P50", "P99"}}
	for _, trigger := range report.Triggers() {
		latency := report.Latency(m.totals, trigger)
		rows = append(rows, []string{
			trigger,
			fmt.Sprintf("%.0f", report.Depth(m.totals, trigger)),
			fmt.Sprintf("%.0f", report.Runs(m.totals, trigger)),
			report.Seconds(latency.Quantile(0.50)),
			report.Seconds(latency.Quantile(0.99)),
		})
	}
	return rows
}

// line shows a moment on one line.
func (m moment) line() string {
	runs := make([]string, 0, len(report.Triggers()))
	for _, trigger := range report.Triggers() {
		runs = append(runs, fmt.Sprintf("%s %.0f", trigger, report.Runs(m.totals, trigger)))
	}
	return fmt.Sprintf("%s  %-61s  ready %d/%d  current CA %d  queue %.0f  workers %s  runs: %s",
		clock(m.elapsed), m.name, m.counts.Ready, m.counts.Certificates, m.counts.Current,
		m.depth(), m.workers(), strings.Join(runs, ", "))
}

func (m moment) depth() float64 {
	return m.gauge("trimtab_queue_depth")
}

func (m moment) workers() string {
	return fmt.Sprintf("%.0f/%.0f", m.gauge("trimtab_workers_busy"), m.gauge("trimtab_workers_limit"))
}

func (m moment) gauge(name string) float64 {
	return m.totals.Sum(name, "controller", "certificate")
}

// clock writes minutes and seconds.
func clock(d time.Duration) string {
	seconds := int(math.Round(d.Seconds()))
	return fmt.Sprintf("%d:%02d", seconds/60, seconds%60)
}
