package handler_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/go-logr/logr/funcr"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	crhandler "sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/trimtab/trimtab/handler"
	"github.com/trimtab/trimtab/trigger"
)

// logged returns a context whose logger remembers.
func logged(t *testing.T) (context.Context, *[]string) {
	t.Helper()
	lines := &[]string{}
	l := funcr.New(func(_, args string) { *lines = append(*lines, args) }, funcr.Options{})
	return log.IntoContext(t.Context(), l), lines
}

// A mapping function that panics, on any event: the informer's goroutine, in which
// the handler runs, goes on; the panic is logged with its stack, and counted.
func TestPanicEndsInTheHandler_PR13(t *testing.T) {
	type q = workqueue.TypedRateLimitingInterface[reconcile.Request]
	for name, value := range map[string]any{"text": "broken", "error": errors.New("broken"), "nil": nil} {
		inner := crhandler.EnqueueRequestsFromMapFunc(func(context.Context, client.Object) []reconcile.Request { panic(value) })
		h := handler.As(trigger.Watched, inner)
		for kind, send := range map[string]func(ctx context.Context, q q){
			"create":  func(ctx context.Context, q q) { h.Create(ctx, event.CreateEvent{Object: secret("a", "1")}, q) },
			"update":  func(ctx context.Context, q q) { h.Update(ctx, event.UpdateEvent{}, q) },
			"delete":  func(ctx context.Context, q q) { h.Delete(ctx, event.DeleteEvent{}, q) },
			"generic": func(ctx context.Context, q q) { h.Generic(ctx, event.GenericEvent{}, q) },
		} {
			t.Run(name+", "+kind, func(t *testing.T) {
				ctx, lines := logged(t)
				ours, o := newQueue[reconcile.Request](t)
				send(ctx, ours)
				require.Equal(t, []trigger.Source{trigger.Watched}, o.panicked)
				require.Len(t, *lines, 1)
				require.Contains(t, (*lines)[0], `"source"="watched" "event"="`+kind+`"`)
				require.Contains(t, (*lines)[0], "panic_test.go")
				if value != nil {
					require.Contains(t, (*lines)[0], "panic: broken")
				}
				require.Zero(t, ours.Len())

				ctx, lines = logged(t)
				send(ctx, &foreign{})
				require.Len(t, *lines, 1, "with another queue, too")
			})
		}
	}
}

// The tombstone of a missed delete, as informers give it to raw handlers, has no
// object: a mapping function that relies on one ends no informer.
func TestNilObject_PR13(t *testing.T) {
	ours, o := newQueue[reconcile.Request](t)
	ctx, lines := logged(t)
	h := handler.As(trigger.Watched, crhandler.EnqueueRequestsFromMapFunc(func(_ context.Context, o client.Object) []reconcile.Request {
		return []reconcile.Request{request(o.GetName())}
	}))
	h.Delete(ctx, event.DeleteEvent{Object: nil, DeleteStateUnknown: true}, ours)
	require.Len(t, o.panicked, 1)
	require.Len(t, *lines, 1)
	h.Delete(ctx, event.DeleteEvent{Object: secret("a", "1"), DeleteStateUnknown: true}, ours)
	require.Equal(t, []delivery[reconcile.Request]{{request("a"), "watched", -20}}, deliveries(t, ours, o))
}

// What was added before the panic stays.
func TestPanicAfterAnAdd(t *testing.T) {
	ours, o := newQueue[reconcile.Request](t)
	ctx, _ := logged(t)
	handler.As(trigger.External, adding(func(q workqueue.TypedRateLimitingInterface[reconcile.Request]) {
		q.Add(request("a"))
		panic("broken")
	})).Generic(ctx, event.GenericEvent{}, ours)
	require.Equal(t, []delivery[reconcile.Request]{{request("a"), "external", 0}}, deliveries(t, ours, o))
	require.Len(t, o.panicked, 1)
}

// A panic is counted once, under the tag that counts, however deep it was.
func TestPanicInNestedAs(t *testing.T) {
	broken := adding(func(workqueue.TypedRateLimitingInterface[reconcile.Request]) { panic("broken") })
	ours, o := newQueue[reconcile.Request](t)
	ctx, lines := logged(t)
	handler.As(trigger.Watched, handler.As(trigger.External, broken)).Generic(ctx, event.GenericEvent{}, ours)
	require.Equal(t, []trigger.Source{trigger.Watched}, o.panicked)
	require.Len(t, *lines, 1)
}

// So is one of an As, such as Owned, within a Spread, which must not hide the queue.
func TestPanicInAsWithinSpread(t *testing.T) {
	broken := adding(func(workqueue.TypedRateLimitingInterface[reconcile.Request]) { panic("broken") })
	ours, o := newQueue[reconcile.Request](t)
	ctx, lines := logged(t)
	handler.Spread(time.Minute, handler.As(trigger.Watched, broken)).Generic(ctx, event.GenericEvent{}, ours)
	require.Equal(t, []trigger.Source{trigger.Resync}, o.panicked)
	require.Len(t, *lines, 1)
}
