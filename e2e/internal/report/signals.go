package report

import (
	"fmt"
	"math"
	"time"

	"github.com/trimtab/trimtab/e2e/internal/scrape"
)

// ObjectRequeues is the gauge of how often an object was requeued since the
// operator's start.
const ObjectRequeues = "trimtab_object_requeues"

const (
	// prompt is how soon a user's change should be in effect.
	prompt = 1.0

	// patience is how long a queue may be deep before it counts as not keeping up.
	patience = time.Minute

	// hot is how many times the mean an object's requeues may be.
	hot = 10
)

// Signals shows the four golden signals with a verdict on each. The totals'
// gauges are as of now, but ObjectRequeues, which is over all restarts.
func Signals(totals scrape.Sample, peaks Peaks, objects int) []string {
	return TableLeft([][]string{
		{"golden signal", "", "verdict"},
		latencySignal(totals),
		depthSignal(totals, peaks),
		requeueSignal(totals, objects),
		workerSignal(totals, peaks),
	})
}

func latencySignal(s scrape.Sample) []string {
	all := s.Histogram("trimtab_latency_seconds", label, controller).Quantile(0.99)
	primary := Latency(s, "primary").Quantile(0.99)
	value := fmt.Sprintf("P99 %s, primary %s", Seconds(all), Seconds(primary))
	switch {
	case math.IsNaN(primary):
		return signal("latency", value, "unknown: no user changed anything")
	case primary > prompt:
		return signal("latency", value, "slow: 1 in 100 changes of a user takes over "+Seconds(prompt))
	}
	return signal("latency", value, "good: 99 in 100 changes of a user are served within "+Seconds(primary))
}

func depthSignal(s scrape.Sample, p Peaks) []string {
	now := s.Sum("trimtab_queue_depth", label, controller)
	value := fmt.Sprintf("%s now, peak %s (limit %d)", number(now), number(p.Depth), depthLimit)
	switch {
	case now > depthLimit:
		return signal("queue depth", value, "not keeping up: above the limit now")
	case p.TooDeep >= patience:
		return signal("queue depth", value, "not keeping up: above the limit for "+Seconds(p.TooDeep.Seconds()))
	case p.Depth > depthLimit:
		return signal("queue depth", value, fmt.Sprintf("good: a burst, %s of it resync; above the limit for %s at most",
			number(p.Resync), Seconds(p.TooDeep.Seconds())))
	}
	return signal("queue depth", value, "good: never above the limit")
}

func requeueSignal(s scrape.Sample, objects int) []string {
	mean := s.Sum("trimtab_requeues_total", label, controller) / float64(max(objects, 1))
	hottest := s.Max(ObjectRequeues, label, controller)
	object := hottest.Labels["object"]
	value := fmt.Sprintf("mean %.1f, most %s", mean, number(hottest.Value))
	switch {
	case hottest.Value <= mean: // known "at the least", and so of use only for what stands out
		return signal("requeues per object", fmt.Sprintf("mean %.1f", mean), "good: no object stands out")
	case hottest.Value > hot*max(mean, 1):
		return signal("requeues per object", value, "uneven: look at "+object)
	}
	return signal("requeues per object", value, "good: none far from the mean, the most by "+object)
}

func workerSignal(s scrape.Sample, p Peaks) []string {
	now := s.Sum("trimtab_workers_busy", label, controller)
	value := fmt.Sprintf("%s now, peak %s of %s", number(now), number(p.Busy), number(p.Limit))
	switch {
	case p.Saturated:
		return signal("concurrent reconciles", value, "too few: requests waited over a minute with all workers busy")
	case p.Busy >= p.Limit:
		return signal("concurrent reconciles", value, "good: all busy in bursts, never for long")
	}
	return signal("concurrent reconciles", value, "good: never all busy")
}

func signal(name, value, verdict string) []string {
	return []string{name, value, verdict}
}
