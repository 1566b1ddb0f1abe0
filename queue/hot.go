package queue

import (
	"math/rand/v2"
	"time"

	"github.com/trimtab/trimtab/internal/topk"
)

const (
	// hotKeys is how many requests are watched. Metrics name 20 of them; a fleet of
	// equal pollers would crowd a hot request out of so few.
	hotKeys = 200

	// hotWindow is the time after which what was counted is worth half: as long as a
	// person looks back at a graph, and a request that has calmed down is gone from
	// the list in an hour or two.
	hotWindow = 10 * time.Minute

	// hotRun is the length of a run from which its time is counted as it is. Of shorter
	// ones so many are counted, as this long, that the sum is right: they can be a
	// million in a second, and a place in the list costs as much as the queue does.
	hotRun = time.Millisecond
)

// hotList finds the requests that are requeued most, and those whose runs take most
// of the workers' time.
type hotList[T comparable] struct {
	requeues *topk.Sketch[T]
	busy     *topk.Sketch[T] // in nanoseconds
	halved   time.Duration   // when last
}

func newHotList[T comparable]() hotList[T] {
	return hotList[T]{requeues: topk.New[T](hotKeys), busy: topk.New[T](hotKeys)}
}

// requeued counts a requeue of request at now.
func (h *hotList[T]) requeued(request T, now time.Duration) {
	h.decay(now)
	h.requeues.Add(request, 1)
}

// ran counts a run that ended at now, and forgets a request whose object is gone.
func (h *hotList[T]) ran(r *run[T], now time.Duration) {
	if r.object.Gone {
		h.requeues.Remove(r.key)
		h.busy.Remove(r.key)
		return
	}
	took := now - r.started
	if took < hotRun {
		if rand.Int64N(int64(hotRun)) >= int64(took) {
			return
		}
		took = hotRun
	}
	h.decay(now)
	h.busy.Add(r.key, uint64(took))
}

// decay halves what was counted, once for each window that is over at now.
func (h *hotList[T]) decay(now time.Duration) {
	over := now - h.halved
	windows := int(over / hotWindow)
	if windows == 0 {
		return
	}
	h.halved = now - over%hotWindow
	for range min(windows, 64) { // Then nothing is left.
		h.requeues.Halve()
		h.busy.Halve()
	}
}

// mostRequeued returns the requests that were requeued most at now.
func (h *hotList[T]) mostRequeued(now time.Duration) []Hot[T] {
	h.decay(now)
	var hot []Hot[T]
	for _, e := range h.requeues.Top() {
		if e.Sure() > 0 {
			hot = append(hot, Hot[T]{Request: e.Key, Requeues: e.Sure()})
		}
	}
	return hot
}

// busiest returns the requests whose runs took most time at now.
func (h *hotList[T]) busiest(now time.Duration) []Busy[T] {
	h.decay(now)
	var busy []Busy[T]
	for _, e := range h.busy.Top() {
		if e.Sure() > 0 {
			busy = append(busy, Busy[T]{Request: e.Key, Time: time.Duration(e.Sure())})
		}
	}
	return busy
}
