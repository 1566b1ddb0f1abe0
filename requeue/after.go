package requeue

import (
	"time"

	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// atLeast is the shortest delay that this package asks for: above zero, which
// would mean done, and short beside any reconcile.
const atLeast = time.Millisecond

// Done returns the Result that asks for nothing: the request comes back when
// an event brings it.
func Done() reconcile.Result { return reconcile.Result{} }

// Now returns the Result that brings the request back at once, behind what is
// ready at its priority: in a millisecond.
func Now() reconcile.Result { return After(0) }

// At returns the Result that brings the request back at t, which is [After] of the
// time until then: in a millisecond if t has passed or is the zero time. It never
// comes before t, as far as the clock is not set back meanwhile.
func At(t time.Time) reconcile.Result { return After(time.Until(t)) }

// After returns the Result that brings the request back after d, and after a
// millisecond if d is shorter than that, zero or negative. So a deadline that
// passes while it is being computed is looked at again, not lost.
//
// What is overdue and stays so comes back every millisecond: for a moment that
// can pass without success use [BeforeExpiry].
func After(d time.Duration) reconcile.Result {
	return reconcile.Result{RequeueAfter: max(d, atLeast)}
}
