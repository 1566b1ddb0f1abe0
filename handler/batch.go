package handler

import (
	"math"
	"sync"
	"time"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/handler"

	"github.com/trimtab/trimtab/trigger"
)

// batch keeps what is added until the event is over, since only then it is known
// over how many the time is to be shared. It is a PriorityQueue on any queue, so
// that the handlers of controller-runtime give it priorities.
type batch[request comparable] struct {
	priorityqueue.PriorityQueue[request]

	mu       sync.Mutex
	released bool // from then on what is added passes through
	adds     []add[request]
	index    map[request]int // of a request in adds
}

// add is a request and how it was added.
type add[request comparable] struct {
	request request
	opts    priorityqueue.AddOpts
}

func newBatch[request comparable](q workqueue.TypedRateLimitingInterface[request]) *batch[request] {
	return &batch[request]{
		PriorityQueue: prioritized(tag(trigger.Resync, q)),
		index:         map[request]int{},
	}
}

// HandlerPanicked counts the panic of an As within a Spread.
func (b *batch[request]) HandlerPanicked(source trigger.Source) {
	if ours, ok := b.PriorityQueue.(panicCounter); ok {
		ours.HandlerPanicked(source)
	}
}

func (b *batch[request]) Add(r request) {
	b.AddWithOpts(priorityqueue.AddOpts{}, r)
}

func (b *batch[request]) AddAfter(r request, after time.Duration) {
	b.AddWithOpts(priorityqueue.AddOpts{After: after}, r)
}

func (b *batch[request]) AddRateLimited(r request) {
	b.AddWithOpts(priorityqueue.AddOpts{RateLimited: true}, r)
}

func (b *batch[request]) AddWithOpts(o priorityqueue.AddOpts, requests ...request) {
	if o.Priority == nil {
		low := handler.LowPriority
		o.Priority = &low
	}
	o.After = max(0, o.After)
	if !b.keep(o, requests) {
		b.PriorityQueue.AddWithOpts(o, requests...)
	}
}

// keep reports false if the event is over.
func (b *batch[request]) keep(o priorityqueue.AddOpts, requests []request) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.released {
		return false
	}
	for _, r := range requests {
		if i, ok := b.index[r]; ok {
			b.adds[i].opts = merged(b.adds[i].opts, o)
			continue
		}
		b.index[r] = len(b.adds)
		b.adds = append(b.adds, add[request]{r, o})
	}
	return true
}

// merged returns the higher priority with the earlier time. A backoff, whose length
// only the queue knows, gives way to a time.
func merged(a, b priorityqueue.AddOpts) priorityqueue.AddOpts {
	if *b.Priority > *a.Priority {
		a.Priority = b.Priority
	}
	switch {
	case a.RateLimited && !b.RateLimited:
		a.RateLimited, a.After = false, b.After
	case !a.RateLimited && !b.RateLimited:
		a.After = min(a.After, b.After)
	}
	return a
}

// release ends the event: it enqueues what was added, spread over that time.
func (b *batch[request]) release(over time.Duration) {
	b.mu.Lock()
	adds := b.adds
	b.released, b.adds, b.index = true, nil, nil
	b.mu.Unlock()

	step := over / time.Duration(max(1, turns(adds)))
	turn := time.Duration(0)
	for _, a := range adds {
		if !a.opts.RateLimited {
			a.opts.After = later(a.opts.After, turn)
			turn += step
		}
		b.PriorityQueue.AddWithOpts(a.opts, a.request)
	}
}

// turns counts those among which the time is shared.
func turns[request comparable](adds []add[request]) int {
	n := 0
	for _, a := range adds {
		if !a.opts.RateLimited {
			n++
		}
	}
	return n
}

// later returns the sum of two durations, or the longest there is.
func later(a, b time.Duration) time.Duration {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// prioritized returns q as a PriorityQueue, whose priorities mean nothing if q
// is none.
func prioritized[request comparable](q workqueue.TypedRateLimitingInterface[request]) priorityqueue.PriorityQueue[request] {
	if p, ok := q.(priorityqueue.PriorityQueue[request]); ok {
		return p
	}
	return plainQueue[request]{q}
}

// plainQueue is a PriorityQueue on client-go's queue.
type plainQueue[request comparable] struct {
	workqueue.TypedRateLimitingInterface[request]
}

// AddWithOpts leaves out the priority, and of a rate limited add the delay.
func (p plainQueue[request]) AddWithOpts(o priorityqueue.AddOpts, requests ...request) {
	for _, r := range requests {
		switch {
		case o.RateLimited:
			p.AddRateLimited(r)
		case o.After > 0:
			p.AddAfter(r, o.After)
		default:
			p.Add(r)
		}
	}
}

func (p plainQueue[request]) GetWithPriority() (r request, priority int, shutdown bool) {
	r, shutdown = p.Get()
	return r, 0, shutdown
}
