package rules

import (
	"fmt"
	"slices"
)

// Alerts returns the alert rules.
func Alerts() []Alert {
	return slices.Concat(latencyAlerts(), loadAlerts(), runAlerts(), objectAlerts(), failureAlerts(), neverAlerts())
}

// latencyAlerts are those for the users who wait. The objective is that 99 in 100 runs
// for their changes are done within slowAfter; an alert is due when the errors of a
// month, 1 %, would be used up in two days or in five, both in a long window, so that
// it matters, and in a short one, so that it still goes on. A few slow runs of a loop
// that runs seldom do not count: five of them must have been in the long window.
func latencyAlerts() []Alert {
	burn := func(severity, factor, short, long string) Alert {
		return Alert{
			Name:     "TrimtabLatencyBurn",
			Severity: severity,
			Expr: fmt.Sprintf(`%[1]s > %[3]s * 0.01
  and %[2]s > %[3]s * 0.01
  and (sum by (%[4]s) (increase(trimtab_latency_seconds_count{%[5]s}[%[6]s]))
    - sum by (%[4]s) (increase(trimtab_latency_seconds_bucket{%[5]s, %[7]s}[%[6]s]))) > 5`,
				slowRatio(long), slowRatio(short), factor, loop, byUser, long, bound(slowAfter)),
			For:         "2m",
			Summary:     "Users of controller {{ $labels.controller }} wait too long for their changes.",
			Description: `{{ $value | humanizePercentage }} of the runs for users' changes in the last ` + long + ` took over ` + slowAfter + ` s, wait and run; the objective is 1%.`,
			Panels:      []string{"Slow runs for users' changes", "Latency P99 by trigger", "Queue depth", "Time of a run by phase"},
		}
	}
	return []Alert{burn(critical, "14.4", "5m", "1h"), burn(warning, "6", "30m", "6h")}
}

// loadAlerts are those for a loop that does not keep up.
func loadAlerts() []Alert {
	return []Alert{
		{
			Name:        "TrimtabQueueSaturated",
			Severity:    warning,
			Expr:        fmt.Sprintf(`max by (%s) (trimtab_queue_saturated) == 1`, loop),
			For:         "5m",
			Summary:     "The queue of controller {{ $labels.controller }} grows faster than its workers clear it.",
			Description: `For over 5 minutes more than 100 requests have been ready, resyncs aside, with all workers busy.`,
			Panels:      []string{"Queue depth", "Workers", "Adds by trigger", "Time of a run by phase"},
		},
		{
			Name:        "TrimtabWorkersExhausted",
			Severity:    warning,
			Expr:        `avg_over_time(controller:trimtab_workers_utilisation:ratio[15m]) > 0.8`,
			For:         "15m",
			Summary:     "The workers of controller {{ $labels.controller }} have no room for a burst.",
			Description: `{{ $value | humanizePercentage }} of the workers were busy on average over 15 minutes; above 80% waits grow fast.`,
			Panels:      []string{"Workers", "Worker utilisation", "Time of a run by phase", "Deliveries by trigger"},
		},
		{
			Name:     "TrimtabLoopWedged",
			Severity: critical,
			// A warm standby has a queue, but no worker has ever been at it. Workers
			// that are lost are no longer in trimtab_workers_limit.
			Expr: fmt.Sprintf(`sum by (%[1]s) (trimtab_queue_depth) > 0
  and sum by (%[1]s) (trimtab_deliveries_total) > 0
  unless sum by (%[1]s) (increase(trimtab_deliveries_total[10m])) > 0`, replica),
			For:         "5m",
			Summary:     "Controller {{ $labels.controller }} has work and does none.",
			Description: `{{ $value }} requests are ready in {{ $labels.instance }}, and no worker has taken one for over 10 minutes.`,
			Panels:      []string{"Deliveries by trigger", "Queue depth", "Oldest run", "What must not happen"},
		},
	}
}

// runAlerts are those for runs that do not end.
func runAlerts() []Alert {
	return []Alert{
		{
			Name:        "TrimtabRunStuck",
			Severity:    critical,
			Expr:        fmt.Sprintf(`max by (%s) (trimtab_oldest_run_seconds) > 900`, replica),
			For:         "1m",
			Summary:     "A run of controller {{ $labels.controller }} does not end.",
			Description: `The longest run in {{ $labels.instance }} has been going on for {{ $value | humanizeDuration }}; it keeps a worker, and its object is served by no other.`,
			Panels:      []string{"Oldest run", "Runs past their deadline", "Workers"},
		},
		{
			Name:        "TrimtabRunOverdue",
			Severity:    warning,
			Expr:        fmt.Sprintf(`sum by (%s) (trimtab_runs_overdue) > 0`, replica),
			For:         "5m",
			Summary:     "Controller {{ $labels.controller }} does not heed its deadline.",
			Description: `{{ $value }} runs in {{ $labels.instance }} go on past their deadline: something in them ignores its context.`,
			Panels:      []string{"Runs past their deadline", "Oldest run", "Workers"},
		},
	}
}
