package requeue

import (
	"time"

	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// Guard returns r with a delay of at least floor and at most ceiling, for delays
// that come from users or from other servers. Zero or less is no floor but for
// [After]'s millisecond, or no ceiling. A floor above the ceiling counts.
//
// What asks for no delay stays as it is; a negative delay is of a moment that has
// passed, and becomes floor.
func Guard(r reconcile.Result, floor, ceiling time.Duration) reconcile.Result {
	if r.RequeueAfter == 0 {
		return r
	}
	if ceiling > 0 {
		r.RequeueAfter = min(r.RequeueAfter, ceiling)
	}
	r.RequeueAfter = max(r.RequeueAfter, floor, atLeast)
	return r
}

// WithPriority returns r with a priority for the request when it comes back, also
// after an error, in place of its source's; see the queue's DefaultPriority. Zero is
// that of a change by a user. It needs a priority queue, as a controller has
// by default, and allocates 8 bytes, since a Result has its priority by pointer.
func WithPriority(r reconcile.Result, priority int) reconcile.Result {
	r.Priority = &priority
	return r
}
