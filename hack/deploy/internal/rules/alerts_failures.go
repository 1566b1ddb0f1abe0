package rules

import "fmt"

// objectAlerts are those for one object that takes more than its share.
func objectAlerts() []Alert {
	return []Alert{
		{
			Name:     "TrimtabHotObject",
			Severity: warning,
			// The series is halved every ten minutes: one requeue each second is
			// 600 to 1200, and 300 is one every two to four seconds.
			Expr: fmt.Sprintf(`max by (%[1]s, object) (trimtab_object_requeues) > 300
  and max by (%[1]s, object) (trimtab_object_requeues)
    / on (%[1]s) group_left () sum by (%[1]s) (trimtab_object_requeues) > 0.5`, loop),
			For:         "10m",
			Summary:     "Object {{ $labels.object }} keeps controller {{ $labels.controller }} busy.",
			Description: `It has about {{ $value | humanize }} requeues of late, more than all the others of the list together.`,
			Panels:      []string{"Requeues by object", "Time by object", "Requeues by reason"},
		},
		{
			Name:        "TrimtabHotLoop",
			Severity:    warning,
			Expr:        fmt.Sprintf(`sum by (%s) (increase(trimtab_hot_loops_total[15m])) > 0`, loop),
			Summary:     "Controller {{ $labels.controller }} runs an object in a loop.",
			Description: `An object had over 120 runs in a minute, each since an event during or just after the one before: most likely its reconciler writes what it watches. The log names it.`,
			Panels:      []string{"Hot loops, overruns, failure resets", "Time by object", "Runs that changed nothing", "API calls by verb and kind"},
		},
	}
}

// failureAlerts are those for runs that fail.
func failureAlerts() []Alert {
	const over = "5 minutes"
	delays := fmt.Sprintf(`sum by (%s) (increase(trimtab_limiter_delay_seconds_count[1h]))`, loop)
	short := fmt.Sprintf(`sum by (%s) (increase(trimtab_limiter_delay_seconds_bucket{%s}[1h]))`, loop, bound("300"))
	return []Alert{
		{
			Name:     "TrimtabRetryStorm",
			Severity: warning,
			Expr: fmt.Sprintf(`sum by (%s) (rate(trimtab_requeues_total{reason="retry"}[5m])) > 1
  and controller:trimtab_retries:ratio_rate5m > 0.5`, loop),
			For:         "10m",
			Summary:     "Controller {{ $labels.controller }} mostly retries.",
			Description: `{{ $value | humanize }} retries each second, more than one for every two runs.`,
			Panels:      []string{"Requeues by reason", "Runs by class", "Delays of failed requests by class", "API calls by verb and kind"},
		},
		{
			Name:     "TrimtabNoSuccess",
			Severity: critical,
			Expr: fmt.Sprintf(`sum by (%[1]s) (increase(trimtab_runs_total[15m])) > 10
  unless sum by (%[1]s) (increase(trimtab_runs_total{%[2]s}[15m])) > 0`, loop, noError),
			For:         "15m",
			Summary:     "Nothing that controller {{ $labels.controller }} does succeeds.",
			Description: `About {{ $value | humanize }} runs in 15 minutes, and none of them without an error.`,
			Panels:      []string{"Time since the last success", "Runs by class", "Failed runs"},
		},
		{
			Name:     "TrimtabLimiterPinned",
			Severity: warning,
			Expr: fmt.Sprintf(`(%[1]s
    - %[2]s) > 3
  and 1 - %[2]s
    / %[1]s > 0.5`, delays, short),
			For:         "10m",
			Summary:     "Requests of controller {{ $labels.controller }} fail for so long that they hardly retry any more.",
			Description: `About {{ $value | humanize }} failed requests of the last hour were told to wait for over ` + over + `, more than half of all: what mends their cause is noticed as late as that.`,
			Panels:      []string{"Delays of failed requests over 5 minutes", "Delays of failed requests by class", "Runs by class"},
		},
		{
			Name:        "TrimtabTerminalErrors",
			Severity:    warning,
			Expr:        fmt.Sprintf(`sum by (%s) (increase(trimtab_runs_total{class="terminal"}[15m])) > 0`, loop),
			Summary:     "Controller {{ $labels.controller }} has met an error that no retry helps against.",
			Description: `About {{ $value | humanize }} runs in 15 minutes ended with a terminal error: their objects wait for somebody to change them. The log names them.`,
			Panels:      []string{"Runs by class"},
		},
		{
			Name:        "TrimtabGivenUp",
			Severity:    warning,
			Expr:        fmt.Sprintf(`sum by (%s) (increase(trimtab_given_up_total[15m])) > 0`, loop),
			Summary:     "Controller {{ $labels.controller }} has given up on an object.",
			Description: `About {{ $value | humanize }} requests in 15 minutes failed too often in a row and are not retried any more: each waits for an event. The log names them.`,
			Panels:      []string{"What must not happen", "Runs by class"},
		},
	}
}

// neverAlerts are those for what is a bug whenever it happens.
func neverAlerts() []Alert {
	return []Alert{
		{
			Name:     "TrimtabWorkersLost",
			Severity: critical,
			// The counter starts at zero with the process, which has its workers back.
			Expr:        fmt.Sprintf(`sum by (%s) (trimtab_workers_lost_total) > 0`, replica),
			Summary:     "Controller {{ $labels.controller }} has lost workers.",
			Description: `{{ $value }} workers in {{ $labels.instance }} ended with their run, by runtime.Goexit; only a restart brings them back.`,
			Panels:      []string{"What must not happen", "Workers"},
		},
		{
			Name:        "TrimtabPanics",
			Severity:    warning,
			Expr:        fmt.Sprintf(`sum by (%s) (increase(trimtab_panics_total[15m])) > 0`, loop),
			Summary:     "Runs of controller {{ $labels.controller }} panic.",
			Description: `About {{ $value | humanize }} runs in 15 minutes panicked; the log has the object and the stack.`,
			Panels:      []string{"What must not happen", "Runs by class"},
		},
		{
			Name:        "TrimtabHandlerPanics",
			Severity:    critical,
			Expr:        fmt.Sprintf(`sum by (%s, trigger) (increase(trimtab_handler_panics_total[15m])) > 0`, loop),
			Summary:     "Event handlers of controller {{ $labels.controller }} panic: events are lost.",
			Description: `About {{ $value | humanize }} {{ $labels.trigger }} events in 15 minutes were lost to a panic of a handler or its mapping function; the log has the stack.`,
			Panels:      []string{"What must not happen", "Adds by trigger"},
		},
		{
			Name:        "TrimtabPredicatePanics",
			Severity:    warning,
			Expr:        fmt.Sprintf(`sum by (%s, predicate) (increase(trimtab_predicate_panics_total[15m])) > 0`, loop),
			Summary:     "A predicate of controller {{ $labels.controller }} panics, and filters nothing.",
			Description: `The predicate {{ $labels.predicate }} panicked about {{ $value | humanize }} times in 15 minutes; the events passed. The log has the stack.`,
			Panels:      []string{"What must not happen", "Events by predicate"},
		},
	}
}
