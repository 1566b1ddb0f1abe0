package reconcile

import (
	"context"
	"errors"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/trimtab/trimtab/internal/class"
)

// Classify is middleware that gives the run the class of its outcome, which
// Instrument reports, and settles what is no fault. All else passes as it is.
//
//   - A run that failed with NotFound since its own object is gone has succeeded:
//     its error becomes nil. That needs Options.For and a client of Client, through
//     which the object was missed; a NotFound for any other object stays an error,
//     as does what is joined with that of the own one. After a NotFound for a
//     subresource of the own object the client asks for the object, since it may
//     only lack the subresource.
//   - A run that failed with [context.Canceled] since its context was cancelled, as
//     when the manager stops, has the class "canceled", and its error becomes nil; so
//     has one that had to wait for a cache then, whose error is a timeout.
//     The context that counts is the one which Classify gets.
//   - A failure that Options.Quiet chooses becomes a Result.Requeue: the retry waits
//     as long, and counts as a failure for the queue, but controller-runtime neither
//     logs nor counts an error.
//   - A failure beside a Result.RequeueAfter, which controller-runtime would lose with
//     a warning, keeps both: the error goes on its way, and the retry waits that long.
//     It counts as a failure like others, so that the backoff of the next one is as
//     if it had waited for its own. Only Trimtab's queue knows how; with another one
//     the limiter says how long the retry waits. A Result.Requeue beside an error is
//     dropped.
//   - A failure with a [requeue.AfterError] in it, wrapped or joined, waits for that
//     time in just that way; for the sooner one, if there is a delay beside it. Beside
//     an error of [requeue.Merge] a delay is the longest time that the retry waits.
//
// An error that the controller does not see is logged at level 1. Classify stands
// inside Instrument; without that it does nothing.
func Classify[request comparable](next TypedReconciler[request]) TypedReconciler[request] {
	return TypedFunc[request](func(ctx context.Context, req request) (Result, error) {
		result, err := next.Reconcile(ctx, req)
		r := runFrom(ctx)
		if r == nil {
			return result, err
		}
		return r.settle(ctx, result, err)
	})
}

// settle gives the run its class, and returns what the controller is to see.
func (r *run) settle(ctx context.Context, result Result, err error) (Result, error) {
	if r.missedOwn(ctx, err) {
		r.classify(class.Success)
		return Result{}, nil
	}
	if err == nil && r.isSettled(ctx, result) {
		return result, nil
	}
	c := r.chain.classOf(ctx, result, err)
	switch {
	case err == nil:
		r.classify(c)
		return result, nil
	case c == class.Canceled && ctxCanceled(ctx):
		r.swallow(ctx, c, err, times{})
		return Result{}, nil
	case c != class.Terminal && r.isQuiet(ctx, c):
		r.swallow(ctx, c, err, timesOf(ctx, err, result.RequeueAfter))
		return Result{Requeue: true, Priority: result.Priority}, nil //nolint:staticcheck // Deprecated, and the only retry without an error.
	default:
		r.fail(c, nil, timesOf(ctx, err, result.RequeueAfter))
		return Result{Priority: result.Priority}, err
	}
}

// isSettled reports whether a Classify within another one keeps an error of the run
// from the controller, with that result.
func (r *run) isSettled(ctx context.Context, result Result) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.quiet != nil && (result.Requeue || r.class == class.Canceled && ctxCanceled(ctx)) //nolint:staticcheck // Deprecated, and what Classify makes of it.
}

// missedOwn reports whether the run failed only since its own object is gone.
func (r *run) missedOwn(ctx context.Context, err error) bool {
	defer survive(ctx, methodOfError)
	return err != nil && class.Of(err) == class.NotFound && !isPanic(err) && !isTerminal(err) && r.ownGone(err)
}

// swallow gives the run the class of an error that the controller does not see.
func (r *run) swallow(ctx context.Context, c string, err error, retry times) {
	r.fail(c, err, retry)
	defer survive(ctx, methodOfError)
	log.FromContext(ctx).V(1).Info("The run failed quietly", "class", c, "attempt", r.info.Attempt, "error", err.Error())
}

// isQuiet reports whether a failure of that class is not shown. Without the attempt,
// which another queue does not tell, it could stay hidden for ever.
func (r *run) isQuiet(ctx context.Context, c string) bool {
	return r.info.Attempt > 0 && r.chain.isQuiet(ctx, c, r.info.Attempt)
}

// loudConflict is the conflict in a row that is shown: three are ordinary, as a cache
// is a little late; a fourth says that something writes all the time, or that the
// object read is never the newest. One line for each such row is enough.
const loudConflict = 4

func quietConflicts(c string, attempt int) bool {
	return c == class.Conflict && attempt != loudConflict
}

// classOf returns the class of an outcome.
func (s *settings) classOf(ctx context.Context, result Result, err error) string {
	switch {
	case err != nil:
		return s.classOfError(ctx, err)
	case result.RequeueAfter > 0 || result.Requeue: //nolint:staticcheck // Deprecated, and still in use.
		return class.Requeue
	default:
		return class.Success
	}
}

// methodOfError is what may panic where an error is looked at.
const methodOfError = "a method of the run's error"

func (s *settings) classOfError(ctx context.Context, err error) (c string) {
	c = class.Error // stays if a method of the error panics
	defer survive(ctx, methodOfError)
	return s.kindOfFailure(ctx, err)
}

func (s *settings) kindOfFailure(ctx context.Context, err error) string {
	switch {
	case isPanic(err):
		return class.Panic
	case isTerminal(err):
		return class.Terminal
	}
	c := class.Of(err)
	if c == class.Timeout && ctxCanceled(ctx) && waitedForCache(err) {
		return class.Canceled
	}
	if c == class.Canceled {
		if ctxCanceled(ctx) {
			return c
		}
		c = class.Error // Nobody cancelled this run: some code of its own gave up.
	}
	if own := s.ownClass(ctx, err); own != "" {
		return own
	}
	return c
}

// waitedForCache reports whether err is that of a read which has waited for a cache to
// sync until its context ended. It wraps no error of the context: only its words tell.
func waitedForCache(err error) bool {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return false
	}
	s := status.Status()
	return s.Reason == metav1.StatusReasonTimeout && strings.HasSuffix(s.Message, " Informer to sync")
}

func ctxCanceled(ctx context.Context) bool { return errors.Is(ctx.Err(), context.Canceled) }

func isPanic(err error) bool {
	var p *PanicError
	return errors.As(err, &p)
}

func isTerminal(err error) bool { return errors.Is(err, TerminalError(nil)) }
