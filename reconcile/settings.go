package reconcile

import (
	"context"
	"sync/atomic"
)

// settings is what all runs of a chain share, whatever the type of its requests.
type settings struct {
	observer      Observer
	tracer        Tracer                       // or nil
	traceID       func(context.Context) string // or nil
	class         func(error) string           // or nil
	quiet         func(class string, attempt int) bool
	convertPanics bool
	own           ownKind
	clients       atomic.Bool // a client of Client was used in a run
	names         names
	there         there
}
