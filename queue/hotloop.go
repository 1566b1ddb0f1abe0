package queue

import (
	"time"

	"github.com/trimtab/trimtab/internal/named"
)

// What a hot loop is. A controller that answers its own write runs as fast as the
// watch brings that back; two runs in each second are more than any object needs
// for long, and less than the slowest of such loops makes.
const (
	hotLoopRuns   = 120 // more of them in hotLoopWindow are a hot loop
	hotLoopOver   = 30  // fewer of them are none any more
	hotLoopWindow = time.Minute
	hotLoopGap    = time.Second // at most, from the end of a run to the add of the next, and the delay of that
)

// hotLoops finds the requests that run again and again, each time since they were
// added while they ran, or just after that. It looks at as many at once as it has
// room for: a loop displaces what runs now and then, and nothing displaces a loop.
type hotLoops[T comparable] struct {
	watched []watchedLoop[T] // indexed by the top bits of the hash of the key; nil if off
	delay   time.Duration    // between the runs of a hot loop
}

// watchedLoops is how many requests are watched. It is 2 to the power of the bits
// that are left of a hash after watchedShift.
const (
	watchedLoops = 256
	watchedShift = 24
)

// watchedLoop is a request that has just run.
type watchedLoop[T comparable] struct {
	key    T
	end    time.Duration // of its last run; zero if there is no request
	since  time.Duration // the start of the window, moved on by each delay of the loop in it
	runs   int           // in the window, each from an add just before
	hot    bool
	object objectAge // as its runs saw it
}

func newHotLoops[T comparable](disabled bool, delay time.Duration) hotLoops[T] {
	if disabled {
		return hotLoops[T]{}
	}
	return hotLoops[T]{watched: make([]watchedLoop[T], watchedLoops), delay: delay}
}

// of returns where it is watched, or nil if it is not.
func (h *hotLoops[T]) of(it *item[T]) *watchedLoop[T] {
	if h.watched == nil {
		return nil
	}
	if w := &h.watched[it.hash>>watchedShift]; w.end != 0 && w.key == it.key {
		return w
	}
	return nil
}

// again reports whether an add of it at now, for a run so much later, comes during its
// run or just after, and wants the next soon.
func (h *hotLoops[T]) again(it *item[T], now, after time.Duration) bool {
	if after > hotLoopGap {
		return false
	}
	if it.run() != nil {
		return true
	}
	w := h.of(it)
	return w != nil && now-w.end <= hotLoopGap
}

// ended notes that a run of it ended at now. It returns how many runs make it a hot
// loop, if it has just become one.
func (h *hotLoops[T]) ended(it *item[T], now time.Duration) int {
	w := h.of(it)
	if w == nil {
		if w = h.place(it, now); w == nil {
			return 0
		}
	}
	r := it.run()
	if w.object.older(r.object) || !r.again && !w.hot || w.hot && !h.isHot(w, now) {
		w.runs, w.since, w.hot = 0, now, false
	}
	w.end = max(1, now)
	if w.hot && r.again {
		w.since += h.delay // How often it would run without is what counts.
	}
	w.object = w.object.next(r.object)
	if now-w.since >= hotLoopWindow {
		w.hot = w.hot && w.runs >= hotLoopOver && now-w.since < 2*hotLoopWindow
		w.runs, w.since = 0, now
	}
	if !r.again {
		return 0
	}
	w.runs++
	if w.hot || w.runs <= hotLoopRuns {
		return 0
	}
	w.hot = true
	return w.runs
}

// place returns where it is watched from now on, or nil if what is watched there
// has the better right.
func (h *hotLoops[T]) place(it *item[T], now time.Duration) *watchedLoop[T] {
	if h.watched == nil {
		return nil
	}
	w := &h.watched[it.hash>>watchedShift]
	stale := now-w.end > hotLoopGap && !h.isHot(w, now)
	if w.end != 0 && !stale && (w.runs > 0 || !it.run().again) {
		return nil
	}
	*w = watchedLoop[T]{key: it.key, since: now}
	return w
}

// isHot reports whether w is a hot loop at now.
func (h *hotLoops[T]) isHot(w *watchedLoop[T], now time.Duration) bool {
	return w.hot && now < later(w.end+hotLoopWindow, h.delay)
}

// current returns the hot loops at now.
func (h *hotLoops[T]) current(now time.Duration) []T {
	var loops []T
	for i := range h.watched {
		if w := &h.watched[i]; h.isHot(w, now) {
			loops = append(loops, w.key)
		}
	}
	return loops
}

// tellHotLoop tells everybody who wants to know that request is a hot loop.
func (q *Queue[T]) tellHotLoop(request T, runs int) {
	q.observer.HotLoop()
	q.opts.Log.Info("A request runs in a hot loop: each run has come of an add during the run before or within a second after it. Does the reconciler write what it watches?",
		"queue", q.name, "request", named.Of(request), "runsInLastMinute", runs)
}
