package handler

import (
	"context"
	"fmt"
	"time"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"

	"github.com/trimtab/trimtab/trigger"
)

// As returns h with everything that it enqueues tagged with source, so that the
// queue gives it that source's priority and the run counts under it. What h
// enqueues with a priority of its own keeps it; what it enqueues with
// controller-runtime's low priority, as for the initial list, counts as Resync,
// if source is Primary, External or Watched.
//
// A panic of h, or of the mapping function in it, is logged and reported to the
// queue's observer; the event is lost, the informer lives.
//
// As must stand outermost: an As within an As, or within one of
// controller-runtime's wrappers, tags nothing. It panics if h is nil or source is
// none of the constants of package trigger.
func As[object any, request comparable](source trigger.Source, h handler.TypedEventHandler[object, request]) handler.TypedEventHandler[object, request] {
	if h == nil {
		panic(fmt.Errorf("handler: As(%s, nil): the handler must not be nil", source))
	}
	if int(source) >= trigger.Count {
		panic(fmt.Errorf("handler: As(%d, …): no such trigger.Source", source))
	}
	return &tagging[object, request]{source: source, inner: h}
}

type tagging[object any, request comparable] struct {
	source trigger.Source
	inner  handler.TypedEventHandler[object, request]
}

// Create implements TypedEventHandler.
func (t *tagging[object, request]) Create(ctx context.Context, e event.TypedCreateEvent[object], q workqueue.TypedRateLimitingInterface[request]) {
	defer guard(ctx, t.source, "create", q)
	t.inner.Create(ctx, e, tag(t.source, q))
}

// Update implements TypedEventHandler.
func (t *tagging[object, request]) Update(ctx context.Context, e event.TypedUpdateEvent[object], q workqueue.TypedRateLimitingInterface[request]) {
	defer guard(ctx, t.source, "update", q)
	t.inner.Update(ctx, e, tag(t.source, q))
}

// Delete implements TypedEventHandler.
func (t *tagging[object, request]) Delete(ctx context.Context, e event.TypedDeleteEvent[object], q workqueue.TypedRateLimitingInterface[request]) {
	defer guard(ctx, t.source, "delete", q)
	t.inner.Delete(ctx, e, tag(t.source, q))
}

// Generic implements TypedEventHandler.
func (t *tagging[object, request]) Generic(ctx context.Context, e event.TypedGenericEvent[object], q workqueue.TypedRateLimitingInterface[request]) {
	defer guard(ctx, t.source, "generic", q)
	t.inner.Generic(ctx, e, tag(t.source, q))
}

// sourceQueue is what package queue has beyond a PriorityQueue.
type sourceQueue[request comparable] interface {
	priorityqueue.PriorityQueue[request]
	panicCounter
	AddWithSource(source trigger.Source, o priorityqueue.AddOpts, requests ...request)
}

// tag returns q with a source for everything that is added, or q itself if it
// is not ours.
func tag[request comparable](source trigger.Source, q workqueue.TypedRateLimitingInterface[request]) workqueue.TypedRateLimitingInterface[request] {
	ours, ok := q.(sourceQueue[request])
	if !ok {
		return q
	}
	return &taggedQueue[request]{PriorityQueue: ours, ours: ours, source: source}
}

// taggedQueue is a PriorityQueue, so that the handlers of controller-runtime give
// it priorities; it is no sourceQueue, so that the outermost tag counts.
type taggedQueue[request comparable] struct {
	priorityqueue.PriorityQueue[request]
	ours   sourceQueue[request]
	source trigger.Source
}

func (t *taggedQueue[request]) AddWithOpts(o priorityqueue.AddOpts, requests ...request) {
	t.ours.AddWithSource(t.source, o, requests...)
}

// HandlerPanicked counts the panic of an As within an As, under the tag that counts.
func (t *taggedQueue[request]) HandlerPanicked(trigger.Source) { t.ours.HandlerPanicked(t.source) }

func (t *taggedQueue[request]) Add(r request) {
	t.AddWithOpts(priorityqueue.AddOpts{}, r)
}

func (t *taggedQueue[request]) AddAfter(r request, after time.Duration) {
	t.AddWithOpts(priorityqueue.AddOpts{After: after}, r)
}

func (t *taggedQueue[request]) AddRateLimited(r request) {
	t.AddWithOpts(priorityqueue.AddOpts{RateLimited: true}, r)
}
