package scale_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// resyncs follows the resyncs of a cache: from the first event of one to the last, or
// to the last run if they are admitted.
type resyncs struct {
	objects  int
	admitted atomic.Bool // whether the predicate is to pass them
	ended    chan resynced

	mu      sync.Mutex
	waiting []bool // the objects that have had an event, and no run after it
	left    int    // how many these are
	events  int    // of the resync that goes on
	first   time.Time
}

// resynced is a resync that has ended.
type resynced struct {
	took        time.Duration
	processors  time.Duration // all that the process had until its end
	allocations float64       // and that it had made
}

// saw tells that an object has had its event.
func (r *resyncs) saw(i int, admitted bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.events == r.objects {
		r.events = 0
	}
	if r.events++; r.events == 1 {
		r.first = time.Now()
	}
	if admitted && !r.waiting[i] {
		r.waiting[i] = true
		r.left++
	}
	r.end()
}

// ran tells that an object has had a run.
func (r *resyncs) ran(i int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.waiting[i] {
		r.waiting[i] = false
		r.left--
		r.end()
	}
}

// going reports whether there are runs to come.
func (r *resyncs) going() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.left > 0
}

// end reports the end of a resync if it has come, and if anybody wants to know.
func (r *resyncs) end() {
	if r.left > 0 || r.events < r.objects {
		return
	}
	select {
	case r.ended <- resynced{took: time.Since(r.first), processors: processors(), allocations: allocations()}:
	default:
	}
}

// next waits for the end of a resync that has not ended yet.
func (r *resyncs) next(ctx context.Context) (resynced, error) {
	select {
	case <-r.ended: // nobody wanted to know
	default:
	}
	select {
	case one := <-r.ended:
		return one, nil
	case <-ctx.Done():
		return resynced{}, fmt.Errorf("no end of a resync of %d objects: %w", r.objects, ctx.Err())
	}
}

// measure follows so many resyncs in a row, and returns what one takes. There is nothing
// else to do meanwhile, so that all between the ends of two is the later one's.
func (r *resyncs) measure(ctx context.Context, times int, calls func() float64) (measures, error) {
	before, err := r.next(ctx)
	if err != nil {
		return nil, err
	}
	made := calls()
	var took, busy []time.Duration
	var allocated []float64
	for range times {
		one, err := r.next(ctx)
		if err != nil {
			return nil, err
		}
		took, busy = append(took, one.took), append(busy, one.processors-before.processors)
		allocated = append(allocated, one.allocations-before.allocations)
		before = one
	}
	n := float64(r.objects)
	return measures{
		"s-resync":      median(took).Seconds(),
		"s-cpu":         median(busy).Seconds(),
		"allocs/object": median(allocated) / n,
		"calls":         (calls() - made) / float64(times),
	}, nil
}
