package reconcile

import (
	"context"
	"errors"

	"github.com/trimtab/trimtab/internal/class"
)

// Classify is middleware that gives the run the class of its outcome, which
// Instrument reports, and settles one case: a run that failed with NotFound since
// its own object is gone has succeeded, and its error becomes nil. That needs
// Options.For and a client of Client, through which the object was
// missed; a NotFound for any other object stays an error, as does what is joined
// with that of the own one. After a NotFound for a subresource of the own object
// the client asks for the object, since it may only lack the subresource.
//
// It stands inside Instrument; without that it does nothing.
func Classify[request comparable](next TypedReconciler[request]) TypedReconciler[request] {
	return TypedFunc[request](func(ctx context.Context, req request) (Result, error) {
		result, err := next.Reconcile(ctx, req)
		r := runFrom(ctx)
		if r == nil {
			return result, err
		}
		c := classOf(ctx, result, err)
		if c == class.NotFound && r.ownGone(err) {
			result, err = Result{}, nil
			c = class.Success
		}
		r.classify(c)
		return result, err
	})
}

// classOf returns the class of an outcome.
func classOf(ctx context.Context, result Result, err error) string {
	switch {
	case err == nil && (result.RequeueAfter > 0 || result.Requeue): //nolint:staticcheck // Deprecated, and still in use.
		return class.Requeue
	case err == nil:
		return class.Success
	case isPanic(err):
		return class.Panic
	case errors.Is(err, TerminalError(nil)):
		return class.Terminal
	}
	c := class.Of(err)
	if c == class.Canceled && ctx.Err() == nil {
		// Nobody cancelled this run: some code of its own gave up.
		return class.Error
	}
	return c
}

func isPanic(err error) bool {
	var p *PanicError
	return errors.As(err, &p)
}
