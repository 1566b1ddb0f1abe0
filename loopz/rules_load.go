package loopz

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/trimtab/trimtab/trigger"
)

// tooFewWorkers is raised if what comes asks for more than the workers can do calmly.
func tooFewWorkers(w *window) (Advice, bool) {
	d, workers := w.demand(), w.status.Queue.Workers
	if !w.enough() || d.runs < enoughRuns || workers < 1 || d.busy <= TargetUtilisation*float64(workers) {
		return Advice{}, false
	}
	needed, err := Workers(d.rate, d.service(), TargetUtilisation)
	if err != nil {
		return Advice{}, false
	}
	return Advice{
		Rule: "workers",
		Text: fmt.Sprintf("In the last %s, %s runs a second of %s each asked for %s of %s, %s of their time; above %s requests begin to queue up.",
			w.last(), number(d.rate), span(d.service()), number(d.busy), plural(workers, "worker"), percent(d.busy/float64(workers)), percent(TargetUtilisation)),
		Setting: fmt.Sprintf("controller.Options.MaxConcurrentReconciles: %d, now %d; or shorter runs", needed, workers),
	}, true
}

// shortPeriod is raised if most of that are timers: then a longer period helps, too.
func shortPeriod(w *window) (Advice, bool) {
	i := int(trigger.Periodic)
	d, all, workers := w.demandOf(i), w.demand(), w.status.Queue.Workers
	t := &w.counted.Triggers[i]
	if !w.enough() || d.runs < enoughRuns || t.Deliveries == 0 || t.Delay == 0 || workers < 1 ||
		all.busy <= TargetUtilisation*float64(workers) || d.busy < all.busy/2 {
		return Advice{}, false
	}
	needed, err := Workers(all.rate, all.service(), TargetUtilisation)
	if err != nil {
		return Advice{}, false
	}
	period := t.Delay / time.Duration(t.Deliveries)
	text := fmt.Sprintf("In the last %s, timers of %s on average asked for %s runs a second of %s each, all in all for %s of %s, %s of their time; above %s they come late.",
		w.last(), span(period), number(d.rate), span(d.service()), number(all.busy), plural(workers, "worker"), percent(all.busy/float64(workers)), percent(TargetUtilisation))
	setting := fmt.Sprintf("controller.Options.MaxConcurrentReconciles: %d, now %d", needed, workers)
	// What is left of the workers for timers, when the other triggers have what they ask for.
	if left := TargetUtilisation*float64(workers) - (all.busy - d.busy); left > 0 {
		objects := d.rate * (period + d.service()).Seconds()
		longer := time.Duration(objects * d.service().Seconds() / left * float64(time.Second))
		setting += fmt.Sprintf("; or a RequeueAfter of at least %s", span(longer))
	}
	return Advice{Rule: "period", about: "workers", Text: text, Setting: setting}, true
}

// drainWithin is how soon a queue that is too deep should be empty: what the workers
// clear within a minute is what a queue is for.
const drainWithin = time.Minute

// tooDeep is raised if the queue has been too deep for a minute.
func tooDeep(w *window) (Advice, bool) {
	q := &w.status.Queue
	urgent := queueOf(w.status).Urgent
	if q.OverFor < drainWithin || urgent <= w.status.SaturationDepth {
		return Advice{}, false
	}
	text := fmt.Sprintf("%d requests are ready, resyncs aside, and for %s there have been more than %d", urgent, span(q.OverFor), w.status.SaturationDepth)
	d := w.demand()
	if !w.enough() || d.runs < enoughRuns {
		return Advice{Rule: "depth", Text: text + ".", Setting: "controller.Options.MaxConcurrentReconciles: more, or fewer events"}, true
	}
	growth := -w.growth[trigger.Resync]
	for _, n := range w.growth {
		growth += n
	}
	perSecond := float64(growth) / w.over.Seconds()
	slow := float64(urgent) / time.Hour.Seconds() // To wait an hour is to wait in vain.
	switch {
	case perSecond < -slow:
		text += fmt.Sprintf(". At %s fewer a second they are served in %s.", number(-perSecond), span(time.Duration(float64(urgent)/-perSecond*float64(time.Second))))
	case perSecond > slow:
		text += fmt.Sprintf(". They grow by %s a second: at this rate they are never all served.", number(perSecond))
	default:
		text += ". They do not get fewer: at this rate they are never all served."
	}
	needed, err := Workers(d.rate+float64(urgent)/drainWithin.Seconds(), d.service(), 1)
	if err != nil {
		return Advice{}, false
	}
	return Advice{
		Rule:    "depth",
		Text:    text,
		Setting: fmt.Sprintf("controller.Options.MaxConcurrentReconciles: %d, now %d, serves them within %s, %s runs a second of %s each beside", needed, q.Workers, span(drainWithin), number(d.rate), span(d.service())),
	}, true
}

// saturatedClient is raised if the writes of one kind are about as many as the client
// lets through. Reads are not counted: most come from a cache.
func saturatedClient(w *window, qps float64) (Advice, bool) {
	if !w.enough() || qps <= 0 {
		return Advice{}, false
	}
	byKind, kind, all := map[string]uint64{}, "", uint64(0)
	for _, c := range w.counted.Calls {
		switch c.Verb {
		case "get", "list", "watch", "other":
			continue
		}
		name, _, _ := strings.Cut(c.Kind, "/") // A subresource shares the client of its kind.
		byKind[name] += c.Calls
		all += c.Calls
		if byKind[name] > byKind[kind] {
			kind = name
		}
	}
	rate := w.rate(byKind[kind])
	if byKind[kind] < enoughRuns || rate < TargetUtilisation*qps {
		return Advice{}, false
	}
	var writing time.Duration
	for i := range w.counted.Triggers {
		writing += w.counted.Triggers[i].Phases.Write + w.counted.Triggers[i].Phases.Status
	}
	return Advice{
		Rule: "qps",
		Text: fmt.Sprintf("In the last %s, %s was written %s times a second, %s of the %s that the client lets through; beyond that calls wait in the client. A write took %s on average.",
			w.last(), kind, number(rate), percent(rate/qps), number(qps), span(writing/time.Duration(max(1, all)))),
		Setting: fmt.Sprintf("rest.Config.QPS: -1, which leaves it to the API server, or %d, with a Burst of as many", int(math.Ceil(2*rate))),
	}, true
}
