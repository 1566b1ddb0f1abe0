package reconcile

import (
	"errors"

	"github.com/trimtab/trimtab/internal/null"
)

// New returns r in the usual chain: from the outside Instrument, Classify, Deadline if
// there is one, and Recover. Give it to any controller; trimtab.Loop does so with its
// own queue and metrics. A chain within a chain makes runs of its own: what the client
// does counts for the inner ones only. It panics with the error of Validate if an
// option is impossible, and if r is nil.
func New[request comparable](r TypedReconciler[request], opts Options[request]) TypedReconciler[request] {
	if null.Is(r) {
		panic(errors.New("reconcile: New(nil): the reconciler must not be nil"))
	}
	return Chain(r, Instrument(opts), Classify[request], Deadline[request](opts.Deadline), Recover[request])
}
