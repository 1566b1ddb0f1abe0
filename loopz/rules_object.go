package loopz

import (
	"fmt"
	"time"

	"github.com/trimtab/trimtab/trigger"
)

const (
	// A hot object has so many requeues, and so many times those of the one in the
	// middle of the others.
	hotRequeues = 20
	hotTimes    = 5

	// stuckAfter is how long a run goes on before it looks stuck where no deadline says
	// so.
	stuckAfter = 10 * time.Minute
)

// hotLoop is raised if the queue has found requests that run in a hot loop.
func hotLoop(w *window) (Advice, bool) {
	loops := w.status.Queue.HotLoops
	if len(loops) == 0 {
		return Advice{}, false
	}
	return Advice{
		Rule:    "hot-loop",
		Text:    fmt.Sprintf("%s %s more than 120 times a minute, each time since something changed during the run before or just after: the reconciler seems to write what it watches.", names(loops), verb(len(loops), "runs", "run")),
		Setting: "a write only when something differs, and builder.WithPredicates(predicate.SpecChanged()); until then trimtab.Options.Queue.HotLoopDelay",
	}, true
}

// hotObject is raised if one object fails on and on, or is requeued far more often
// than the others.
func hotObject(w *window) (Advice, bool) {
	hot := w.status.Queue.Hot
	if len(hot) == 0 || len(w.status.Hot) == 0 || hot[0].Requeues < hotRequeues {
		return Advice{}, false
	}
	first, known := hot[0], w.status.Hot[0]
	others, usual := len(hot)-1, w.status.OtherRequeues
	// Where there are few others, a lone poller stands out as well.
	if first.Requeues < hotTimes*usual || known.Attempts == 0 && others < 3 {
		return Advice{}, false
	}
	text := fmt.Sprintf("%s was requeued at least %d times of late", first.Request, first.Requeues)
	if others > 0 {
		text += fmt.Sprintf(", the one in the middle of the others %d times", usual)
	}
	if known.Attempts == 0 {
		return Advice{Rule: "hot-object", Text: text + ".", Setting: "its RequeueAfter; or trimtab.Options.Queue.MinInterval"}, true
	}
	text += fmt.Sprintf("; it has failed %d times in a row", known.Attempts)
	if known.LastClass != "" {
		text += ", last with " + known.LastClass
	}
	return Advice{
		Rule:    "hot-object",
		Text:    text + ".",
		Setting: "the object, or what it needs; a longer MaxDelay of trimtab.Options.RateLimiter, or trimtab.Options.Queue.GiveUp",
	}, true
}

// overrun is raised if runs have passed their deadline.
func overrun(w *window) (Advice, bool) {
	n, now := w.counted.Overruns, w.status.Totals.Overdue
	if n == 0 && now == 0 || w.status.Deadline <= 0 {
		return Advice{}, false
	}
	text := fmt.Sprintf("In the last %s, %s passed the deadline of %s", w.last(), plural(int(n), "run"), span(w.status.Deadline))
	if now > 0 {
		text += fmt.Sprintf("; %d of those are still in flight", now)
	}
	text += "."
	if len(w.status.Slow) > 0 {
		slow := w.status.Slow[0]
		phase, d := longest(slow.Run.Phases)
		text += fmt.Sprintf(" The slowest, of %s, took %s, of it %s in %s.", slow.Request, span(slow.Run.Phases.Total()), span(d), phase)
	}
	return Advice{Rule: "deadline", Text: text, Setting: "a context for each call that is slow; or a longer trimtab.Options.Reconcile.Deadline.Timeout"}, true
}

// longest returns the phase of a run that took longest.
func longest(p trigger.Phases) (phase string, d time.Duration) {
	phase, d = "compute", p.Compute
	for _, other := range []struct {
		name string
		d    time.Duration
	}{{"read", p.Read}, {"write", p.Write}, {"status", p.Status}} {
		if other.d > d {
			phase, d = other.name, other.d
		}
	}
	return phase, d
}

// stuck is raised if a run goes on and on, and no deadline would end it.
func stuck(w *window) (Advice, bool) {
	runs := w.status.Queue.Runs
	if len(runs) == 0 || runs[0].Age < stuckAfter || w.status.Deadline > 0 {
		return Advice{}, false
	}
	return Advice{
		Rule:    "stuck",
		Text:    fmt.Sprintf("The run of %s has been going on for %s and keeps one of %s; no deadline ends it.", runs[0].Request, span(runs[0].Age), plural(w.status.Queue.Workers, "worker")),
		Setting: "trimtab.Options.Reconcile.Deadline.Timeout, such as one minute",
	}, true
}
