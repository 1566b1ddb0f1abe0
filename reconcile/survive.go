package reconcile

import (
	"context"
	"fmt"
	"runtime/debug"

	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/trimtab/trimtab/trigger"
)

// survive, deferred, ends a panic of code that the chain was given beside the
// reconciler. That only watches: its fault must not become the run's, keep the run
// out of the books or, in the goroutine of a timer, end the process.
func survive(ctx context.Context, method string) {
	if p := recover(); p != nil {
		log.FromContext(ctx).Error(fmt.Errorf("panic: %v", p), "What watches the runs panicked, and the run goes on", "method", method, "stack", string(debug.Stack()))
	}
}

func (s *settings) ran(ctx context.Context, run trigger.Run) {
	defer survive(ctx, "Observer.Ran")
	s.observer.Ran(run)
}

func (s *settings) called(ctx context.Context, sources trigger.Set, verb, kind string) {
	defer survive(ctx, "Observer.Called")
	s.observer.Called(sources, verb, kind)
}

func (s *settings) panicked(ctx context.Context) {
	defer survive(ctx, "Observer.Panicked")
	s.observer.Panicked()
}

func (s *settings) workerLost(ctx context.Context) {
	defer survive(ctx, "Observer.WorkerLost")
	s.observer.WorkerLost()
}

func (s *settings) overdue(ctx context.Context, change int) {
	defer survive(ctx, "Observer.Overdue")
	s.observer.Overdue(change)
}

// ownClass returns the class that the user's own code has for err, and "" if none.
func (s *settings) ownClass(ctx context.Context, err error) string {
	if s.class == nil {
		return ""
	}
	defer survive(ctx, "Options.Class")
	if own := s.class(err); !isFine(own) {
		return own
	}
	return ""
}

// isQuiet reports whether a failure of that class is not to be shown.
func (s *settings) isQuiet(ctx context.Context, class string, attempt int) bool {
	defer survive(ctx, "Options.Quiet")
	return s.quiet(class, attempt)
}

// trace returns the id of the trace that the run of ctx belongs to, and "" if none.
func (s *settings) trace(ctx context.Context) string {
	if s.traceID == nil {
		return ""
	}
	defer survive(ctx, "Options.TraceID")
	return s.traceID(ctx)
}
