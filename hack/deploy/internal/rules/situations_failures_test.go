package rules_test

func failureSituations() []situation {
	const (
		storm    = "TrimtabRetryStorm"
		none     = "TrimtabNoSuccess"
		pinned   = "TrimtabLimiterPinned"
		terminal = "TrimtabTerminalErrors"
		givenUp  = "TrimtabGivenUp"
	)
	retries := func(retries, runs string) []series {
		return []series{
			s("trimtab_requeues_total", `reason="retry"`, retries),
			s("trimtab_requeues_total", `reason="periodic"`, "0+600x60"),
			s("trimtab_runs_total", `trigger="retry", class="error"`, runs),
		}
	}
	ends := func(success, failed string) []series {
		return []series{
			s("trimtab_runs_total", `trigger="primary", class="success"`, success),
			s("trimtab_runs_total", `trigger="periodic", class="requeue"`, "0x120"),
			s("trimtab_runs_total", `trigger="retry", class="error"`, failed),
		}
	}
	delays := func(within, all string) []series {
		return []series{
			s("trimtab_limiter_delay_seconds_bucket", `class="error", le="30"`, "0x120"),
			s("trimtab_limiter_delay_seconds_bucket", `class="error", le="300"`, within),
			s("trimtab_limiter_delay_seconds_bucket", `class="error", le="+Inf"`, all),
			s("trimtab_limiter_delay_seconds_count", `class="error"`, all),
		}
	}
	return []situation{
		{
			name: "most runs are retries", alert: storm, at: "30m", input: retries("0+300x60", "0+330x60"),
			firing: one("warning", "Controller order mostly retries.", "5 retries each second, more than one for every two runs."),
		},
		{name: "a busy loop with some retries", alert: storm, at: "30m", input: retries("0+300x60", "0+3000x60")},
		{name: "a few objects back off", alert: storm, at: "30m", input: retries("0+6x60", "0+6x60")},
		{name: "it was short", alert: storm, at: "30m", input: retries("0x18 0+300x5 1500x30", "0x18 0+300x5 1500x30")},
		{
			name: "all runs fail", alert: none, at: "60m", input: ends("0+5x10 50x110", "0x10 0+4x110"),
			firing: one("critical", "Nothing that controller order does succeeds.", "About 60 runs in 15 minutes, and none of them without an error."),
		},
		{name: "idle", alert: none, at: "60m", input: ends("50x120", "7x120")},
		{name: "a short outage", alert: none, at: "30m", input: ends("0+5x10 50x20 50+5x80", "0x10 0+4x20 80x100")},
		{name: "one object fails in an idle loop", alert: none, at: "70m", input: ends("50x120", "0x20 0+0.5x100")},
		{
			name: "it has failed for long", alert: pinned, at: "90m", input: delays("0+0x120", "0+1x120"),
			firing: one("warning", "Requests of controller order fail for so long that they hardly retry any more.",
				"About 60 failed requests of the last hour were told to wait for over 5 minutes, more than half of all: what mends their cause is noticed as late as that."),
		},
		{name: "it fails, and retries soon", alert: pinned, at: "90m", input: delays("0+1x120", "0+1x120")},
		{name: "a few wait long among many", alert: pinned, at: "90m", input: delays("0+3x120", "0+4x120")},
		{name: "one object fails", alert: pinned, at: "90m", input: delays("0x120", "0x40 1x20 2x60")},
		{name: "none fails", alert: pinned, at: "90m", input: delays("5x120", "9x120")},
		{
			name: "a run ends so", alert: terminal, at: "12m",
			input: []series{s("trimtab_runs_total", `trigger="primary", class="terminal"`, "0x9 3x50")},
			firing: one("warning", "Controller order has met an error that no retry helps against.",
				"About 3 runs in 15 minutes ended with a terminal error: their objects wait for somebody to change them. The log names them."),
		},
		{
			name: "other errors", alert: terminal, at: "12m",
			input: []series{s("trimtab_runs_total", `trigger="primary", class="terminal"`, "0x60"), s("trimtab_runs_total", `trigger="primary", class="error"`, "0+1x60")},
		},
		{
			name: "a request is given up", alert: givenUp, at: "12m",
			input: []series{s("trimtab_given_up_total", "", "0x9 1x50")},
			firing: one("warning", "Controller order has given up on an object.",
				"About 1 requests in 15 minutes failed too often in a row and are not retried any more: each waits for an event. The log names them."),
		},
		{name: "none is", alert: givenUp, at: "12m", input: []series{s("trimtab_given_up_total", "", "0x60")}},
	}
}

func neverSituations() []situation {
	return []situation{
		{
			name: "one is gone, and another later", alert: "TrimtabWorkersLost", at: "60m",
			input: []series{s("trimtab_workers_lost_total", `instance="a"`, "0x5 1x5 2x60")},
			firing: []firing{{
				severity: "critical", labels: map[string]string{"instance": "a"},
				summary:     "Controller order has lost workers.",
				description: "2 workers in a ended with their run, by runtime.Goexit; only a restart brings them back.",
			}},
		},
		{name: "the process has started again", alert: "TrimtabWorkersLost", at: "60m", input: []series{s("trimtab_workers_lost_total", `instance="a"`, "2x30 0x60")}},
		{
			name: "a run panics", alert: "TrimtabPanics", at: "12m",
			input:  []series{s("trimtab_panics_total", "", "0x9 2x50")},
			firing: one("warning", "Runs of controller order panic.", "About 2 runs in 15 minutes panicked; the log has the object and the stack."),
		},
		{name: "none does", alert: "TrimtabPanics", at: "12m", input: []series{s("trimtab_panics_total", "", "4x60")}},
		{
			name: "a mapping function panics", alert: "TrimtabHandlerPanics", at: "12m",
			input: []series{s("trimtab_handler_panics_total", `trigger="watched"`, "0x9 1x50"), s("trimtab_handler_panics_total", `trigger="primary"`, "0x60")},
			firing: []firing{{
				severity: "critical", labels: map[string]string{"trigger": "watched"},
				summary:     "Event handlers of controller order panic: events are lost.",
				description: "About 1 watched events in 15 minutes were lost to a panic of a handler or its mapping function; the log has the stack.",
			}},
		},
		{name: "none does", alert: "TrimtabHandlerPanics", at: "12m", input: []series{s("trimtab_handler_panics_total", `trigger="watched"`, "3x60")}},
		{
			name: "a predicate panics", alert: "TrimtabPredicatePanics", at: "12m",
			input: []series{s("trimtab_predicate_panics_total", `predicate="Secret"`, "0x9 4x50"), s("trimtab_predicate_panics_total", `predicate="CA"`, "0x60")},
			firing: []firing{{
				severity: "warning", labels: map[string]string{"predicate": "Secret"},
				summary:     "A predicate of controller order panics, and filters nothing.",
				description: "The predicate Secret panicked about 4 times in 15 minutes; the events passed. The log has the stack.",
			}},
		},
		{name: "none does", alert: "TrimtabPredicatePanics", at: "12m", input: []series{s("trimtab_predicate_panics_total", `predicate="Secret"`, "4x60")}},
	}
}
