package handler

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"

	"github.com/trimtab/trimtab/trigger"
)

// Spread returns h with what it enqueues for one event spread evenly over d, in
// h's order, at controller-runtime's low priority, so that it counts as Resync.
// It is for events that touch very many objects, such as a new CA or
// configuration:
//
//	Watches(&corev1.ConfigMap{}, handler.Spread(time.Minute, handler.EnqueueRequestsFromMapFunc(all)))
//
// The reason is that low priority alone lets a user's change overtake what waits,
// and not what all the workers have begun, nor the load that they put on the API
// server. The price is that the last object learns of the event only after d.
// Zero means at once, at low priority.
//
// Each request is enqueued at most once for an event. One that is queued already
// and due sooner is left alone; one that is due later comes sooner.
//
// A delay that h gives comes before the request's turn, so the spread begins when
// the delay ends. A priority that h gives stays: it decides who is first among
// those that are ready. What h adds rate limited is not spread, since the limiter
// gives it a time of its own. An event of the initial list is not spread either:
// at a start everything is enqueued anyway, and what comes at once merges with
// that.
//
// Spread needs no As around it; with one, what h gives a priority of its own counts
// under that source. A panic of h is logged and reported as with As; what h had
// enqueued by then stays.
//
// It panics if d is negative or h is nil.
func Spread[object any, request comparable](d time.Duration, h handler.TypedEventHandler[object, request]) handler.TypedEventHandler[object, request] {
	if d < 0 {
		panic(fmt.Errorf("handler: Spread(%s, …): the duration must not be negative", d))
	}
	if h == nil {
		panic(errors.New("handler: Spread(…, nil): the handler must not be nil"))
	}
	return &spreading[object, request]{over: d, inner: h}
}

type spreading[object any, request comparable] struct {
	over  time.Duration
	inner handler.TypedEventHandler[object, request]
}

// Create implements TypedEventHandler.
func (s *spreading[object, request]) Create(ctx context.Context, e event.TypedCreateEvent[object], q workqueue.TypedRateLimitingInterface[request]) {
	over := s.over
	if e.IsInInitialList {
		over = 0
	}
	defer guard(ctx, trigger.Resync, "create", q)
	b := newBatch(q)
	defer b.release(over)
	s.inner.Create(ctx, e, b)
}

// Update implements TypedEventHandler.
func (s *spreading[object, request]) Update(ctx context.Context, e event.TypedUpdateEvent[object], q workqueue.TypedRateLimitingInterface[request]) {
	defer guard(ctx, trigger.Resync, "update", q)
	b := newBatch(q)
	defer b.release(s.over)
	s.inner.Update(ctx, e, b)
}

// Delete implements TypedEventHandler.
func (s *spreading[object, request]) Delete(ctx context.Context, e event.TypedDeleteEvent[object], q workqueue.TypedRateLimitingInterface[request]) {
	defer guard(ctx, trigger.Resync, "delete", q)
	b := newBatch(q)
	defer b.release(s.over)
	s.inner.Delete(ctx, e, b)
}

// Generic implements TypedEventHandler.
func (s *spreading[object, request]) Generic(ctx context.Context, e event.TypedGenericEvent[object], q workqueue.TypedRateLimitingInterface[request]) {
	defer guard(ctx, trigger.Resync, "generic", q)
	b := newBatch(q)
	defer b.release(s.over)
	s.inner.Generic(ctx, e, b)
}
