package reconcile

import "context"

// Effect says that the run which ctx belongs to has changed something outside
// Kubernetes, which no client of Client sees: the run is not one that changed
// nothing, see trigger.Run.NoOp.
//
// It does nothing without Instrument, and nothing once the run has returned. It is
// safe to call from several goroutines, and more than once.
func Effect(ctx context.Context) {
	if r := runFrom(ctx); r != nil {
		r.effect()
	}
}

func (r *run) effect() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.changed = true // After the end nobody reads it.
}
