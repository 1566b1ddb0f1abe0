package handler_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/event"
	crhandler "sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/trimtab/trimtab/handler"
	"github.com/trimtab/trimtab/trigger"
)

func secret(name, version string) *corev1.Secret {
	s := &corev1.Secret{}
	s.Namespace, s.Name, s.ResourceVersion = "ns", name, version
	return s
}

// The handlers of controller-runtime that an operator wraps.
func stock() map[string]crhandler.EventHandler {
	return map[string]crhandler.EventHandler{
		"EnqueueRequestForObject": &crhandler.EnqueueRequestForObject{},
		"EnqueueRequestsFromMapFunc": crhandler.EnqueueRequestsFromMapFunc(func(_ context.Context, o client.Object) []reconcile.Request {
			return []reconcile.Request{request(o.GetName())}
		}),
		"Funcs": crhandler.Funcs{
			CreateFunc: func(_ context.Context, e event.CreateEvent, q workqueue.TypedRateLimitingInterface[reconcile.Request]) {
				q.Add(request(e.Object.GetName()))
			},
			UpdateFunc: func(_ context.Context, e event.UpdateEvent, q workqueue.TypedRateLimitingInterface[reconcile.Request]) {
				q.Add(request(e.ObjectNew.GetName()))
			},
			DeleteFunc: func(_ context.Context, e event.DeleteEvent, q workqueue.TypedRateLimitingInterface[reconcile.Request]) {
				q.Add(request(e.Object.GetName()))
			},
			GenericFunc: func(_ context.Context, e event.GenericEvent, q workqueue.TypedRateLimitingInterface[reconcile.Request]) {
				q.Add(request(e.Object.GetName()))
			},
		},
		"WithLowPriorityWhenUnchanged": crhandler.WithLowPriorityWhenUnchanged(&crhandler.EnqueueRequestForObject{}),
	}
}

// Every kind of event through every stock handler: tagged, with the priority of
// the tag; the initial list and resyncs are told apart.
func TestAsTagsEveryEvent(t *testing.T) {
	type q = workqueue.TypedRateLimitingInterface[reconcile.Request]
	watched := []delivery[reconcile.Request]{{request("a"), "watched", -20}}
	resync := []delivery[reconcile.Request]{{request("a"), "resync", -100}}
	for name, inner := range stock() {
		h := handler.As(trigger.Watched, inner)
		for _, tc := range []struct {
			name string
			send func(ctx context.Context, q q)
			want []delivery[reconcile.Request]
		}{
			{"create", func(ctx context.Context, q q) {
				h.Create(ctx, event.CreateEvent{Object: secret("a", "1")}, q)
			}, watched},
			{"initial list", func(ctx context.Context, q q) {
				h.Create(ctx, event.CreateEvent{Object: secret("a", "1"), IsInInitialList: true}, q)
			}, resync},
			{"update", func(ctx context.Context, q q) {
				h.Update(ctx, event.UpdateEvent{ObjectOld: secret("a", "1"), ObjectNew: secret("a", "2")}, q)
			}, watched},
			{"resync", func(ctx context.Context, q q) {
				h.Update(ctx, event.UpdateEvent{ObjectOld: secret("a", "1"), ObjectNew: secret("a", "1")}, q)
			}, resync},
			{"delete", func(ctx context.Context, q q) {
				h.Delete(ctx, event.DeleteEvent{Object: secret("a", "1")}, q)
			}, watched},
			{"delete, last state unknown", func(ctx context.Context, q q) {
				h.Delete(ctx, event.DeleteEvent{Object: secret("a", "1"), DeleteStateUnknown: true}, q)
			}, watched},
			{"generic", func(ctx context.Context, q q) {
				h.Generic(ctx, event.GenericEvent{Object: secret("a", "1")}, q)
			}, watched},
		} {
			t.Run(name+", "+tc.name, func(t *testing.T) {
				ours, o := newQueue[reconcile.Request](t)
				tc.send(t.Context(), ours)
				require.Equal(t, tc.want, deliveries(t, ours, o))
				require.Empty(t, o.panicked)
			})
		}
	}
}

// adding is a handler that does with the queue what it is told.
func adding(add func(workqueue.TypedRateLimitingInterface[reconcile.Request])) crhandler.EventHandler {
	return crhandler.Funcs{GenericFunc: func(_ context.Context, _ event.GenericEvent, q workqueue.TypedRateLimitingInterface[reconcile.Request]) {
		add(q)
	}}
}

func TestAsTagsEveryAdd(t *testing.T) {
	type q = workqueue.TypedRateLimitingInterface[reconcile.Request]
	prioritized := func(q q, o priorityqueue.AddOpts) {
		q.(priorityqueue.PriorityQueue[reconcile.Request]).AddWithOpts(o, request("a"))
	}
	five, low := 5, crhandler.LowPriority
	for _, tc := range []struct {
		name string
		add  func(q)
		want delivery[reconcile.Request]
		at   time.Duration
	}{
		{"Add", func(q q) { q.Add(request("a")) }, delivery[reconcile.Request]{request("a"), "external", 0}, 0},
		{"AddAfter", func(q q) { q.AddAfter(request("a"), time.Second) }, delivery[reconcile.Request]{request("a"), "external", 0}, time.Second},
		{"AddRateLimited", func(q q) { q.AddRateLimited(request("a")) }, delivery[reconcile.Request]{request("a"), "external", 0}, 5 * time.Millisecond},
		{"AddWithOpts", func(q q) { prioritized(q, priorityqueue.AddOpts{}) }, delivery[reconcile.Request]{request("a"), "external", 0}, 0},
		{"AddWithOpts, later", func(q q) { prioritized(q, priorityqueue.AddOpts{After: time.Minute}) }, delivery[reconcile.Request]{request("a"), "external", 0}, time.Minute},
		{"own priority", func(q q) { prioritized(q, priorityqueue.AddOpts{Priority: &five}) }, delivery[reconcile.Request]{request("a"), "external", 5}, 0},
		{"low priority", func(q q) { prioritized(q, priorityqueue.AddOpts{Priority: &low}) }, delivery[reconcile.Request]{request("a"), "resync", -100}, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ours, o := newQueue[reconcile.Request](t)
				handler.As(trigger.External, adding(tc.add)).Generic(t.Context(), event.GenericEvent{}, ours)
				if tc.at > 0 {
					require.Zero(t, ours.Len())
					time.Sleep(tc.at)
					synctest.Wait()
				}
				require.Equal(t, []delivery[reconcile.Request]{tc.want}, deliveries(t, ours, o))
			})
		})
	}
}

// Whatever else a handler asks the queue, it asks the real one.
func TestAsPassesTheRestThrough(t *testing.T) {
	ours, _ := newQueue[reconcile.Request](t)
	ours.AddRateLimited(request("a"))
	asked := false
	handler.As(trigger.Watched, adding(func(q workqueue.TypedRateLimitingInterface[reconcile.Request]) {
		asked = true
		require.Equal(t, 1, q.NumRequeues(request("a")))
		q.Forget(request("a"))
		require.Zero(t, q.Len())
		require.False(t, q.ShuttingDown())
	})).Generic(t.Context(), event.GenericEvent{}, ours)
	require.True(t, asked)
	require.Zero(t, ours.NumRequeues(request("a")))
}

// The outermost tag counts; within one of controller-runtime's wrappers it is lost.
func TestAsMustStandOutermost(t *testing.T) {
	object := &crhandler.EnqueueRequestForObject{}
	e := event.CreateEvent{Object: secret("a", "1")}
	for _, tc := range []struct {
		name string
		h    crhandler.EventHandler
		want delivery[reconcile.Request]
	}{
		{"As of As", handler.As(trigger.Watched, handler.As(trigger.External, object)), delivery[reconcile.Request]{request("a"), "watched", -20}},
		{"As of a wrapper", handler.As(trigger.Watched, crhandler.WithLowPriorityWhenUnchanged(object)), delivery[reconcile.Request]{request("a"), "watched", -20}},
		{"a wrapper of As", crhandler.WithLowPriorityWhenUnchanged(handler.As(trigger.Watched, object)), delivery[reconcile.Request]{request("a"), "primary", 0}},
		{"As of a wrapper of As", handler.As(trigger.Resync, crhandler.WithLowPriorityWhenUnchanged(handler.As(trigger.Watched, object))), delivery[reconcile.Request]{request("a"), "resync", -100}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			ours, o := newQueue[reconcile.Request](t)
			tc.h.Create(t.Context(), e, ours)
			require.Equal(t, []delivery[reconcile.Request]{tc.want}, deliveries(t, ours, o))
		})
	}
}

// With another queue the handler does what it would do alone.
func TestAsOnAnotherQueue(t *testing.T) {
	h := adding(func(q workqueue.TypedRateLimitingInterface[reconcile.Request]) {
		q.Add(request("a"))
		q.AddAfter(request("b"), time.Second)
		q.AddRateLimited(request("c"))
	})
	t.Run("client-go's", func(t *testing.T) {
		plain := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
		defer plain.ShutDown()
		handler.As(trigger.Watched, adding(func(q workqueue.TypedRateLimitingInterface[reconcile.Request]) {
			require.Same(t, plain, q)
			q.Add(request("a"))
		})).Generic(t.Context(), event.GenericEvent{}, plain)
		r, _ := plain.Get()
		require.Equal(t, request("a"), r)
	})
	t.Run("a priority queue", func(t *testing.T) {
		q := &foreign{}
		handler.As(trigger.Watched, h).Generic(t.Context(), event.GenericEvent{}, q)
		require.Equal(t, []string{"Add a", "AddAfter b 1s", "AddRateLimited c"}, q.calls)
	})
	t.Run("initial list", func(t *testing.T) {
		q := &foreign{}
		handler.As(trigger.Watched, stock()["EnqueueRequestForObject"]).Create(t.Context(), event.CreateEvent{Object: secret("a", "1"), IsInInitialList: true}, q)
		require.Equal(t, []string{"AddWithOpts a low"}, q.calls)
	})
}

// Typed objects and requests of one's own.
func TestAsOfOtherTypes(t *testing.T) {
	type clusterRequest struct{ cluster, name string }
	h := handler.As(trigger.Watched, crhandler.TypedEnqueueRequestsFromMapFunc(func(_ context.Context, s *corev1.Secret) []clusterRequest {
		return []clusterRequest{{"east", s.Name}, {"west", s.Name}}
	}))
	ours, o := newQueue[clusterRequest](t)
	h.Update(t.Context(), event.TypedUpdateEvent[*corev1.Secret]{ObjectOld: secret("a", "1"), ObjectNew: secret("a", "2")}, ours)
	h.Create(t.Context(), event.TypedCreateEvent[*corev1.Secret]{Object: secret("b", "1"), IsInInitialList: true}, ours)
	require.Equal(t, []delivery[clusterRequest]{
		{clusterRequest{"east", "a"}, "watched", -20},
		{clusterRequest{"west", "a"}, "watched", -20},
		{clusterRequest{"east", "b"}, "resync", -100},
		{clusterRequest{"west", "b"}, "resync", -100},
	}, deliveries(t, ours, o))

	// Objects that are none of Kubernetes, as a channel may carry.
	text := handler.As(trigger.External, crhandler.TypedEnqueueRequestsFromMapFunc(func(_ context.Context, s string) []string { return []string{s} }))
	words, o := newQueue[string](t)
	text.Generic(t.Context(), event.TypedGenericEvent[string]{Object: "hook"}, words)
	require.Equal(t, []delivery[string]{{"hook", "external", 0}}, deliveries(t, words, o))
}

// A request that is tagged while its run is in flight, just like a requeue, is none.
func TestTaggedAddInFlightIsNoRequeue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, o := newQueue[reconcile.Request](t)
		ours.Add(request("a"))
		ours.Get()
		zero := 0
		handler.As(trigger.Watched, adding(func(q workqueue.TypedRateLimitingInterface[reconcile.Request]) {
			q.(priorityqueue.PriorityQueue[reconcile.Request]).AddWithOpts(priorityqueue.AddOpts{After: time.Second, Priority: &zero}, request("a"))
		})).Generic(t.Context(), event.GenericEvent{}, ours)
		ours.Done(request("a"))
		time.Sleep(time.Second)
		synctest.Wait()
		require.Equal(t, []delivery[reconcile.Request]{{request("a"), "watched", 0}}, deliveries(t, ours, o))
	})
}

func TestAsWithBadArguments(t *testing.T) {
	object := &crhandler.EnqueueRequestForObject{}
	var none crhandler.EventHandler
	require.PanicsWithError(t, "handler: As(watched, nil): the handler must not be nil", func() { handler.As(trigger.Watched, none) })
	require.PanicsWithError(t, "handler: As(6, …): no such trigger.Source", func() {
		handler.As[client.Object, reconcile.Request](trigger.Source(trigger.Count), object)
	})
	for s := range trigger.All.Sources() {
		require.NotPanics(t, func() { handler.As[client.Object, reconcile.Request](s, object) })
	}
}
