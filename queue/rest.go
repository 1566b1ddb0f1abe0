package queue

import "time"

// rests reports whether requests may rest between two runs.
func (q *Queue[T]) rests() bool { return q.longestRest() > 0 }

func (q *Queue[T]) longestRest() time.Duration { return max(q.opts.MinInterval, q.opts.HotLoopDelay) }

// restFor returns how long it is to rest after a run that has just ended.
func (q *Queue[T]) restFor(it *item[T]) time.Duration {
	if w := q.loops.of(it); w != nil && w.hot {
		return q.longestRest()
	}
	return q.opts.MinInterval
}

// rest keeps it, whose run has ended at now, from its next run for that long. What
// is neither ready nor delayed rests by itself and is forgotten then.
func (q *Queue[T]) rest(it *item[T], now, long time.Duration) {
	pending := never
	if it.place == delayed {
		pending = it.due
	}
	h := q.holdOf(it, pending)
	h.rested = later(now, long)
	switch it.place {
	case parked:
		h.wish = it.due
		q.extras.of(it).ownRun = now - it.due
		q.unpark(it)
		it.due = h.due()
		q.setDelayed(it, now)
	case delayed:
		it.due = h.due()
		q.delayed.fix(it.index())
		q.arm(now)
	default:
		it.place, it.due = resting, h.rested
		q.resting.push(it)
		q.arm(now)
	}
}

// wakeUp ends the rest of it, for an add: it must not run before that is over.
func (q *Queue[T]) wakeUp(it *item[T]) {
	if it.place == resting {
		q.resting.remove(it.index())
		it.place = nowhere
	}
}

// sweep forgets what has rested. Other items may move.
func (q *Queue[T]) sweep(now time.Duration) {
	for {
		it := q.resting.top()
		if it == nil || it.due > now {
			return
		}
		q.resting.remove(0)
		it.place = nowhere
		q.release(it)
	}
}

// nextWake returns when the timer must fire, or never. Who has rested need not be
// forgotten at once: the timer fires a few times for all of them.
func (q *Queue[T]) nextWake() time.Duration {
	wake := never
	if it := q.delayed.top(); it != nil {
		wake = it.due
	}
	if it := q.resting.top(); it != nil {
		wake = min(wake, later(it.due, q.longestRest()/8))
	}
	return wake
}
