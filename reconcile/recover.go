package reconcile

import (
	"context"
	"errors"
	"runtime/debug"

	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/trimtab/trimtab/internal/named"
)

// Recover is middleware that takes note of a panic of the reconciler, in one line
// of the log with the stack, and panics again with the same value: controller-runtime
// counts it, calls the panic handlers and honours RecoverPanic as ever. The run has
// the class "panic". With Options.ConvertPanics it returns a *PanicError instead, for
// a host that recovers nothing.
//
// A reconciler that ends its goroutine by [runtime.Goexit], as a failed assertion of
// a test does, takes a worker of the controller with it, which nobody replaces. That
// is logged and told to the observer, and a queue of Trimtab's lets the request run
// again after a backoff; with another queue it is lost until its next event.
//
// It stands innermost, with Instrument anywhere around it; without Instrument it
// logs, and panics again. Of several the innermost takes note.
func Recover[request comparable](next TypedReconciler[request]) TypedReconciler[request] {
	return TypedFunc[request](func(ctx context.Context, req request) (result Result, err error) {
		returned := false
		defer func() {
			if returned {
				return
			}
			p := recover()
			if p == nil {
				exited(ctx, req)
				return
			}
			result, err = Result{}, panicked(ctx, req, p)
		}()
		result, err = next.Reconcile(ctx, req)
		returned = true
		return result, err
	})
}

// panicked takes note of the panic with p. It panics again, or returns p as an error.
func panicked(ctx context.Context, req, p any) error {
	err := &PanicError{Value: p, Stack: debug.Stack()}
	attempt, convert := 0, false
	if r := runFrom(ctx); r != nil {
		attempt, convert = r.info.Attempt, r.chain.convertPanics
		if !r.breaks(err) && !convert {
			panic(p)
		}
		r.chain.panicked(ctx)
	}
	log.FromContext(ctx).Error(err, "The reconciler panicked", "request", named.Of(req), "attempt", attempt, "stack", string(err.Stack))
	if convert {
		return err
	}
	panic(p)
}

// errExited is the failure of a run that ended its goroutine.
var errExited = errors.New("reconcile: the reconciler called runtime.Goexit, and a worker of the controller is lost")

func exited(ctx context.Context, req any) {
	attempt := 0
	if r := runFrom(ctx); r != nil {
		attempt = r.info.Attempt
		if !r.breaks(errExited) {
			return
		}
		r.chain.workerLost(ctx)
	}
	log.FromContext(ctx).Error(errExited, "A worker is lost", "request", named.Of(req), "attempt", attempt)
}
