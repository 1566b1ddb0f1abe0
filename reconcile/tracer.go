package reconcile

import (
	"context"

	"github.com/trimtab/trimtab/trigger"
)

// Tracer makes spans of runs and of their client calls; module otel has one. Its
// methods are called by many goroutines at once. A panic of one, or of a func that it
// returned, is logged, and the run goes on.
type Tracer interface {
	// StartRun begins the trace of a run. It returns the context for the run, which
	// stems from ctx, and what is called when the run has returned, also if it
	// panicked: with what is known of it then and with its error, which may be one
	// that the controller does not see.
	StartRun(ctx context.Context, request any, info trigger.Info) (context.Context, func(trigger.Run, error))

	// StartCall begins the trace of a client call of a run. The phase is "read",
	// "write" or "status"; verb and kind are those of Observer.Called. It returns
	// the context for the call, which stems from ctx, and what is called with its
	// error when it has returned.
	StartCall(ctx context.Context, phase, verb, kind string) (context.Context, func(error))

	// ReadOwn is called when a run has read its own object for the first time, with
	// the context that StartRun returned, and the annotations of the object, which
	// must not be changed. It needs Options.For.
	ReadOwn(ctx context.Context, annotations map[string]string)
}
