package queue_test

import (
	"slices"
	"time"

	"github.com/trimtab/trimtab/trigger"
)

// What the rules say where they are in force.
const (
	modelDebounce    = 15 * ms
	modelDebounceMax = 40 * ms
	modelMinInterval = 25 * ms
)

// setHolds sets the rules that hold requests back: those that a byte stands for.
func (r *rules) setHolds(b byte) {
	r.debounce = b&1 > 0
	switch b >> 1 & 3 {
	case 1:
		r.holds = trigger.SetOf(trigger.Watched)
	case 2:
		r.holds = trigger.All &^ trigger.SetOf(trigger.Primary)
	}
	if b&8 > 0 {
		r.minInterval = modelMinInterval
	}
}

// cause is an add that causes a run.
type cause struct {
	source trigger.Source
	at     time.Duration
	came   bool // it asks for no delay
}

// endless is a time that does not come.
const endless = time.Duration(1 << 62)

// delay merges an add into an item that waits for its time.
func (m *model) delay(it *modelItem, source trigger.Source, after time.Duration, echo, limited bool) {
	switch {
	case it.backoff && !limited && m.holds.Has(source):
	case m.debounce && source == trigger.Watched && after == 0 && !echo && !limited:
		if it.push == endless {
			it.first = m.now
		}
		it.push = min(m.now+modelDebounce, it.first+modelDebounceMax)
	default:
		it.wish = min(it.wish, m.now+after)
		it.backoff = it.backoff || limited && after > 0
		if came := it.came(); echo && limited && after > 0 && m.held(came) {
			it.push = endless
		}
	}
	due := m.due(it)
	if due < it.due { // What it waited for has not come.
		it.causes, it.ownRun = it.came(), 0
	}
	m.merge(it, source, after == 0)
	if it.due = due; due <= m.now {
		it.stand()
	}
}

// due is when an item that waits for its time becomes ready.
func (m *model) due(it *modelItem) time.Duration {
	return max(m.rested[it.key], min(it.wish, it.push))
}

// merge adds a cause.
func (m *model) merge(it *modelItem, source trigger.Source, came bool) {
	it.causes = append(it.causes, cause{source, m.now, came})
	it.sources, it.added = 0, endless
	for _, c := range it.causes {
		strongest, ok := it.sources.Strongest()
		if !ok || c.source < strongest {
			it.caused = c.at
		}
		it.sources = it.sources.With(c.source)
		it.added = min(it.added, c.at)
	}
}

// held says whether a retry holds what all of the causes, if there are any, ask for.
func (m *model) held(causes []cause) bool {
	return len(causes) > 0 && !slices.ContainsFunc(causes, func(c cause) bool { return !m.holds.Has(c.source) })
}

func (it *modelItem) came() []cause {
	var came []cause
	for _, c := range it.causes {
		if c.came {
			came = append(came, c)
		}
	}
	return came
}

// stand makes an item ready.
func (it *modelItem) stand() {
	it.ready, it.backoff, it.wish, it.push = true, false, endless, endless
}

// hold lets an item that is ready wait for a time.
func (it *modelItem) hold(due time.Duration) {
	it.ready, it.wish, it.due = false, due, due
	for i := range it.causes {
		it.causes[i].came = true
	}
}

// rest lets key, whose run has just ended, rest.
func (m *model) rest(key string) {
	if m.minInterval == 0 {
		return
	}
	m.rested[key] = m.now + m.minInterval
	it := m.queued[key]
	if it == nil {
		return
	}
	if it.ready {
		it.hold(it.due)
	}
	it.due = m.due(it)
}
