package handler

import (
	"context"
	"fmt"
	"runtime/debug"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/trimtab/trimtab/trigger"
)

// panicCounter is a sourceQueue or the taggedQueue around one.
type panicCounter interface {
	HandlerPanicked(source trigger.Source)
}

// guard, deferred, ends a panic. Handlers run in the informer's goroutine, where
// nobody else would.
func guard[request comparable](ctx context.Context, source trigger.Source, kind string, q workqueue.TypedRateLimitingInterface[request]) {
	p := recover()
	if p == nil {
		return
	}
	if ours, ok := q.(panicCounter); ok {
		ours.HandlerPanicked(source)
	}
	log.FromContext(ctx).Error(fmt.Errorf("panic: %v", p), "An event handler panicked: the event is lost",
		"source", source.String(), "event", kind, "stack", string(debug.Stack()))
}
