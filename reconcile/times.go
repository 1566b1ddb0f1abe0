package reconcile

import (
	"context"
	"time"

	"github.com/trimtab/trimtab/internal/class"
	"github.com/trimtab/trimtab/requeue"
)

// times is when a retry comes that has a time of its own. Zero means that the rate
// limiter says so.
type times struct {
	after  time.Duration // just then
	within time.Duration // then at the latest
}

// timesOf returns when the retry after err comes, beside which the run has asked for
// that delay.
func timesOf(ctx context.Context, err error, delay time.Duration) (t times) {
	t.after = max(0, delay) // stays if a method of the error panics
	defer survive(ctx, methodOfError)
	w := walk{left: mostErrors}
	of := w.visit(err)
	if w.merged { // The error knows of the delay.
		return times{after: of.after, within: shorter(of.within, delay)}
	}
	return times{after: shorter(of.after, delay), within: of.within}
}

// mostErrors bounds how many of the errors in one are looked at: more than anybody
// joins, and an error that wraps itself ends there.
const mostErrors = 1000

// walk goes through the tree of an error.
type walk struct {
	left   int  // how many errors may still be looked at
	merged bool // one of them is of requeue.Merge
}

func (w *walk) visit(err error) (t times) {
	if w.left == 0 {
		return times{}
	}
	w.left--
	switch e := err.(type) { //nolint:errorlint // The tree is walked here.
	case requeue.AfterError:
		if e.After > 0 {
			return times{after: e.After}
		}
	case *requeue.AfterError:
		if e == nil {
			return times{}
		}
		if e.After > 0 {
			return times{after: e.After}
		}
	case interface{ RequeueWithin() time.Duration }:
		w.merged = true
		t = w.join(class.Inner(err))
		t.within = shorter(t.within, e.RequeueWithin())
		return t
	}
	return w.join(class.Inner(err))
}

// join returns when the retry after several errors comes. With one that leaves it to
// the limiter, the times of the others are the latest. Terminal ones don't count.
func (w *walk) join(errs []error) (t times) {
	limited := false
	for _, err := range errs {
		if err == nil || len(errs) > 1 && isTerminal(err) {
			continue
		}
		of := w.visit(err)
		limited = limited || of.after == 0
		t.after, t.within = shorter(t.after, of.after), shorter(t.within, of.within)
	}
	if limited {
		t.after, t.within = 0, shorter(t.after, t.within)
	}
	return t
}

// shorter returns the shorter of those that are above zero, or zero.
func shorter(a, b time.Duration) time.Duration {
	switch {
	case a <= 0:
		return max(0, b)
	case b <= 0:
		return a
	default:
		return min(a, b)
	}
}
