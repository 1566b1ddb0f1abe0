package board

func causes() Row {
	byTrigger := func(title, description, series string) Panel {
		return Panel{
			Title: title, Description: description, Unit: each, Kind: Stacked,
			Queries: []Query{{Expr: `sum by (controller, trigger) (rate(` + series + `{loop}[$__rate_interval]))`, Legend: perTrigger}},
		}
	}
	share := func(title, description, of string) Panel {
		return Panel{
			Title: title, Description: description, Unit: ratio,
			Queries: []Query{{
				Expr:   `sum by (controller, trigger) (rate(` + of + `{loop}[$__rate_interval]))`,
				Legend: perTrigger,
			}},
		}
	}
	merged := share("Adds that were merged", "Share of adds to the queue that met a request already queued: work that was saved.", "trimtab_merges_total")
	merged.Queries[0].Expr += ` / (sum by (controller, trigger) (rate(trimtab_adds_total{loop}[$__rate_interval])) > 0)`
	noop := share("Runs that changed nothing", "Share of runs that changed nothing. High for watched: filter its events with a predicate. High for periodic: a longer period would do. High for primary: a predicate such as SpecChanged. A resync is meant to change nothing.", "trimtab_noop_runs_total")
	noop.Queries[0].Expr += ` / (sum by (controller, trigger) (rate(trimtab_runs_total{loop}[$__rate_interval])) > 0)`
	return Row{Title: "Causes", Panels: []Panel{
		byTrigger("Adds by trigger", "Adds to the queue each second, by what caused them. Which watch or timer makes the work?", "trimtab_adds_total"),
		merged,
		byTrigger("Deliveries by trigger", "Requests that a worker took each second, by the strongest of their causes: the work that is done.", "trimtab_deliveries_total"),
		{
			Title: "Events by predicate", Unit: each,
			Description: "Events of watches each second that predicates admitted or dropped. Only of predicates that the operator has given to Loop.Observe.",
			Queries: []Query{{
				Expr:   `sum by (controller, trigger, predicate, result) (rate(trimtab_events_total{loop}[$__rate_interval]))`,
				Legend: perTrigger + " {{predicate}} {{result}}",
			}},
		},
		noop,
		{
			Title: "Requeues by reason", Unit: each, Kind: Stacked,
			Description: "Adds each second that were the echo of a run: retry after an error, periodic after a RequeueAfter.",
			Queries:     []Query{{Expr: `sum by (controller, reason) (rate(trimtab_requeues_total{loop}[$__rate_interval]))`, Legend: "{{controller}} {{reason}}"}},
		},
		{
			Title: "API calls by verb and kind", Unit: each, Kind: Stacked, Width: 12,
			Description: "Calls of the loop's client each second. Reads of a cache count, too. Writes that nothing asked for are churn.",
			Queries:     []Query{{Expr: `sum by (controller, verb, kind) (rate(trimtab_api_calls_total{loop}[$__rate_interval]))`, Legend: "{{controller}} {{verb}} {{kind}}"}},
		},
		{
			Title: "API calls of a run by trigger", Unit: number, Width: 12,
			Description: "Calls of the loop's client in a run, on average.",
			Queries: []Query{{
				Expr:   `sum by (controller, trigger) (rate(trimtab_api_calls_total{loop}[$__rate_interval])) / (sum by (controller, trigger) (rate(trimtab_runs_total{loop}[$__rate_interval])) > 0)`,
				Legend: perTrigger,
			}},
		},
	}}
}

func failures() Row {
	rise := func(series, legend string) Query {
		return Query{Expr: `sum by (controller) (increase(` + series + `{loop}[$__rate_interval]))`, Legend: perController + " " + legend}
	}
	return Row{Title: "Failures", Panels: []Panel{
		{
			Title: "Runs by class", Unit: each, Kind: Stacked,
			Description: "Completed runs each second by the class of their outcome. Some conflicts are normal. Terminal and panic are not.",
			Queries:     []Query{{Expr: `sum by (controller, class) (rate(trimtab_runs_total{loop}[$__rate_interval]))`, Legend: perClass}},
		},
		{
			Title: "Failed runs", Unit: ratio, Limit: 0.1,
			Description: "Share of runs of each trigger that failed, but for conflicts and those that a stopping manager cancelled. Only retry: a few objects fail. All: what they have in common does.",
			Queries: []Query{{
				Expr:   `sum by (controller, trigger) (rate(trimtab_runs_total{loop, class!~"success|requeue|conflict|canceled"}[$__rate_interval])) / (sum by (controller, trigger) (rate(trimtab_runs_total{loop}[$__rate_interval])) > 0)`,
				Legend: perTrigger,
			}},
		},
		{
			Title: "Delays of failed requests by class", Unit: seconds,
			Description: "For how long failed requests were told to wait, on average, by the class of the failure.",
			Queries: []Query{{
				Expr:   `sum by (controller, class) (rate(trimtab_limiter_delay_seconds_sum{loop}[$__rate_interval])) / (sum by (controller, class) (rate(trimtab_limiter_delay_seconds_count{loop}[$__rate_interval])) > 0)`,
				Legend: perClass,
			}},
		},
		{
			Title: "Delays of failed requests over 5 minutes", Unit: ratio, Limit: 0.5,
			Description: "Share of failed requests that were told to wait for over 5 minutes: they have failed for long, and will notice late that their cause is mended.",
			Queries: []Query{{
				Expr:   `1 - sum by (controller) (rate(trimtab_limiter_delay_seconds_bucket{loop, le=~"300(\\.0)?"}[$__rate_interval])) / (sum by (controller) (rate(trimtab_limiter_delay_seconds_count{loop}[$__rate_interval])) > 0)`,
				Legend: perController,
			}},
		},
		{
			Title: "Time to converge", Unit: seconds,
			Description: "From when the first attempt at a request could have been made to the end of the one after which none was needed, retries and their delays included.",
			Queries: []Query{
				{Expr: `histogram_quantile(0.50, sum by (controller, le) (rate(trimtab_convergence_seconds_bucket{loop}[$__rate_interval])))`, Legend: perController + " P50"},
				{Expr: `histogram_quantile(0.95, sum by (controller, le) (rate(trimtab_convergence_seconds_bucket{loop}[$__rate_interval])))`, Legend: perController + " P95"},
				{Expr: `histogram_quantile(0.99, sum by (controller, le) (rate(trimtab_convergence_seconds_bucket{loop}[$__rate_interval])))`, Legend: perController + " P99"},
			},
		},
		{
			Title: "Attempts to converge", Unit: number,
			Description: "Attempts at a request until none more was needed: 1 is best.",
			Queries: []Query{
				{Expr: `sum by (controller) (rate(trimtab_convergence_attempts_sum{loop}[$__rate_interval])) / (sum by (controller) (rate(trimtab_convergence_attempts_count{loop}[$__rate_interval])) > 0)`, Legend: perController + " mean"},
				{Expr: `histogram_quantile(0.95, sum by (controller, le) (rate(trimtab_convergence_attempts_bucket{loop}[$__rate_interval])))`, Legend: perController + " P95"},
			},
		},
		{
			Title: "What must not happen", Unit: number, Limit: 1,
			Description: "Requests that were given up, panics of runs, panics of event handlers, which lose events, and of predicates, which let all pass, and workers that were lost. All should be 0.",
			Queries: []Query{
				rise("trimtab_given_up_total", "given up"),
				rise("trimtab_panics_total", "panics"),
				rise("trimtab_handler_panics_total", "handler panics"),
				rise("trimtab_predicate_panics_total", "predicate panics"),
				{Expr: `sum by (controller) (trimtab_workers_lost_total{loop})`, Legend: perController + " workers lost"},
			},
		},
		{
			Title: "Hot loops, overruns, failure resets", Unit: number,
			Description: "Requests that were found to run in a hot loop, runs that passed their deadline, and backoffs that started anew since somebody had changed the object: one that rises all the time is of somebody who writes the object's spec all the time.",
			Queries: []Query{
				rise("trimtab_hot_loops_total", "hot loops"),
				rise("trimtab_overruns_total", "overruns"),
				rise("trimtab_failure_resets_total", "failure resets"),
			},
		},
		{
			Title: "Runs past their deadline", Unit: number, Limit: 1,
			Description: "Runs in flight a second and more past their deadline: they ignore their context.",
			Queries:     []Query{{Expr: `sum by (controller) (trimtab_runs_overdue{loop})`, Legend: perController}},
		},
	}}
}

func process() Row {
	return Row{Title: "Process", Panels: []Panel{
		{
			Title: "CPU", Unit: number,
			Description: "Cores that each process keeps busy. At its limit, compute grows, and all waits with it.",
			Queries:     []Query{{Expr: `sum by (job, instance) (rate(process_cpu_seconds_total{process}[$__rate_interval]))`, Legend: "{{job}} {{instance}}"}},
		},
		{
			Title: "Memory", Unit: "bytes",
			Description: "Resident memory of each process. Most of it is what its caches hold.",
			Queries:     []Query{{Expr: `sum by (job, instance) (process_resident_memory_bytes{process})`, Legend: "{{job}} {{instance}}"}},
		},
		{
			Title: "API requests by code", Unit: each, Kind: Stacked,
			Description: "Requests to the API server each second by status code, of the whole process: what controller-runtime counts. 429 is throttling, 409 a conflict, 5xx the server's trouble.",
			Queries:     []Query{{Expr: `sum by (job, code) (rate(rest_client_requests_total{process}[$__rate_interval]))`, Legend: "{{job}} {{code}}"}},
		},
	}}
}
