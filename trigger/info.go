package trigger

import (
	"context"
	"time"
)

// Info is what a queue knows of one delivery: what caused the run, which
// attempt it is, and where the time before it went. It is a value, safe to
// copy and to read from several goroutines.
type Info struct {
	// Sources is everything that caused the run. Empty means unknown, as with a
	// queue that is not Trimtab's.
	Sources Set

	// Attempt is 1 for a first attempt and one more for each failure in a row that the
	// queue has retried, or that the controller's limiter remembers, by its NumRequeues,
	// if those are more. Zero means unknown, as with a queue that is not Trimtab's.
	Attempt int

	// LastClass is the class of the run before, if that failed; see package
	// reconcile for the classes. Empty if it did not fail, or is unknown.
	LastClass string

	// Priority is the priority at which the request was taken from the queue.
	Priority int

	// Added is when the request was first added, or when a worker first asked
	// the queue for work, if that was later. Zero means unknown, as for all times here.
	Added time.Time

	// Ready is when the request could have been handed out but for its own
	// running reconcile: Added, plus the backoff or RequeueAfter that was asked for.
	Ready time.Time

	// OwnRun is how long the request, though ready, stood behind a reconcile of
	// the same key.
	OwnRun time.Duration

	// Caused is when the strongest source of Sources was first added; other
	// sources may have been waiting for longer.
	Caused time.Time

	// Started is when a worker took the request from the queue.
	Started time.Time

	// First is where the first of the attempts stood at its Since. It is that of this
	// run for a first attempt, and for one whose earlier attempts were forgotten.
	First time.Time
}

// Source returns the strongest source, under which the run counts, and false if the
// cause is unknown: the Source has no meaning then, though it reads Primary.
func (i Info) Source() (Source, bool) { return i.Sources.Strongest() }

// Delay is the deliberate part of the time before the run: backoff,
// RequeueAfter and the like. Zero if the times are unknown.
func (i Info) Delay() time.Duration { return max(0, between(i.Added, i.Ready)) }

// Wait is how long the request was ready and no worker took it. The time
// behind its own running reconcile is not in it: more workers would not help. Zero
// if the times are unknown.
func (i Info) Wait() time.Duration { return max(0, between(i.Ready, i.Started)-i.OwnRun) }

// between is the time from one to the other, if both are known.
func between(from, to time.Time) time.Duration {
	if from.IsZero() || to.IsZero() {
		return 0
	}
	return to.Sub(from)
}

// Since is where the latency of the run begins: when its strongest source was
// added or when a worker could have taken it, whichever is later. Zero if that is
// unknown.
func (i Info) Since() time.Time {
	free := i.Ready.Add(i.OwnRun)
	if i.Caused.After(free) {
		return i.Caused
	}
	return free
}

// infoKey is the key of an *Info in a context.
type infoKey struct{}

// NewContext returns a context that carries info, for FromContext. The chain of
// package reconcile calls it for every run; call it yourself only in tests. The
// Info must not change while the context is in use: it is not copied, which
// saves an allocation in each run.
func NewContext(ctx context.Context, info *Info) context.Context {
	return context.WithValue(ctx, infoKey{}, info)
}

// FromContext returns what is known of the run that ctx belongs to, and false
// if ctx belongs to no run of Trimtab's chain.
func FromContext(ctx context.Context) (Info, bool) {
	info, ok := ctx.Value(infoKey{}).(*Info)
	if !ok || info == nil {
		return Info{}, false
	}
	return *info, true
}
