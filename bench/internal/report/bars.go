package report

import (
	"cmp"
	"slices"
	"strings"
)

// bar is a promise.
type bar struct {
	what    string
	unit    string // of the limit
	limit   float64
	least   bool // the limit is the least that is good, not the most
	measure func(*Results) []measured
}

// measured is one of the cases that a bar holds for.
type measured struct {
	value float64
	title string
}

const (
	controllerRuntime = "controller-runtime"
	clientGo          = "client-go"
	bare              = "bare" // without anybody's wrapper
	flux              = "flux"
	operatorpkg       = "operatorpkg"
	perKey            = "sec/key"
	perOp             = "sec/op"
	ratio             = "x-"
)

// bars are what Trimtab promises.
func bars() []bar {
	return []bar{
		{"time per key, cold queue: controller-runtime ÷ trimtab", ratio, 3, true, timePerKey("cold", controllerRuntime, Trimtab)},
		{"time per key, warm queue: controller-runtime ÷ trimtab", ratio, 3, true, timePerKey("warm", controllerRuntime, Trimtab)},
		{"time per key, cold queue: trimtab ÷ client-go", ratio, 1.2, false, timePerKey("cold", Trimtab, clientGo)},
		{"time per key, warm queue: trimtab ÷ client-go", ratio, 1.2, false, timePerKey("warm", Trimtab, clientGo)},
		{"growth of the time per key, from fewest to most keys: trimtab's ÷ client-go's", ratio, 1.2, false, growth},
		{"live heap for each queued key: trimtab ÷ controller-runtime", ratio, 0.7, false, ratios("Heap", "live-B/key", Trimtab, controllerRuntime)},
		{"allocations of add, get and done of a known key", "allocs", 0, false, own("Known", "allocs/op", map[string]string{"op": "add-get-done"})},
		{"allocations of a delayed add", "allocs", 1, false, own("Delayed", "allocs/key", nil)},
		{"empty reconcile with its add: trimtab ÷ controller-runtime", ratio, 0.8, false, ratios("Reconcile", perKey, Trimtab, controllerRuntime)},
		{"heap after most keys have gone, for that of a fresh queue", ratio, 2, false, own("Left", "x-fresh", nil)},
		{"deliveries until nine small tenants beside a big one are served", "deliveries", 100, false, own("Tenants", "deliveries", nil)},
		{"P99 of a user's change in the storm", "ms-", 10, false, own("Storm", "ms-primary-P99", nil)},
		{"time of a failure, exponential: trimtab ÷ client-go", ratio, 1, false, ratios("Exponential", perOp, Trimtab, clientGo)},
		{"allocations of a failure, exponential", "allocs", 0, false, own("Exponential", "allocs/op", nil)},
		{"time of a failure, bucket: client-go's default ÷ trimtab", ratio, 2, true, ratios("Bucket", perOp, clientGo, Trimtab)},
		{"allocations of a failure, bucket", "allocs", 0, false, own("Bucket", "allocs/op", nil)},
		{"live heap for each failing key: trimtab ÷ client-go", ratio, 1.2, false, ratios("Failing", "live-B/key", Trimtab, clientGo)},
		{"heap after most keys fail no more, for that of the 1,000 that do", ratio, 2, false, own("Vanished", "x-alone", nil)},
		{"SpecChanged at equal generations over GenerationChangedPredicate", perOp, 5e-9, false, overTheirs("Predicate", "spec,-equal-generations")},
		{"resync of a Secret of 1 MiB, DataChanged", perOp, 50e-9, false, own("Predicate", perOp, map[string]string{"op": "data,-resync-of-1-MiB"})},
		{"allocations of a predicate", "allocs", 0, false, own("Predicate", "allocs/op", nil)},
		{"time of a run over the bare reconciler's", perOp, 1.5e-6, false, over("Chain", perOp)},
		{"allocations of a run over the bare reconciler's", "allocs", 3, false, over("Chain", "allocs/op")},
		{"time of a Get over the bare client's", perOp, 150e-9, false, over("Call", perOp)},
		{"allocations of a Get over the bare client's", "allocs", 1, false, over("Call", "allocs/op")},
		{"scrape of 50 busy loops, as text", perOp, 20e-3, false, own("Scrape", perOp, map[string]string{"op": "text"})},
		{"JSON of the live page, 50 busy loops", perOp, 20e-3, false, own("Loopz", perOp, nil)},
		{"time of a processor in each second, the live page open", "ms-", 10, false, own("Loopz", "ms-cpu-open", nil)},
		{"time of a processor in each second, the live page closed", "ms-", 1, false, own("Loopz", "ms-cpu-closed", map[string]string{"loops": "1"})},
		{"heap after 1,000 other objects were hot in each round, for that after the first", ratio, 1.1, false, own("Hot", "x-first-round", nil)},
		{"fullest second of 10,000 objects by Every, for the mean", ratio, 2.1, false, own("Herd", "x-second", map[string]string{"op": "Every"})},
		{"fullest ten seconds of 10,000 objects by Every, for the mean", ratio, 1.35, false, own("Herd", "x-ten-seconds", map[string]string{"op": "Every"})},
		{"fullest second of 10,000 objects by a Ticker, for the mean", ratio, 1.1, false, own("Herd", "x-second", map[string]string{"op": "Ticker"})},
		{"slots of a year of 1,000 crons unlike robfig/cron's, where no clock is changed", "slots", 0, false, own("Slots", "differ", nil)},
		{"slots of the same off the rule, where a clock is changed", "slots", 0, false, own("Slots", "off-the-rule", nil)},
		{"time of a call that says when to come back", perOp, 200e-9, false, own("Return", perOp, nil)},
		{"allocations of a call that says when to come back", "allocs", 0, false, own("Return", "allocs/op", nil)},
		{"time of one that sets a priority", perOp, 200e-9, false, own("Priority", perOp, nil)},
		{"read against the transport's own record, median difference", "ms-", 2, false, own("Phases", "ms-read-off", nil)},
		{"write against the transport's own record, median difference", "ms-", 2, false, own("Phases", "ms-write-off", nil)},
		{"status write against the transport's own record, median difference", "ms-", 2, false, own("Phases", "ms-status-off", nil)},
		{"all phases of a run against the time since its event, median difference", "ms-", 2, false, own("Phases", "ms-sum-off", nil)},
	}
}

// judge returns the case in which the bar is met least, and whether it is met. Without
// any case it reports false.
func (b bar) judge(r *Results) (worst measured, met, ok bool) {
	cases := b.measure(r)
	if len(cases) == 0 {
		return measured{}, false, false
	}
	least := func(x, y measured) int { return cmp.Compare(x.value, y.value) }
	if b.least {
		worst = slices.MinFunc(cases, least)
		return worst, worst.value >= b.limit, true
	}
	worst = slices.MaxFunc(cases, least)
	return worst, worst.value <= b.limit, true
}

func timePerKey(state, a, b string) func(*Results) []measured {
	return func(r *Results) []measured {
		return compare(most(r.of("Keys", perKey, map[string]string{"state": state})), a, b)
	}
}

func ratios(name, unit, a, b string) func(*Results) []measured {
	return func(r *Results) []measured { return compare(most(r.of(name, unit, nil)), a, b) }
}

func compare(rows []row, a, b string) (all []measured) {
	for _, row := range rows {
		if ratio, ok := row.ratio(a, b); ok {
			all = append(all, measured{ratio, row.title()})
		}
	}
	return all
}

// over is what ours is over what is bare.
func over(name, unit string) func(*Results) []measured {
	return func(r *Results) (all []measured) {
		for _, row := range r.of(name, unit, nil) {
			if difference, ok := row.over(); ok {
				all = append(all, measured{difference, row.title()})
			}
		}
		return all
	}
}

// overTheirs is what ours takes longer than controller-runtime's.
func overTheirs(name, op string) func(*Results) []measured {
	return func(r *Results) (all []measured) {
		for _, row := range r.of(name, perOp, map[string]string{"op": op}) {
			ours, ok := row.samples[Trimtab]
			if theirs, both := row.samples[controllerRuntime]; ok && both {
				all = append(all, measured{ours.median - theirs.median, row.title()})
			}
		}
		return all
	}
}

// own is our own number, whatever the others'.
func own(name, unit string, params map[string]string) func(*Results) []measured {
	return func(r *Results) (all []measured) {
		for _, row := range most(r.of(name, unit, params)) {
			if s, ok := row.samples[Trimtab]; ok {
				all = append(all, measured{s.median, row.title()})
			}
		}
		return all
	}
}

// growth compares each benchmark of the most keys with its like of the fewest.
func growth(r *Results) (all []measured) {
	rows := r.of("Keys", perKey, nil)
	for _, large := range most(rows) {
		small, found := large, false
		for _, row := range rows {
			if row.keys() < small.keys() && alike(row, large) {
				small, found = row, true
			}
		}
		after, okAfter := large.ratio(Trimtab, clientGo)
		before, okBefore := small.ratio(Trimtab, clientGo)
		if found && okAfter && okBefore {
			from := strings.TrimSuffix(inWords("keys", small.params["keys"]), " keys")
			all = append(all, measured{after / before, "from " + from + " to " + large.title()})
		}
	}
	return all
}

// alike reports whether the rows differ in nothing but the number of keys.
func alike(a, b row) bool {
	for key, value := range a.params {
		if key != "keys" && b.params[key] != value {
			return false
		}
	}
	return len(a.params) == len(b.params)
}
