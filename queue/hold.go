package queue

import (
	"time"

	"github.com/trimtab/trimtab/trigger"
)

// hold is what keeps an item back beside a delay that was asked for: a debounce, a
// retry that must not be cut short, a rest between two runs. The item is due at the
// first of wish and push, but not before it has rested. One that is only delayed has
// no hold: its wish is when it is due.
type hold struct {
	wish   time.Duration // the first time that an add asked for, or never
	push   time.Duration // when the debounce is over, or never
	latest time.Duration // push is never later
	rested time.Duration // when the rest is over
	came   came          // the adds that only the hold keeps from a run

	counted bool // the series know the item as ready
}

// came is adds that have come: they cause the run, whatever makes it start.
type came struct {
	sources       trigger.Set
	added, caused time.Duration // as of an item, as the next
	again         bool
}

// keepHolds is how many holds that nobody needs are kept for reuse.
const keepHolds = 1024

// holding says which holds a queue has.
type holding struct {
	on    bool
	spare spares[hold]
}

// holdOf returns the hold of it, a new one if it has none. An item that is delayed
// so far waits for the time pending, any other for never.
func (q *Queue[T]) holdOf(it *item[T], pending time.Duration) *hold {
	if h := it.hold(); h != nil {
		return h
	}
	h := q.holding.spare.take()
	*h = hold{wish: pending, push: never}
	q.extras.of(it).hold = h
	return h
}

// unhold ends the hold of it.
func (q *Queue[T]) unhold(it *item[T]) {
	h := it.hold()
	if h == nil {
		return
	}
	it.extra.hold = nil
	q.extras.tidy(it)
	q.holding.spare.put(h, keepHolds)
}

// ask returns when it is due after an add, which must not be ready. An item that is
// delayed so far waits for the time pending, any other for never.
func (q *Queue[T]) ask(it *item[T], pending time.Duration, d decision, now, after time.Duration) time.Duration {
	at := later(now, max(0, after))
	if !q.holding.on {
		return min(pending, at)
	}
	switch {
	case it.backoff && !d.limited && q.opts.HoldBackoff.Has(d.source):
		h := q.holdOf(it, pending)
		if after <= 0 {
			h.came.add(d, now)
		}
		return pending
	case q.debounces(d, after):
		h := q.holdOf(it, pending)
		h.came.add(d, now)
		h.debounce(now, q.opts.Debounce, q.opts.DebounceMax)
		return h.due()
	}
	it.backoff = it.backoff || d.limited && after > 0
	h := it.hold()
	if h == nil {
		return min(pending, at)
	}
	if after <= 0 {
		h.came.add(d, now)
	} else if d.retries() && q.holdsAll(h.came.sources) {
		h.push = never // The delay of the retry holds what came during the run.
	}
	h.wish = min(h.wish, at)
	return h.due()
}

// due returns when the item may become ready.
func (h *hold) due() time.Duration { return max(h.rested, min(h.wish, h.push)) }

// holdsAll reports whether a retry holds adds of all sources, of which there is one.
func (q *Queue[T]) holdsAll(sources trigger.Set) bool {
	return sources != 0 && sources&^q.opts.HoldBackoff == 0
}

// retries reports whether the add is the echo of a run that is to be retried.
func (d decision) retries() bool { return d.echo && d.limited }

// holdParked lets it, which is ready behind its own run, wait for a retry of that
// run, unless one of its causes need not, and reports whether it does. The retry is
// due after that time.
func (q *Queue[T]) holdParked(it *item[T], d decision, now, after time.Duration) bool {
	if it.place != parked || after <= 0 || !d.retries() || !q.holdsAll(it.sources) {
		return false
	}
	h := q.holdOf(it, never)
	h.wish = later(now, after)
	q.unpark(it)
	it.backoff = true
	q.extras.cause(it, d, now)
	it.due = h.due()
	q.setDelayed(it, now)
	return true
}

// unpark takes it, which has a hold, from behind its own run. All that caused it
// has come.
func (q *Queue[T]) unpark(it *item[T]) {
	h := it.hold()
	h.came = came{sources: it.sources, added: it.added, caused: it.caused(), again: it.again}
	h.counted = true
	it.place = nowhere
	q.flight.parked--
	q.series.withdrawn(it.priority)
}

// settle ends what holds it back, for it is ready now. It reports whether the series
// know that.
func (q *Queue[T]) settle(it *item[T]) (counted bool) {
	it.backoff = false
	h := it.hold()
	if h == nil {
		return false
	}
	counted = h.counted
	if q.rests() {
		*h = hold{wish: never, push: never} // It needs one after its run.
	} else {
		q.unhold(it)
	}
	return counted
}

// add notes an add at now.
func (c *came) add(d decision, now time.Duration) {
	if c.sources == 0 {
		c.added = now
	}
	c.again = c.again || d.again
	if strongest, ok := c.sources.Strongest(); !ok || d.source < strongest {
		c.caused = now
	}
	c.sources = c.sources.With(d.source)
}

// recall adds to the causes of it, which have just begun, those that had come.
func (es *extras[T]) recall(it *item[T]) {
	h := it.hold()
	if h == nil || h.came.sources == 0 {
		return
	}
	c, caused := h.came, it.caused()
	if strongest, _ := c.sources.Strongest(); strongest <= it.strongest() {
		caused = c.caused
	}
	it.added, it.again = c.added, it.again || c.again
	es.setCaused(it, caused)
	it.sources |= c.sources
}
