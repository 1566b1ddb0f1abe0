package loopz

import (
	"cmp"
	"time"

	"github.com/trimtab/trimtab/trigger"
)

// enoughRuns is how many runs a rule needs to speak of what runs do: of fewer, one
// alone weighs too much.
const enoughRuns = 30

// advise returns what there is to change: what the last minute says, then what only
// the last minutes say. Qps is that of the client, zero if there is no limit.
func advise(recent, long *window, qps float64) []Advice {
	all := adviseOn(recent, qps)
	said := map[string]bool{}
	for _, a := range all {
		said[a.about] = true
	}
	for _, a := range adviseOn(long, qps) {
		if !said[a.about] {
			all = append(all, a)
		}
	}
	return all
}

// adviseOn returns what there is to change, the most urgent first, and what follows
// from another left out. It is drawn from what was counted in w, and not from too
// little of that.
func adviseOn(w *window, qps float64) []Advice {
	all := []Advice{}
	add := func(a Advice, raised bool) bool {
		if raised {
			a.about = cmp.Or(a.about, a.Rule)
			all = append(all, a)
		}
		return raised
	}
	add(stuck(w))
	add(overrun(w))
	add(hotLoop(w))
	if !add(shortPeriod(w)) { // Then all the rest of them stands in the queue.
		add(tooFewWorkers(w))
		add(tooDeep(w))
	}
	add(saturatedClient(w, qps))
	add(hotObject(w))
	add(longBackoff(w))
	for i := range w.counted.Triggers {
		add(noOps(w, i))
	}
	return all
}

// enough reports whether w is long enough to draw rates from.
func (w *window) enough() bool { return w.over >= enoughTime }

// demand is what one or more triggers ask of the workers.
type demand struct {
	rate float64 // runs in a second that are asked for, whether they are served or not
	busy float64 // workers that they would keep busy
	runs uint64  // that it is known from
}

// service is how long one of the runs takes.
func (d demand) service() time.Duration {
	if d.rate <= 0 {
		return 0
	}
	return time.Duration(d.busy / d.rate * float64(time.Second))
}

// demand returns what all triggers but Resync ask for: nobody waits for a resync.
func (w *window) demand() demand {
	var sum demand
	for i := range w.counted.Triggers {
		if i == int(trigger.Resync) {
			continue
		}
		d := w.demandOf(i)
		sum.rate, sum.busy, sum.runs = sum.rate+d.rate, sum.busy+d.busy, sum.runs+d.runs
	}
	return sum
}

// demandOf is what the trigger at index i asks for: what ran, and what came beyond
// that and stands in the queue. Timers are set when a run ends, so that those of a
// fleet wait for its workers rather than pile up: they ask for the runs that there
// would be without that wait.
func (w *window) demandOf(i int) demand {
	t := &w.counted.Triggers[i]
	if t.Runs == 0 || w.over <= 0 {
		return demand{}
	}
	service := t.Phases.Total().Seconds() / float64(t.Runs)
	rate := float64(t.Runs) / w.over.Seconds()
	switch {
	case i == int(trigger.Periodic) && t.Deliveries > 0:
		cycle := t.Delay.Seconds()/float64(t.Deliveries) + service
		if wait := t.Wait.Seconds() / float64(t.Deliveries); cycle > 0 {
			rate *= (cycle + wait) / cycle
		}
	case i < trigger.Count:
		rate += float64(max(0, w.growth[i])) / w.over.Seconds()
	}
	return demand{rate: rate, busy: rate * service, runs: t.Runs}
}
