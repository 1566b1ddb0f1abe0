package reconcile

import "slices"

// Middleware puts something around a reconciler. It is called once, when the
// chain is built; the reconciler that it returns is called by many workers at once.
type Middleware[request comparable] func(next TypedReconciler[request]) TypedReconciler[request]

// Chain returns r inside the middleware, the first outermost: the request
// passes them from left to right, the result from right to left. Without
// middleware it returns r.
func Chain[request comparable](r TypedReconciler[request], middleware ...Middleware[request]) TypedReconciler[request] {
	for _, m := range slices.Backward(middleware) {
		r = m(r)
	}
	return r
}
