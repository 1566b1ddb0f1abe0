package board

// Rows returns the rows of the dashboard: from whether anything is wrong to what it is
// that is wrong.
func Rows() []Row {
	return []Row{overview(), signals(), phases(), causes(), failures(), process()}
}

const (
	perController = "{{controller}}"
	perTrigger    = "{{controller}} {{trigger}}"
	perPhase      = "{{controller}} {{phase}}"
	perClass      = "{{controller}} {{class}}"
	perObject     = "{{controller}} {{object}}"

	seconds = "s"
	ratio   = "percentunit"
	each    = "cps" // counts per second
	number  = "short"
)

func overview() Row {
	small := func(title, description, unit string, limit float64, expr string) Panel {
		return Panel{
			Title: title, Description: description, Unit: unit, Kind: Stat, Width: 3, Limit: limit,
			Queries: []Query{{Expr: expr, Legend: perController}},
		}
	}
	return Row{Title: "Overview", Panels: []Panel{
		{
			Title: "Firing alerts", Description: "Trimtab's alerts that fire for the chosen loops. 0 also if the rules are not installed.",
			Unit: number, Kind: Stat, Width: 3, Limit: 1,
			Queries: []Query{{Expr: `count(ALERTS{loop, alertname=~"Trimtab.+", alertstate="firing"}) or vector(0)`, Legend: "alerts"}},
		},
		small("Users wait", "P99 of the latency, wait and run, of runs for users' changes: the triggers primary and external. The alerts' objective is 30 s for 99 in 100 runs.", seconds, 30,
			`histogram_quantile(0.99, sum by (controller, le) (rate(trimtab_latency_seconds_bucket{loop, trigger=~"primary|external"}[$__rate_interval])))`),
		small("Ready", "Requests that are ready for a worker. Over 100 is not keeping up, unless it is a resync or a burst that is over in a minute.", number, 100,
			`sum by (controller) (trimtab_queue_depth{loop})`),
		small("Saturated", "1 if the queue has been too deep, resyncs aside, with all workers busy, for a minute or longer.", number, 1,
			`max by (controller) (trimtab_queue_saturated{loop})`),
		small("Busy", "Busy workers as a share of all. Above 80 % for long, waits grow fast.", ratio, 0.8,
			`sum by (controller) (trimtab_workers_busy{loop}) / (sum by (controller) (trimtab_workers_limit{loop}) > 0)`),
		small("Failing", "Share of runs that fail, but for conflicts and those that a stopping manager cancelled.", ratio, 0.1,
			`sum by (controller) (rate(trimtab_runs_total{loop, class!~"success|requeue|conflict|canceled"}[$__rate_interval])) / sum by (controller) (rate(trimtab_runs_total{loop}[$__rate_interval]))`),
		small("Last success", "Time since a run last succeeded. Long is bad only if there are runs: an idle loop has none.", seconds, 0,
			`time() - (max by (controller) (trimtab_last_success_timestamp_seconds{loop}) > 0)`),
		small("Longest run", "Age of the longest run in flight. 15 minutes raise an alert.", seconds, 900,
			`max by (controller) (trimtab_oldest_run_seconds{loop})`),
	}}
}

func signals() Row {
	latency := func(percent, description string) Panel {
		return Panel{
			Title: "Latency P" + percent + " by trigger", Unit: seconds, Description: description,
			Queries: []Query{{
				Expr:   `histogram_quantile(0.` + percent + `, sum by (controller, trigger, le) (rate(trimtab_latency_seconds_bucket{loop}[$__rate_interval])))`,
				Legend: perTrigger,
			}},
		}
	}
	return Row{Title: "Golden signals", Panels: []Panel{
		latency("99", "Within which time 99 in 100 runs are done: wait and run, without deliberate delay, by what caused them. Primary and external are what users wait for; resync and periodic may take their time."),
		latency("95", "Within which time 95 in 100 runs are done."),
		latency("50", "Within which time half of the runs are done. If it is fine and P99 is not, a few objects or moments are slow; if both are bad, all are."),
		{
			Title: "Slow runs for users' changes", Unit: ratio, Limit: 0.01,
			Description: "Share of runs for users' changes, the triggers primary and external, that took over 30 s. The objective is 1 %; the alerts are due at 14.4 % of an hour and at 6 % of six hours.",
			Queries: []Query{{
				Expr:   `1 - sum by (controller) (rate(trimtab_latency_seconds_bucket{loop, trigger=~"primary|external", le=~"30(\\.0)?"}[$__rate_interval])) / sum by (controller) (rate(trimtab_latency_seconds_count{loop, trigger=~"primary|external"}[$__rate_interval]))`,
				Legend: perController,
			}},
		},
		{
			Title: "Latency of users' changes", Unit: seconds, Kind: Heatmap,
			Description: "How many runs for users' changes took how long, wait and run. Two bands mean two kinds of runs: look for what tells them apart.",
			Queries: []Query{{
				Expr:   `sum by (le) (increase(trimtab_latency_seconds_bucket{loop, trigger=~"primary|external"}[$__rate_interval]))`,
				Legend: "{{le}}",
			}},
		},
		{
			Title: "Queue depth", Unit: number, Kind: Stacked, Limit: 100,
			Description: "Requests that are ready for a worker, by the strongest of their causes. Over 100 is not keeping up, unless they are resync, which only fills gaps.",
			Queries:     []Query{{Expr: `sum by (controller, trigger) (trimtab_queue_depth{loop})`, Legend: perTrigger}},
		},
		{
			Title: "Waiting", Unit: seconds,
			Description: "How long the request that has been ready for longest has waited for a worker.",
			Queries:     []Query{{Expr: `max by (controller) (trimtab_queue_oldest_waiting_seconds{loop})`, Legend: perController}},
		},
		{
			Title: "Held back", Unit: number,
			Description: "Requests that wait for their time on purpose: a backoff, a RequeueAfter, a debounce, a spread.",
			Queries:     []Query{{Expr: `sum by (controller) (trimtab_queue_delayed{loop})`, Legend: perController}},
		},
		{
			Title: "Saturation", Unit: number, Limit: 1,
			Description: "1 while the queue has been too deep, resyncs aside, with all workers busy, for a minute or longer.",
			Queries:     []Query{{Expr: `max by (controller) (trimtab_queue_saturated{loop})`, Legend: perController}},
		},
		{
			Title: "Workers", Unit: number,
			Description: "Runs in flight, and how many there can be: MaxConcurrentReconciles, or what a lost worker has left of it.",
			Queries: []Query{
				{Expr: `sum by (controller) (trimtab_workers_busy{loop})`, Legend: perController + " busy"},
				{Expr: `sum by (controller) (trimtab_workers_limit{loop})`, Legend: perController + " limit"},
			},
		},
		{
			Title: "Worker utilisation", Unit: ratio, Limit: 0.8,
			Description: "Average share of busy workers over 5 minutes. Above 80 % waits grow fast.",
			Queries:     []Query{{Expr: `max by (controller) (avg_over_time(trimtab_workers_utilisation{loop}[5m]))`, Legend: perController}},
		},
		{
			Title: "Requeues by object", Unit: number, Kind: Table,
			Description: "The objects that were requeued most, at the least as often as shown; halved every ten minutes. One far above the others is a hot object.",
			Queries:     []Query{{Expr: `topk(10, max by (controller, object) (trimtab_object_requeues{loop}))`, Legend: perObject}},
		},
		{
			Title: "Time by object", Unit: seconds, Kind: Table, Width: 8,
			Description: "The objects whose runs took most time, at the least as much as shown; halved every ten minutes.",
			Queries:     []Query{{Expr: `topk(10, max by (controller, object) (trimtab_object_busy_seconds{loop}))`, Legend: perObject}},
		},
		{
			Title: "Oldest run", Unit: seconds, Limit: 900,
			Description: "Age of the longest run in flight. A line that climbs and climbs is a run that hangs.",
			Queries:     []Query{{Expr: `max by (controller) (trimtab_oldest_run_seconds{loop})`, Legend: perController}},
		},
		{
			Title: "Time since the last success", Unit: seconds,
			Description: "Time since a run last succeeded. Long is bad only if there are runs: an idle loop has none.",
			Queries:     []Query{{Expr: `time() - (max by (controller) (trimtab_last_success_timestamp_seconds{loop}) > 0)`, Legend: perController}},
		},
	}}
}

func phases() Row {
	const run = `phase=~"read|compute|write|status"`
	return Row{Title: "Phases", Panels: []Panel{
		{
			Title: "Time by phase", Unit: ratio, Kind: Stacked,
			Description: "Share of each phase in the time from ready to done. Wait: too few workers, or a flood. Own_run: behind the object's own run. Read: uncached or heavy reads. Compute: slow code or outside calls. Write: API server or admission. Status: status churn.",
			Queries: []Query{{
				Expr:   `sum by (controller, phase) (rate(trimtab_phase_seconds_total{loop, phase!="delay"}[$__rate_interval])) / on (controller) group_left () sum by (controller) (rate(trimtab_phase_seconds_total{loop, phase!="delay"}[$__rate_interval]))`,
				Legend: perPhase,
			}},
		},
		{
			Title: "Time of a run by phase", Unit: seconds, Kind: Stacked,
			Description: "Mean seconds of a run in each phase, and of the wait before it. What is thick is what to mend.",
			Queries: []Query{{
				Expr:   `sum by (controller, phase) (rate(trimtab_phase_seconds_total{loop, phase!="delay"}[$__rate_interval])) / on (controller) group_left () sum by (controller) (rate(trimtab_runs_total{loop}[$__rate_interval]))`,
				Legend: perPhase,
			}},
		},
		{
			Title: "Work by trigger and phase", Unit: number, Kind: Stacked,
			Description: "Workers that each trigger keeps busy, by the phase of their runs: seconds of run in each second. The sum is how many workers the loop needs at the least.",
			Queries: []Query{{
				Expr:   `sum by (controller, trigger, phase) (rate(trimtab_phase_seconds_total{loop, ` + run + `}[$__rate_interval]))`,
				Legend: perTrigger + " {{phase}}",
			}},
		},
		{
			Title: "Share of each phase by trigger", Unit: ratio, Kind: Table, Width: 12,
			Description: "Share of each phase in the time from ready to done, for each trigger apart.",
			Queries: []Query{{
				Expr:   `sum by (controller, trigger, phase) (rate(trimtab_phase_seconds_total{loop, phase!="delay"}[$__rate_interval])) / on (controller, trigger) group_left () (sum by (controller, trigger) (rate(trimtab_phase_seconds_total{loop, phase!="delay"}[$__rate_interval])) > 0)`,
				Legend: perTrigger + " {{phase}}",
			}},
		},
		{
			Title: "Deliberate delay P95 by trigger", Unit: seconds, Width: 12,
			Description: "For how long 95 in 100 runs were held back on purpose at most: retry is the backoff, periodic the RequeueAfter. Not part of the latency.",
			Queries: []Query{{
				Expr:   `histogram_quantile(0.95, sum by (controller, trigger, le) (rate(trimtab_delay_seconds_bucket{loop}[$__rate_interval])))`,
				Legend: perTrigger,
			}},
		},
	}}
}
