package predicatetest

import (
	"errors"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/trimtab/trimtab/internal/null"
	"github.com/trimtab/trimtab/predicate"
)

// Stalled returns an error if an object that a run has left unfinished gets no
// other run: the run returned no error that is retried and no time to come
// back, and p, the predicate of the controller's own kind, drops the event of
// what the run has written. Call it in tests of a Reconciler with the object as
// it was before the run and as it is after it, wherever there is more to do:
//
//	result, err := r.Reconcile(ctx, req)
//	err = predicatetest.Stalled(predicate.SpecChanged(), before, after, result, err)
//
// A run that waits for its own write to wake it stalls as soon as somebody
// gives the controller a better predicate. If something else is sure to bring
// the object back, such as a Secret that the run has created and the controller
// watches, don't ask. Stalled panics if p or an object is nil.
func Stalled(p predicate.Predicate, before, after client.Object, result reconcile.Result, err error) error {
	switch {
	case null.Is(p):
		panic(errors.New("predicatetest: Stalled(nil, …): the predicate must not be nil"))
	case null.Is(before) || null.Is(after):
		panic(fmt.Errorf("predicatetest: Stalled: before (%T) and after (%T) must not be nil", before, after))
	case err != nil && !errors.Is(err, reconcile.TerminalError(nil)):
		return nil
	case err == nil && (result.RequeueAfter > 0 || result.Requeue): //nolint:staticcheck // Requeue still counts.
		return nil
	case before.GetResourceVersion() == after.GetResourceVersion() && after.GetResourceVersion() != "":
		return errors.New("predicatetest: the run has written nothing to the object and asks for no other: nothing brings it back")
	case !p.Update(event.UpdateEvent{ObjectOld: before, ObjectNew: after}):
		return errors.New("predicatetest: the predicate drops what the run has written, and the run asks for no other: nothing brings it back")
	}
	return nil
}
