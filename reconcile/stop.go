package reconcile

import "context"

// Stop says that the request needs no run unless something happens: the run that
// ctx belongs to asks for none by the queue's MaxInterval. Retries after an error,
// a RequeueAfter and events come all the same, and the next run is asked again.
//
// It does nothing without Instrument, and nothing once the run has returned. It is
// safe to call from several goroutines, and more than once.
func Stop(ctx context.Context) {
	if r := runFrom(ctx); r != nil {
		r.stop()
	}
}
