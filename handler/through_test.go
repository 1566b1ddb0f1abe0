package handler_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/event"
	crhandler "sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/trimtab/trimtab/handler"
	"github.com/trimtab/trimtab/trigger"
)

// The events themselves pass through as they are: the objects, that an initial list
// is one, that a tombstone's last state is unknown; and the context.
func TestEventsPassThrough(t *testing.T) {
	type contextKey struct{}
	var got []any
	note := func(ctx context.Context, e any) { got = append(got, ctx.Value(contextKey{}), e) }
	inner := crhandler.Funcs{
		CreateFunc:  func(ctx context.Context, e event.CreateEvent, _ rateLimiting) { note(ctx, e) },
		UpdateFunc:  func(ctx context.Context, e event.UpdateEvent, _ rateLimiting) { note(ctx, e) },
		DeleteFunc:  func(ctx context.Context, e event.DeleteEvent, _ rateLimiting) { note(ctx, e) },
		GenericFunc: func(ctx context.Context, e event.GenericEvent, _ rateLimiting) { note(ctx, e) },
	}
	create := event.CreateEvent{Object: secret("a", "1"), IsInInitialList: true}
	update := event.UpdateEvent{ObjectOld: secret("a", "1"), ObjectNew: secret("a", "2")}
	tombstone := event.DeleteEvent{Object: secret("a", "2"), DeleteStateUnknown: true}
	generic := event.GenericEvent{Object: secret("a", "3")}
	ctx := context.WithValue(t.Context(), contextKey{}, "mine")
	for name, h := range map[string]crhandler.EventHandler{
		"As":     handler.As(trigger.Watched, inner),
		"Spread": handler.Spread(time.Minute, inner),
		"both":   handler.As(trigger.Watched, handler.Spread(time.Minute, inner)),
	} {
		t.Run(name, func(t *testing.T) {
			got = nil
			q, _ := newQueue[reconcile.Request](t)
			h.Create(ctx, create, q)
			h.Update(ctx, update, q)
			h.Delete(ctx, tombstone, q)
			h.Generic(ctx, generic, q)
			require.Equal(t, []any{"mine", create, "mine", update, "mine", tombstone, "mine", generic}, got)
		})
	}
}

// Of merged events, the first one's time is kept, and the strongest's own.
func TestMergedEventsKeepTheirTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, o := newQueue[reconcile.Request](t)
		ours.Add(request("warm up")) // the times count from when a worker first asks
		deliveries(t, ours, o)
		start := time.Now()
		add := adding(func(q rateLimiting) { q.Add(request("a")) })
		for _, source := range []trigger.Source{trigger.Watched, trigger.External, trigger.Watched, trigger.External} {
			handler.As(source, add).Generic(t.Context(), event.GenericEvent{}, ours)
			time.Sleep(time.Second)
		}
		handler.Spread(time.Minute, add).Generic(t.Context(), event.GenericEvent{}, ours)
		require.Equal(t, []delivery[reconcile.Request]{{request("a"), "external+watched+resync", 0}}, deliveries(t, ours, o))
		require.Equal(t, start, o.last.Added)
		require.Equal(t, start.Add(time.Second), o.last.Caused)
	})
}

// On controller-runtime's own queues, too, each handler enqueues what it is for,
// with the priority that the handler within gives.
func TestOnControllerRuntimesQueues(t *testing.T) {
	for name, h := range map[string]crhandler.EventHandler{
		"As":    handler.As(trigger.Watched, stock()["EnqueueRequestForObject"]),
		"Owned": handler.Owned(stubCluster{scheme: scheme.Scheme}, &corev1.ConfigMap{}),
	} {
		want := map[string]string{"As": "secret", "Owned": "controller"}[name]
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := priorityqueue.New[reconcile.Request]("test")
				defer q.ShutDown()
				for initial, priority := range map[bool]int{true: crhandler.LowPriority, false: 0} {
					h.Create(t.Context(), event.CreateEvent{Object: ownedSecret("1"), IsInInitialList: initial}, q)
					r, got, _ := q.GetWithPriority()
					require.Equal(t, request(want), r)
					require.Equal(t, priority, got)
					q.Done(r)
				}

				plain := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
				defer plain.ShutDown()
				h.Create(t.Context(), event.CreateEvent{Object: ownedSecret("1"), IsInInitialList: true}, plain)
				r, _ := plain.Get()
				require.Equal(t, request(want), r)
				plain.Done(r)
			})
		})
	}
}

// Requests are one by ==, so they should be values: pointers to equal requests are
// enqueued each for itself. The package's documentation says so.
func TestPointerRequestsAreWrong_QU10(t *testing.T) {
	type key struct{ cluster, name string }
	values := handler.Spread(0, crhandler.TypedEnqueueRequestsFromMapFunc(func(_ context.Context, name string) []key {
		return []key{{"east", name}, {"east", name}}
	}))
	ours, o := newQueue[key](t)
	values.Generic(t.Context(), event.TypedGenericEvent[string]{Object: "a"}, ours)
	values.Generic(t.Context(), event.TypedGenericEvent[string]{Object: "a"}, ours)
	require.Len(t, deliveries(t, ours, o), 1)

	pointers := handler.Spread(0, crhandler.TypedEnqueueRequestsFromMapFunc(func(_ context.Context, name string) []*key {
		return []*key{{"east", name}, {"east", name}}
	}))
	wrong, o := newQueue[*key](t)
	pointers.Generic(t.Context(), event.TypedGenericEvent[string]{Object: "a"}, wrong)
	require.Len(t, deliveries(t, wrong, o), 2)
}
