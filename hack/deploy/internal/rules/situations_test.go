package rules_test

import "slices"

// situations returns what can happen to a loop, good and bad.
func situations() []situation {
	return slices.Concat(latencySituations(), loadSituations(), runSituations(), objectSituations(), failureSituations(), neverSituations())
}

func one(severity, summary, description string) []firing {
	return []firing{{severity: severity, summary: summary, description: description}}
}

// runs returns the latencies of runs for users' changes: so many each minute, and so
// many of them within 30 s.
func runs(all, quick string) []series {
	return []series{
		s("trimtab_latency_seconds_bucket", `trigger="primary", le="30"`, quick),
		s("trimtab_latency_seconds_bucket", `trigger="primary", le="60"`, all),
		s("trimtab_latency_seconds_bucket", `trigger="primary", le="+Inf"`, all),
		s("trimtab_latency_seconds_count", `trigger="primary"`, all),
	}
}

func latencySituations() []situation {
	const (
		alert   = "TrimtabLatencyBurn"
		summary = "Users of controller order wait too long for their changes."
	)
	return []situation{
		{
			name: "a fifth of the changes is slow", alert: alert, at: "20m",
			input: runs("0+10x120", "0+8x120"),
			firing: []firing{
				{severity: "critical", summary: summary, description: "20% of the runs for users' changes in the last 1h took over 30 s, wait and run; the objective is 1%."},
				{severity: "warning", summary: summary, description: "20% of the runs for users' changes in the last 6h took over 30 s, wait and run; the objective is 1%."},
			},
		},
		{
			name: "a tenth of them is slow", alert: alert, at: "50m",
			input:  runs("0+10x120", "0+9x120"),
			firing: one("warning", summary, "10% of the runs for users' changes in the last 6h took over 30 s, wait and run; the objective is 1%."),
		},
		{
			// Prometheus 3 writes the bounds of buckets so.
			name: "bounds with a point", alert: alert, at: "50m",
			input: []series{
				s("trimtab_latency_seconds_bucket", `trigger="external", le="30.0"`, "0+9x120"),
				s("trimtab_latency_seconds_bucket", `trigger="external", le="+Inf"`, "0+10x120"),
				s("trimtab_latency_seconds_count", `trigger="external"`, "0+10x120"),
			},
			firing: one("warning", summary, "10% of the runs for users' changes in the last 6h took over 30 s, wait and run; the objective is 1%."),
		},
		{name: "one in a hundred is slow", alert: alert, at: "50m", input: runs("0+100x120", "0+99x120")},
		{name: "it is over", alert: alert, at: "120m", input: runs("0+10x180", "0+5x60 310+10x120")},
		{name: "one slow run of a loop that runs seldom", alert: alert, at: "60m", input: runs("0x40 1x80", "0x120")},
		{name: "no runs at all", alert: alert, at: "70m", input: runs("7x120", "5x120")},
		{
			name: "slow, but nobody waits for it", alert: alert, at: "50m",
			input: []series{
				s("trimtab_latency_seconds_bucket", `trigger="resync", le="30"`, "0x120"),
				s("trimtab_latency_seconds_count", `trigger="resync"`, "0+10x120"),
			},
		},
	}
}

func loadSituations() []situation {
	const (
		saturated = "TrimtabQueueSaturated"
		exhausted = "TrimtabWorkersExhausted"
		wedged    = "TrimtabLoopWedged"
	)
	workers := func(busy string) []series {
		return []series{
			s("trimtab_workers_busy", `instance="a"`, busy), s("trimtab_workers_limit", `instance="a"`, "4x60"),
			s("trimtab_workers_busy", `instance="b"`, "0x60"), s("trimtab_workers_limit", `instance="b"`, "0x60"), // a standby
		}
	}
	stands := func(depth, deliveries string) []series {
		return []series{
			s("trimtab_queue_depth", `instance="a", trigger="primary"`, depth),
			s("trimtab_queue_depth", `instance="a", trigger="resync"`, "0x60"),
			s("trimtab_deliveries_total", `instance="a", trigger="primary"`, deliveries),
		}
	}
	return []situation{
		{
			name: "it does not keep up", alert: saturated, at: "12m",
			input: []series{s("trimtab_queue_saturated", `instance="a"`, "0x5 1x20"), s("trimtab_queue_saturated", `instance="b"`, "0x30")},
			firing: one("warning", "The queue of controller order grows faster than its workers clear it.",
				"For over 5 minutes more than 100 requests have been ready, resyncs aside, with all workers busy."),
		},
		{name: "a burst", alert: saturated, at: "12m", input: []series{s("trimtab_queue_saturated", `instance="a"`, "0x8 1x3 0x20")}},
		{
			name: "nearly all are busy", alert: exhausted, at: "40m", input: workers("4x3 3x1 4x10 3x1 4x60"),
			firing: one("warning", "The workers of controller order have no room for a burst.",
				"100% of the workers were busy on average over 15 minutes; above 80% waits grow fast."),
		},
		{name: "three of four are busy", alert: exhausted, at: "40m", input: workers("3x60")},
		{name: "all are busy for a while", alert: exhausted, at: "28m", input: workers("1x12 4x14 1x40")},
		{
			name: "requests and no deliveries", alert: wedged, at: "30m", input: stands("5x60", "0+10x5 50x55"),
			firing: []firing{{
				severity: "critical", labels: map[string]string{"instance": "a"},
				summary:     "Controller order has work and does none.",
				description: "5 requests are ready in a, and no worker has taken one for over 10 minutes.",
			}},
		},
		{name: "idle", alert: wedged, at: "30m", input: stands("0x60", "50x60")},
		{name: "at work", alert: wedged, at: "30m", input: stands("5x60", "0+1x60")},
		{name: "a warm standby", alert: wedged, at: "30m", input: stands("500x60", "0x60")},
	}
}

func runSituations() []situation {
	a := map[string]string{"instance": "a"}
	return []situation{
		{
			name: "it hangs", alert: "TrimtabRunStuck", at: "30m",
			input: []series{s("trimtab_oldest_run_seconds", `instance="a"`, "0+60x60"), s("trimtab_oldest_run_seconds", `instance="b"`, "0x60")},
			firing: []firing{{
				severity: "critical", labels: a,
				summary:     "A run of controller order does not end.",
				description: "The longest run in a has been going on for 30m 0s; it keeps a worker, and its object is served by no other.",
			}},
		},
		{
			name: "long runs, one after the other", alert: "TrimtabRunStuck", at: "27m",
			input: []series{s("trimtab_oldest_run_seconds", `instance="a"`, "0+60x13 0+60x13 0+60x13")},
		},
		{
			name: "it ignores its context", alert: "TrimtabRunOverdue", at: "10m",
			input: []series{s("trimtab_runs_overdue", `instance="a"`, "0x2 2x20")},
			firing: []firing{{
				severity: "warning", labels: a,
				summary:     "Controller order does not heed its deadline.",
				description: "2 runs in a go on past their deadline: something in them ignores its context.",
			}},
		},
		{
			name: "it ends a little late", alert: "TrimtabRunOverdue", at: "9m",
			input: []series{s("trimtab_runs_overdue", `instance="a"`, "0x6 1x2 0x20")},
		},
	}
}

func objectSituations() []situation {
	const hot = "TrimtabHotObject"
	object := func(name, values string) series {
		return s("trimtab_object_requeues", `instance="a", object="shop/`+name+`"`, values)
	}
	return []situation{
		{
			name: "one of several", alert: hot, at: "20m",
			input: []series{object("web", "800x60"), object("db", "40x60"), object("cache", "30x60")},
			firing: []firing{{
				severity: "warning", labels: map[string]string{"object": "shop/web"},
				summary:     "Object shop/web keeps controller order busy.",
				description: "It has about 800 requeues of late, more than all the others of the list together.",
			}},
		},
		{
			name: "it is the only one with requeues", alert: hot, at: "20m",
			input: []series{object("web", "800x60")},
			firing: []firing{{
				severity: "warning", labels: map[string]string{"object": "shop/web"},
				summary:     "Object shop/web keeps controller order busy.",
				description: "It has about 800 requeues of late, more than all the others of the list together.",
			}},
		},
		{name: "all are polled", alert: hot, at: "20m", input: []series{object("web", "800x60"), object("db", "800x60"), object("cache", "790x60")}},
		{name: "few requeues", alert: hot, at: "20m", input: []series{object("web", "200x60"), object("db", "1x60")}},
		{name: "it is over", alert: hot, at: "20m", input: []series{object("web", "800x8 400x10 200x40"), object("db", "1x60")}},
		{
			name: "it runs in a loop", alert: "TrimtabHotLoop", at: "12m",
			input: []series{s("trimtab_hot_loops_total", `instance="a"`, "0x10 1x50")},
			firing: one("warning", "Controller order runs an object in a loop.",
				"An object had over 120 runs in a minute, each since an event during or just after the one before: most likely its reconciler writes what it watches. The log names it."),
		},
		{name: "none does", alert: "TrimtabHotLoop", at: "12m", input: []series{s("trimtab_hot_loops_total", `instance="a"`, "0x60")}},
		{name: "one did, long ago", alert: "TrimtabHotLoop", at: "40m", input: []series{s("trimtab_hot_loops_total", `instance="a"`, "0x10 1x50")}},
	}
}
