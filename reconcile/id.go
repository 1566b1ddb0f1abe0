package reconcile

import (
	"context"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/util/uuid"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// ID returns the id of the run that ctx belongs to, for calls of other systems and
// for events: that of controller-runtime, which is in the run's log lines as
// "reconcileID". In a host that gives none Instrument makes one, and puts it into
// the context's logger, if there is one. It is "" outside a run. It is safe for
// concurrent use.
func ID(ctx context.Context) string {
	if r := runFrom(ctx); r != nil {
		return r.identify()
	}
	return string(controller.ReconcileIDFromContext(ctx))
}

// identify returns the id of the run, and makes one if nobody needed it yet.
func (r *run) identify() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.id == "" {
		r.id = newID()
	}
	return r.id
}

// withID returns the id of a run that starts in ctx, and a context whose logger has
// it. It is "" where nothing needs one so far: making one is not cheap.
func withID(ctx context.Context) (with context.Context, id string) {
	if given := controller.ReconcileIDFromContext(ctx); given != "" {
		return ctx, string(given)
	}
	logger, err := logr.FromContext(ctx)
	if err != nil { // There is none.
		return ctx, ""
	}
	id = newID()
	return log.IntoContext(ctx, logger.WithValues("reconcileID", id)), id
}

func newID() string { return string(uuid.NewUUID()) }
