package reconcile

import (
	"errors"
	"fmt"
	"slices"

	"github.com/trimtab/trimtab/internal/null"
)

// Middleware puts something around a reconciler. It is called once, when the
// chain is built; the reconciler that it returns is called by many workers at once.
type Middleware[request comparable] func(next TypedReconciler[request]) TypedReconciler[request]

// Chain returns r inside the middleware, the first outermost: the request
// passes them from left to right, the result from right to left. Without
// middleware it returns r. It panics if r or one of the middleware is nil, or if one
// returns nil.
func Chain[request comparable](r TypedReconciler[request], middleware ...Middleware[request]) TypedReconciler[request] {
	if null.Is(r) {
		panic(errors.New("reconcile: Chain(nil): the reconciler must not be nil"))
	}
	for i, m := range slices.Backward(middleware) {
		if m == nil {
			panic(fmt.Errorf("reconcile: Chain: middleware[%d] nil: must be a func", i))
		}
		if r = m(r); null.Is(r) {
			panic(fmt.Errorf("reconcile: Chain: middleware[%d] has returned nil: must return a reconciler", i))
		}
	}
	return r
}
