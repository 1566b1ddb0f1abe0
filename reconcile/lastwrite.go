package reconcile

import (
	"context"
	"errors"
)

// LastWrite returns a context for what a run still has to write when its time is
// up, such as a status that says so:
//
//	ctx, cancel := reconcile.LastWrite(ctx)
//	defer cancel()
//	return reconcile.Result{}, errors.Join(err, r.Status().Update(ctx, obj))
//
// After the run's own deadline, that of Deadline, it is a new context for
// DeadlineOptions.LastWrite, with the values of ctx, so that its calls count for the
// run. It ends when the context does that Deadline got, which is the manager's:
// nothing is written after a lost lease.
//
// In any other case, before the deadline, without one, or when the manager is
// stopping, it is ctx itself. The second result frees what the new context holds,
// and leaves ctx alone. It is safe for concurrent use.
func LastWrite(ctx context.Context) (context.Context, context.CancelFunc) {
	d := deadlineFrom(ctx)
	if d == nil || !expired(d) {
		return ctx, func() {}
	}
	parent := d.parent
	for outer := deadlineFrom(parent); outer != nil && expired(outer); outer = deadlineFrom(parent) {
		parent = outer.parent
	}
	if parent.Err() != nil {
		return ctx, func() {}
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), d.lastWrite)
	stop := context.AfterFunc(parent, cancel)
	return last, func() {
		stop()
		cancel()
	}
}

// deadlineFrom returns the innermost deadline that ctx belongs to, or nil.
func deadlineFrom(ctx context.Context) *deadline {
	d, _ := ctx.Value(deadlineKey{}).(*deadline)
	return d
}

// expired reports whether ctx has ended by a Deadline.
func expired(ctx context.Context) bool {
	var own *DeadlineError
	return errors.As(context.Cause(ctx), &own)
}
