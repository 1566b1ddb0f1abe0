package reconcile

import (
	"context"
	"errors"
)

// When returns middleware that puts m around the runs to which it applies. m is
// built once, and what it remembers stays; applies is asked before each run, and
// must be safe for concurrent use. It panics if either is nil.
func When[request comparable](applies func(ctx context.Context, req request) bool, m Middleware[request]) Middleware[request] {
	if applies == nil || m == nil {
		panic(errors.New("reconcile: When(nil): neither the condition nor the middleware must be nil"))
	}
	return func(next TypedReconciler[request]) TypedReconciler[request] {
		inside := m(next)
		return TypedFunc[request](func(ctx context.Context, req request) (Result, error) {
			if applies(ctx, req) {
				return inside.Reconcile(ctx, req)
			}
			return next.Reconcile(ctx, req)
		})
	}
}
