package rules

import (
	"fmt"
	"slices"
)

// Recording is a recording rule.
type Recording struct {
	// Name is that of the series: what it is by, what it is of, what was done.
	Name string

	// Help says what the series is, with its unit.
	Help string

	// Expr is the PromQL that it records.
	Expr string
}

func (r Recording) rule() Rule { return Rule{Record: r.Name, Expr: r.Expr} }

// slowAfter is when a user's change has waited for too long, in seconds. It must be
// the bound of a bucket of trimtab_latency_seconds.
const slowAfter = "30"

// Recordings returns the recording rules: what alerts compare over several windows,
// and what is dear to compute for a long time range.
func Recordings() []Recording {
	return slices.Concat(quantiles(), slowRatios(), []Recording{
		{
			Name: "controller:trimtab_workers_utilisation:ratio",
			Help: "busy workers as a ratio of all, from 0 to 1",
			Expr: fmt.Sprintf(`sum by (%[1]s) (trimtab_workers_busy)
  / (sum by (%[1]s) (trimtab_workers_limit) > 0)`, loop),
		},
		{
			Name: "controller:trimtab_failed_runs:ratio_rate5m",
			Help: "runs that failed, but for conflicts and those that a stopping manager cancelled, as a ratio of all runs of 5 minutes",
			Expr: fmt.Sprintf(`sum by (%[1]s) (rate(trimtab_runs_total{%[2]s}[5m]))
  / (sum by (%[1]s) (rate(trimtab_runs_total[5m])) > 0)`, loop, expected),
		},
		{
			Name: "controller:trimtab_retries:ratio_rate5m",
			Help: "retries for each run, of 5 minutes: near 1 while nearly every run fails",
			Expr: fmt.Sprintf(`sum by (%[1]s) (rate(trimtab_requeues_total{reason="retry"}[5m]))
  / (sum by (%[1]s) (rate(trimtab_runs_total[5m])) > 0)`, loop),
		},
		{
			Name: "controller_trigger:trimtab_noop_runs:ratio_rate5m",
			Help: "runs that changed nothing as a ratio of all runs of 5 minutes, by trigger",
			Expr: fmt.Sprintf(`sum by (%[1]s, trigger) (rate(trimtab_noop_runs_total[5m]))
  / (sum by (%[1]s, trigger) (rate(trimtab_runs_total[5m])) > 0)`, loop),
		},
	})
}

func quantiles() (all []Recording) {
	for _, q := range []string{"0.50", "0.95", "0.99"} {
		all = append(all, Recording{
			Name: "controller_trigger:trimtab_latency_seconds:p" + q[2:] + "_rate5m",
			Help: "seconds of wait and run within which " + q[2:] + " in 100 runs of 5 minutes were done, by trigger",
			Expr: fmt.Sprintf(`histogram_quantile(%s, sum by (%s, trigger, le) (rate(trimtab_latency_seconds_bucket[5m])))`, q, loop),
		})
	}
	return all
}

// slowRatios are for the windows of the burn-rate alerts.
func slowRatios() (all []Recording) {
	for _, window := range []string{"5m", "30m", "1h", "6h"} {
		all = append(all, Recording{
			Name: slowRatio(window),
			Help: "runs for users' changes that took over " + slowAfter + " s, wait and run, as a ratio of those of " + window,
			Expr: fmt.Sprintf(`1 - sum by (%[1]s) (rate(trimtab_latency_seconds_bucket{%[2]s, %[3]s}[%[4]s]))
  / (sum by (%[1]s) (rate(trimtab_latency_seconds_count{%[2]s}[%[4]s])) > 0)`, loop, byUser, bound(slowAfter), window),
		})
	}
	return all
}

func slowRatio(window string) string { return "controller:trimtab_latency_slow:ratio_rate" + window }
