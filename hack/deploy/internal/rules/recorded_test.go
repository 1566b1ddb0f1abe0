package rules_test

import "slices"

// recordedCase is the input of a recording rule and what it must make of it.
type recordedCase struct {
	input []series
	at    string
	want  []sample
}

func recorded() map[string]recordedCase {
	cases := map[string]recordedCase{
		"controller:trimtab_workers_utilisation:ratio": {
			input: []series{
				s("trimtab_workers_busy", `instance="a"`, "3x10"), s("trimtab_workers_limit", `instance="a"`, "4x10"),
				s("trimtab_workers_busy", `instance="b"`, "0x10"), s("trimtab_workers_limit", `instance="b"`, "0x10"),
			},
			at: "5m", want: is("", 0.75),
		},
		"controller:trimtab_failed_runs:ratio_rate5m": {
			input: []series{
				s("trimtab_runs_total", `class="success", trigger="primary"`, "0+60x60"),
				s("trimtab_runs_total", `class="error", trigger="retry"`, "0+30x60"),
				s("trimtab_runs_total", `class="conflict", trigger="retry"`, "0+30x60"),
			},
			at: "30m", want: is("", 0.25),
		},
		"controller:trimtab_retries:ratio_rate5m": {
			input: []series{
				s("trimtab_runs_total", `class="success", trigger="primary"`, "0+60x60"),
				s("trimtab_requeues_total", `reason="retry"`, "0+30x60"),
				s("trimtab_requeues_total", `reason="periodic"`, "0+60x60"),
			},
			at: "30m", want: is("", 0.5),
		},
		"controller_trigger:trimtab_noop_runs:ratio_rate5m": {
			input: []series{
				s("trimtab_runs_total", `class="success", trigger="watched"`, "0+60x60"),
				s("trimtab_noop_runs_total", `trigger="watched"`, "0+45x60"),
				s("trimtab_runs_total", `class="success", trigger="primary"`, "9x60"), // idle
				s("trimtab_noop_runs_total", `trigger="primary"`, "4x60"),
			},
			at: "30m", want: is(`trigger="watched"`, 0.75),
		},
	}
	// One in four is slow, and before the window all were.
	for window, at := range map[string]string{"5m": "105m", "30m": "130m", "1h": "160m", "6h": "460m"} {
		name := "controller:trimtab_latency_slow:ratio_rate" + window
		cases[name] = recordedCase{input: runs("0+8x600", "0x100 6+6x500"), at: at, want: is("", 0.25)}
	}
	// Of a hundred runs, 40 took up to 1 s, 50 from 1 to 2 s, 10 from 2 to 3 s.
	buckets := []series{
		s("trimtab_latency_seconds_bucket", `trigger="primary", le="1"`, "0+40x60"),
		s("trimtab_latency_seconds_bucket", `trigger="primary", le="2"`, "0+90x60"),
		s("trimtab_latency_seconds_bucket", `trigger="primary", le="3"`, "0+100x60"),
		s("trimtab_latency_seconds_bucket", `trigger="primary", le="+Inf"`, "0+100x60"),
	}
	for quantile, want := range map[string]float64{"50": 1.2, "95": 2.5, "99": 2.9} {
		name := "controller_trigger:trimtab_latency_seconds:p" + quantile + "_rate5m"
		cases[name] = recordedCase{input: slices.Clone(buckets), at: "30m", want: is(`trigger="primary"`, want)}
	}
	return cases
}

func is(labels string, value float64) []sample {
	return []sample{{Labels: s("", labels, "").Series, Value: value}}
}
