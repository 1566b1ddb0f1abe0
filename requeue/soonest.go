package requeue

import (
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// Soonest returns the one of results that brings the request back first, with its
// own priority. It is for a reconciler with several reasons to come back:
//
//	return requeue.Soonest(renewal.Result, requeue.Every(time.Hour, uid)), nil
//
// A result without a delay asks for nothing. A negative delay, which
// controller-runtime would take for none, is of a moment that has passed, and
// counts as [Now]. Of several at the same time the highest priority counts; one that
// names none is below all that do.
//
// A Requeue without a delay, which is deprecated, asks for the rate limiter's: nobody
// here knows that, so it counts if nothing else asks for a delay. If no result asks
// for anything, what is left of them is the highest priority, which a retry may need.
func Soonest(results ...reconcile.Result) reconcile.Result {
	var best reconcile.Result
	for _, r := range results {
		if r.RequeueAfter < 0 {
			r.RequeueAfter = atLeast
		}
		r.Requeue = r.Requeue && r.RequeueAfter == 0 //nolint:staticcheck // Deprecated, and still in use.
		if sooner(r, best) {
			best = r
		}
	}
	return best
}

// sooner reports whether a comes before b, or at the same time with a higher
// priority.
func sooner(a, b reconcile.Result) bool {
	switch {
	case a.RequeueAfter != b.RequeueAfter:
		return b.RequeueAfter == 0 || 0 < a.RequeueAfter && a.RequeueAfter < b.RequeueAfter
	case a.Requeue != b.Requeue: //nolint:staticcheck // As above.
		return a.Requeue //nolint:staticcheck // As above.
	case a.Priority == nil || b.Priority == nil:
		return b.Priority == nil && a.Priority != nil
	default:
		return *a.Priority > *b.Priority
	}
}
