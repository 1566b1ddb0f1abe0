package queue

import (
	"time"

	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"

	"github.com/trimtab/trimtab/trigger"
)

// Add queues request at once.
func (q *Queue[T]) Add(request T) { q.AddWithOpts(priorityqueue.AddOpts{}, request) }

// AddAfter queues request for a later time; zero or a negative delay means at once.
func (q *Queue[T]) AddAfter(request T, after time.Duration) {
	q.AddWithOpts(priorityqueue.AddOpts{After: after}, request)
}

// AddRateLimited counts a failure of request and queues it when the rate limiter
// says. It is for failures only: an event that is added like this raises the
// backoff of a request that never failed.
func (q *Queue[T]) AddRateLimited(request T) {
	q.AddWithOpts(priorityqueue.AddOpts{RateLimited: true}, request)
}

// AddWithOpts queues requests. What is not the echo of a run counts as Primary,
// or as Resync if it has the low priority that controller-runtime gives to the
// initial list and to resyncs. After together with RateLimited takes the shorter
// delay. For a request that is queued already, the higher priority and the
// earlier time win.
func (q *Queue[T]) AddWithOpts(o priorityqueue.AddOpts, requests ...T) {
	q.addAll(trigger.Primary, true, o, requests)
}

// AddWithSource is AddWithOpts for a caller that knows the source; package
// handler calls it. Without o.Priority the source's own priority counts. It is
// never taken for the echo of a run.
func (q *Queue[T]) AddWithSource(source trigger.Source, o priorityqueue.AddOpts, requests ...T) {
	q.addAll(source, false, o, requests)
}

func (q *Queue[T]) addAll(source trigger.Source, mayEcho bool, o priorityqueue.AddOpts, requests []T) {
	// A controller always names the priority of what it adds.
	mayEcho = mayEcho && o.Priority != nil
	if o.RateLimited && q.ShuttingDown() {
		return // It counts as no failure.
	}
	for _, request := range requests {
		var d decision
		var ok bool
		after := o.After
		if o.RateLimited {
			if d, after, ok = q.limited(mayEcho, o, request); !ok {
				continue
			}
		}
		if d, ok = q.add(source, mayEcho && !o.RateLimited, o, after, d, request, q.group(request)); !ok {
			return
		}
		q.observer.Added(d.source, d.merged)
		if d.echo {
			q.observer.Requeued(d.source)
		}
	}
}

// HandlerPanicked tells the queue's observer that an event handler panicked.
func (q *Queue[T]) HandlerPanicked(source trigger.Source) { q.observer.HandlerPanicked(source) }

// decision is what an add turned out to be.
type decision struct {
	source   trigger.Source
	priority int
	echo     bool // of a run in flight
	limited  bool // rate limited
	merged   bool // with what was queued already
	again    bool // soon, and during the request's own run or just after
}

// add reports false if the queue is closed. d is not zero if the add is known to be
// the echo of a run; group is that of the request.
func (q *Queue[T]) add(source trigger.Source, mayEcho bool, o priorityqueue.AddOpts, after time.Duration, d decision, request T, group *string) (decision, bool) {
	q.mu.Lock()
	defer q.unlock()
	if q.closed {
		return decision{}, false
	}
	q.series.delayed(after)
	now := q.now()
	q.advance(now) // The timer may be late.
	it := q.items.obtain(request)
	q.wakeUp(it)
	if it.group == nil { // It is new.
		it.group = q.groups.join(group)
	}
	if !d.echo {
		d = decide(it, source, mayEcho, o)
	}
	d.merged, d.limited = it.place != nowhere, o.RateLimited
	d.again = q.loops.again(it, now, after)
	if d.echo {
		q.hot.requeued(request, now)
	}

	switch it.place {
	case nowhere, resting:
		q.addNew(it, d, now, after)
	case delayed:
		q.addToDelayed(it, d, now, after)
	case ready, parked:
		q.addToReady(it, d, now, after)
	}
	return d, true
}

func (q *Queue[T]) addNew(it *item[T], d decision, now, after time.Duration) {
	it.priority, it.seq = d.priority, q.nextSeq()
	q.extras.begin(it, d, now)
	if q.opts.GiveUp > 0 && it.lastClass == 0 && it.run() == nil {
		it.lastClass = q.classes.number(q.failing.lastClass(it.key))
	}
	if due := q.ask(it, never, d, now, after); due > now {
		it.due = due
		q.setDelayed(it, now)
		return
	}
	q.setReady(it, now)
}

// addToReady merges an add into an item that is ready. A delay is moot then, and
// what was asked for later did not cause the run that comes now.
func (q *Queue[T]) addToReady(it *item[T], d decision, now, after time.Duration) {
	inLevel := it.place == ready
	if d.priority > it.priority {
		if inLevel {
			q.ready.remove(it)
		}
		q.series.raised(it.priority, d.priority)
		it.priority, it.seq = d.priority, q.nextSeq()
		if inLevel {
			q.ready.push(it)
		}
	}
	if after > 0 {
		q.holdParked(it, d, now, after)
		return
	}
	if inLevel {
		q.ready.count(it, -1)
		q.extras.cause(it, d, now)
		q.ready.count(it, 1)
		q.watchDepth(now)
	} else {
		q.extras.cause(it, d, now)
	}
}

// addToDelayed merges an add into an item that waits for its time.
func (q *Queue[T]) addToDelayed(it *item[T], d decision, now, after time.Duration) {
	if d.priority > it.priority {
		it.priority, it.seq = d.priority, q.nextSeq()
	}
	due := q.ask(it, it.due, d, now, after)
	if due >= it.due {
		q.extras.cause(it, d, now)
		it.due = due              // A debounce puts it off.
		q.delayed.fix(it.index()) // The priority decides among those of one time.
		return
	}
	// What the item waited for has not come: it is not among the causes.
	q.extras.begin(it, d, now)
	q.extras.recall(it)
	if due > now {
		it.due = due
		q.delayed.fix(it.index())
		q.arm(now)
		return
	}
	q.delayed.remove(it.index())
	it.place = nowhere
	q.setReady(it, now)
}

// later returns now + after, or the end of time.
func later(now, after time.Duration) time.Duration {
	if after > never-now {
		return never
	}
	return now + after
}
