package report

import (
	"fmt"

	"github.com/trimtab/trimtab/e2e/internal/scrape"
)

// controller is the name of the example operator's controller; label selects
// its series.
const (
	label      = "controller"
	controller = "certificate"
)

// Triggers returns the trigger sources that the demo sets off, in the order in
// which they are shown.
func Triggers() []string {
	return []string{"primary", "watched", "periodic", "retry", "resync"}
}

// Runs returns how often the reconciler ran for a trigger.
func Runs(s scrape.Sample, trigger string) float64 {
	return s.Sum("trimtab_runs_total", label, controller, "trigger", trigger)
}

// Latency returns the distribution of wait plus run of a trigger.
func Latency(s scrape.Sample, trigger string) scrape.Buckets {
	return s.Histogram("trimtab_latency_seconds", label, controller, "trigger", trigger)
}

// Depth returns how many requests wait for a worker whose strongest cause is
// that trigger.
func Depth(s scrape.Sample, trigger string) float64 {
	return s.Sum("trimtab_queue_depth", label, controller, "trigger", trigger)
}

// Comparison compares the trigger sources, over objects objects.
func Comparison(s scrape.Sample, objects int) []string {
	rows := [][]string{{
		"trigger", "events", "runs", "P50", "P95", "P99",
		"mean wait", "mean delay", "requeues/object", "API calls/run",
	}}
	for _, trigger := range shown(s) {
		rows = append(rows, comparisonRow(s, trigger, objects))
	}
	return append(Table(rows),
		"",
		"events       adds to the queue, also those that met a request already waiting there",
		"P50 P95 P99  latency = wait + run, interpolated linearly within the histogram's buckets",
		"wait         the part of latency spent ready, waiting for a worker",
		"delay        deliberate, before that and no part of latency: backoff, time to renewal",
		"API calls    by the client, also those that its cache answers; in brackets the writes",
	)
}

// Rotation tells what became of the users' changes during a resync, by samples
// from before and after it.
func Rotation(before, after scrape.Sample) string {
	primary := Latency(after, "primary").Since(Latency(before, "primary"))
	resync := Latency(after, "resync").Since(Latency(before, "resync"))
	return fmt.Sprintf("while the CA was replaced: %s runs for changes by users, P99 %s, among %s for the resync, P99 %s",
		number(primary.Count()), Seconds(primary.Quantile(0.99)),
		number(resync.Count()), Seconds(resync.Quantile(0.99)))
}

// shown adds the sources that the demo does not set off if they ran all the same.
func shown(s scrape.Sample) []string {
	triggers := Triggers()
	for _, other := range []string{"external", "unknown"} {
		if Runs(s, other) > 0 {
			triggers = append(triggers, other)
		}
	}
	return triggers
}

func comparisonRow(s scrape.Sample, trigger string, objects int) []string {
	sum := func(name string, labels ...string) float64 {
		return s.Sum(name, append(labels, label, controller, "trigger", trigger)...)
	}
	runs, latency := Runs(s, trigger), Latency(s, trigger)
	return []string{
		trigger,
		number(sum("trimtab_adds_total")),
		number(runs),
		Seconds(latency.Quantile(0.50)),
		Seconds(latency.Quantile(0.95)),
		Seconds(latency.Quantile(0.99)),
		Seconds(sum("trimtab_phase_seconds_total", "phase", "wait") / runs),
		Seconds(sum("trimtab_delay_seconds") / s.Histogram("trimtab_delay_seconds", label, controller, "trigger", trigger).Count()),
		requeues(s, trigger, objects),
		calls(s, trigger, runs),
	}
}

// calls per run, and in brackets those that change something.
func calls(s scrape.Sample, trigger string, runs float64) string {
	const name = "trimtab_api_calls_total"
	all := s.Sum(name, label, controller, "trigger", trigger)
	reads := s.Sum(name, label, controller, "trigger", trigger, "verb", "get") +
		s.Sum(name, label, controller, "trigger", trigger, "verb", "list")
	if runs == 0 {
		return none
	}
	return fmt.Sprintf("%.1f (%.1f)", all/runs, (all-reads)/runs)
}

// requeues belong to the trigger that they become: a run that asks for another
// later is a periodic one's cause, a run that failed is a retry's.
func requeues(s scrape.Sample, trigger string, objects int) string {
	if trigger != "retry" && trigger != "periodic" {
		return none
	}
	return ratio(s.Sum("trimtab_requeues_total", label, controller, "reason", trigger), float64(objects))
}
