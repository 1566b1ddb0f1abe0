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

// After returns the Result that brings the request back after d, and after a
// millisecond if d is shorter than that, zero or negative. So a deadline that
// passes while it is being computed is looked at again, not lost.
//
// What is overdue and stays so comes back every millisecond: for a moment that
// can pass without success use [BeforeExpiry].
func After(d time.Duration) reconcile.Result {
	return reconcile.Result{RequeueAfter: max(d, atLeast)}
}
