package loopz

import (
	"fmt"
	"time"

	"github.com/trimtab/trimtab/trigger"
)

const (
	// A source is wasted if so many runs, this share of all it caused, changed nothing,
	// and took this share of the workers' time.
	wastedRuns  = 50
	wastedShare = 0.9
	wastedTime  = 0.05

	// Backoff dominates from this share of the time of requests, in waits that are this
	// long on average: of shorter ones nobody takes notice.
	backoffShare = 0.5
	backoffMean  = time.Second
	backoffRuns  = 20
)

// noOps is raised if nearly all runs of a trigger change nothing. Those of a resync
// are meant to, and a retry is worth its try.
func noOps(w *window, i int) (Advice, bool) {
	source := trigger.Source(i)
	t := &w.counted.Triggers[i]
	if source == trigger.Resync || source == trigger.Retry || i == trigger.Count {
		return Advice{}, false
	}
	share := float64(t.NoOps) / float64(max(1, t.Runs))
	workers := max(1, w.status.Queue.Workers)
	used := t.Phases.Total().Seconds() / w.over.Seconds() / float64(workers)
	if !w.enough() || t.Runs < wastedRuns || share < wastedShare || used < wastedTime {
		return Advice{}, false
	}
	setting := "builder.WithPredicates on that watch: predicate.SpecChanged(), predicate.DataChanged() or one of your own"
	if source == trigger.Periodic {
		setting = "a longer RequeueAfter"
	}
	return Advice{
		Rule: "no-op", about: "no-op " + source.String(),
		Text: fmt.Sprintf("In the last %s, %s of %s runs caused by %s changed nothing, and took %s of the time of %s.",
			w.last(), percent(share), count(t.Runs), source, percent(used), plural(workers, "worker")),
		Setting: setting,
	}, true
}

// longBackoff is raised if what requests wait for is mostly their own backoff.
func longBackoff(w *window) (Advice, bool) {
	retries := &w.counted.Triggers[trigger.Retry]
	if !w.enough() || retries.Deliveries < backoffRuns {
		return Advice{}, false
	}
	all := retries.Delay
	for i := range w.counted.Triggers {
		t := &w.counted.Triggers[i]
		all += t.Wait + t.OwnRun + t.Phases.Total()
	}
	mean := retries.Delay / time.Duration(retries.Deliveries)
	share := retries.Delay.Seconds() / all.Seconds()
	if mean < backoffMean || share < backoffShare {
		return Advice{}, false
	}
	text := fmt.Sprintf("In the last %s, %s retries waited for %s on average: %s of the time that requests took, timers aside, is backoff.",
		w.last(), count(retries.Deliveries), span(mean), percent(share))
	setting := "trimtab.Options.RateLimiter: a shorter BaseDelay or MaxDelay, if what fails mends itself sooner"
	class, most := "", uint64(0)
	for name, n := range w.counted.Classes {
		if isFailure(name) && (n > most || n == most && name < class) {
			class, most = name, n
		}
	}
	if most > 0 {
		text += fmt.Sprintf(" Most runs that failed, %s, did so with %s.", count(most), class)
		setting += fmt.Sprintf("; ratelimit.NewByError gives %s one of its own", class)
	}
	return Advice{Rule: "backoff", Text: text, Setting: setting}, true
}
