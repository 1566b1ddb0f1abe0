package reconcile

import (
	"context"
	"errors"
	"sync"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trimtab/trimtab/trigger"
)

// kind is what a client call does.
type kind uint8

// The kinds of calls, in the order in which they claim the time of a run: while a
// status write is in flight, a read beside it costs nothing.
const (
	status kind = iota
	write
	read
	kinds
)

// run is one run of a reconciler: what the middleware and the client know of it.
type run struct {
	info     trigger.Info
	observer Observer
	own      ownObject

	mu       sync.Mutex
	inFlight [kinds]int
	changed  time.Time // when the phase began
	phases   trigger.Phases
	class    string
	gone     error // by which the run's own object was missed
	over     bool  // calls count no longer
}

// ownObject is the object that a run is for.
type ownObject struct {
	like client.Object // an object of its kind, or nil
	key  client.ObjectKey
}

// runContext is the context of a run: one allocation for both.
type runContext struct {
	context.Context
	run run
}

type runKey struct{}

// Value implements [context.Context].
func (c *runContext) Value(key any) any {
	if key == (runKey{}) {
		return &c.run
	}
	return c.Context.Value(key)
}

// runFrom returns the run that ctx belongs to, or nil.
func runFrom(ctx context.Context) *run {
	r, _ := ctx.Value(runKey{}).(*run)
	return r
}

// enter notes that a call has begun, and reports false if the run is over.
func (r *run) enter(k kind, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over {
		return false
	}
	r.spend(now)
	r.inFlight[k]++
	return true
}

// leave notes that a call has ended, and reports false if the run is over.
func (r *run) leave(k kind, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over {
		return false
	}
	r.spend(now)
	r.inFlight[k]--
	return true
}

// spend accounts the time since the phase began. Its callers hold the lock.
func (r *run) spend(now time.Time) {
	d := max(0, now.Sub(r.changed))
	r.changed = now
	switch {
	case r.inFlight[status] > 0:
		r.phases.Status += d
	case r.inFlight[write] > 0:
		r.phases.Write += d
	case r.inFlight[read] > 0:
		r.phases.Read += d
	default:
		r.phases.Compute += d
	}
}

// missed notes that a call failed with err, since there is no object like obj at key.
func (r *run) missed(obj client.Object, key client.ObjectKey, err error) {
	if r.own.like == nil || key != r.own.key || !sameKind(obj, r.own.like) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.gone = err
}

// ownGone reports whether err says that the run's own object is gone.
func (r *run) ownGone(err error) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.gone != nil && errors.Is(err, r.gone)
}

func (r *run) classify(class string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.class = class
}

// end closes the books of the run.
func (r *run) end(now time.Time) (phases trigger.Phases, class string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.spend(now)
	r.over = true
	return r.phases, r.class
}
