package reconcile

import "context"

// Recover is middleware that takes note of a panic of the reconciler and panics
// again, so that controller-runtime counts it, logs its stack, calls the panic
// handlers and honours RecoverPanic as ever. The run has the class "panic".
//
// It stands innermost, with Instrument anywhere around it; without Instrument it
// does nothing.
func Recover[request comparable](next TypedReconciler[request]) TypedReconciler[request] {
	return TypedFunc[request](func(ctx context.Context, req request) (Result, error) {
		defer func() {
			if p := recover(); p != nil {
				if r := runFrom(ctx); r != nil {
					r.chain.observer.Panicked()
				}
				panic(p)
			}
		}()
		return next.Reconcile(ctx, req)
	})
}
