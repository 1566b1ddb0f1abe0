package reconcile

import (
	"cmp"
	"context"
	"reflect"
	"slices"
	"sync"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trimtab/trimtab/internal/class"
	"github.com/trimtab/trimtab/queue"
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

// String returns the name of the phase, as a Tracer gets it.
func (k kind) String() string { return [kinds]string{"status", "write", "read"}[k] }

// run is one run of a reconciler: what the middleware and the client know of it.
type run struct {
	info  trigger.Info
	id    string
	chain *settings
	own   client.ObjectKey // of the object that the run is for, if the chain knows its kind
	ctx   context.Context  //nolint:containedctx // It is that which the tracer made for the run; nil without one.

	mu       sync.Mutex
	inFlight [kinds]int
	phase    time.Duration // when the phase began, counted from info.Started
	phases   trigger.Phases
	class    string
	gone     []error // by which the run's own object was missed
	object   queue.Object
	free     bool  // the run took the last finalizer off its own, deleted object
	stopped  bool  // the run asked for no further run by MaxInterval
	changed  bool  // the run changed something, or tried to
	ownRead  bool  // the tracer knows of the own object
	quiet    error // that Classify keeps from the controller
	retry    times // when a failed run asks to come back
	broken   error // why the run does not return: a panic, or the end of its goroutine
	over     bool  // calls count no longer
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

// now is the time since the run started: that reads one clock, where [time.Now]
// reads two.
func (r *run) now() time.Duration { return time.Since(r.info.Started) }

// enter notes that a call has begun, and reports false if the run is over.
func (r *run) enter(k kind, changes bool, now time.Duration) bool {
	if !r.chain.clients.Load() {
		r.chain.clients.Store(true)
	}
	r.mu.Lock()
	on := !r.over
	if on {
		r.spend(now)
		r.inFlight[k]++
		r.changed = r.changed || changes
	}
	r.mu.Unlock()
	return on
}

// leave notes that a call has ended, and what it read of the run's own object, if it
// did. It reports false if the run is over.
func (r *run) leave(c *call, now time.Duration) bool {
	r.mu.Lock()
	on := !r.over
	if on {
		r.spend(now)
		r.inFlight[c.kind]--
		if c.readOwn {
			r.read(c.own)
		}
	}
	r.mu.Unlock()
	return on
}

// spend accounts the time since the phase began. Its callers hold the lock.
func (r *run) spend(now time.Duration) {
	d := max(0, now-r.phase)
	r.phase += d // Of two calls at once, the later may come first.
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

// ownGone reports whether err says that the run's own object is gone, and
// nothing else: what is joined with that is not lost.
func (r *run) ownGone(err error) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.gone) > 0 && allAmong(err, r.gone)
}

// allAmong reports whether all that is joined in err is among known.
func allAmong(err error, known []error) bool {
	if slices.ContainsFunc(known, func(k error) bool { return reflect.ValueOf(k).Comparable() && err == k }) { //nolint:errorlint // The tree is walked here.
		return true
	}
	found := false
	for _, inner := range class.Inner(err) {
		if inner == nil {
			continue
		}
		if !allAmong(inner, known) {
			return false
		}
		found = true
	}
	return found
}

// classify gives a run that did not fail its class.
func (r *run) classify(c string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.class, r.quiet, r.retry = c, nil, times{}
}

// fail gives a run that failed its class, and when it asks to come back, unless a
// Classify within has taken note of that. Quiet is the error if the controller does
// not see it.
func (r *run) fail(c string, quiet error, retry times) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.class, r.quiet, r.retry = c, quiet, cmp.Or(retry, r.retry)
}

// books is what is known of a run when it has returned.
type books struct {
	phases  trigger.Phases
	outcome queue.Outcome
	changed bool
	quiet   error
	broken  error
}

// failure returns the error of the run, whoever sees it: reported is what the queue
// does.
func (b books) failure(reported error, returned bool) error {
	switch {
	case !returned && b.broken != nil:
		return b.broken
	case reported != nil:
		return reported
	default:
		return b.quiet
	}
}

// end closes the books of the run.
func (r *run) end(now time.Duration) books {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.spend(now)
	r.over = true
	return books{
		phases:  r.phases,
		outcome: queue.Outcome{Class: r.class, RetryAfter: r.retry.after, RetryWithin: r.retry.within, Object: r.object, Stopped: r.stopped},
		changed: r.changed,
		quiet:   r.quiet,
		broken:  r.broken,
	}
}

// breaks notes why the run does not return, and reports false if that is known: a
// Recover within another has noted it.
func (r *run) breaks(err error) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	known := samePanic(r.broken, err)
	r.broken = err
	return !known
}

// isWhole reports whether no Recover has noted that the run does not return.
func (r *run) isWhole() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.broken == nil
}

// samePanic reports whether both are of one panic, as far as its value can be
// compared, or both of the end of a goroutine.
func samePanic(a, b error) bool {
	x, isPanic := a.(*PanicError) //nolint:errorlint // They are never wrapped.
	y, both := b.(*PanicError)    //nolint:errorlint // As above.
	if !isPanic || !both {
		return a != nil && a == b //nolint:errorlint // As above.
	}
	return reflect.ValueOf(x.Value).Comparable() && reflect.ValueOf(y.Value).Comparable() && x.Value == y.Value
}

func (r *run) stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stopped = true // After the end nobody reads it.
}
