package handler_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/event"
	crhandler "sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/trimtab/trimtab/handler"
	"github.com/trimtab/trimtab/trigger"
)

// With any queue the requests come in their turns, the one that was due sooner
// does, too, and so does the one that was due later.
func TestSpreadOnAnotherQueue(t *testing.T) {
	newPlain := func() rateLimiting {
		return workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
	}
	newPriority := func() rateLimiting { return priorityqueue.New[reconcile.Request]("test") }
	for name, newQueue := range map[string]func() rateLimiting{"client-go's": newPlain, "controller-runtime's": newPriority} {
		for wrapped, h := range map[string]crhandler.EventHandler{
			"alone":      handler.Spread(4*time.Second, all(4)),
			"as Watched": handler.As(trigger.Watched, handler.Spread(4*time.Second, all(4))),
		} {
			t.Run(name+", "+wrapped, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					q := newQueue()
					q.AddAfter(request("r3"), 500*time.Millisecond)
					q.AddAfter(request("r2"), time.Hour)
					h.Generic(t.Context(), event.GenericEvent{}, q)
					start := time.Now()
					for _, want := range []string{"r0 0s", "r3 500ms", "r1 1s", "r2 2s"} {
						r, _ := q.Get()
						require.Equal(t, want, fmt.Sprint(r.Name, " ", time.Since(start)))
						q.Done(r)
					}
					time.Sleep(2 * time.Hour)
					synctest.Wait()
					require.Zero(t, q.Len())
					q.ShutDown()
				})
			})
		}
	}
}

// Low priority on any priority queue; elsewhere nothing has one.
func TestSpreadPriorityOnAnotherQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := priorityqueue.New[reconcile.Request]("test")
		defer q.ShutDown()
		handler.Spread(0, all(1)).Generic(t.Context(), event.GenericEvent{}, q)
		_, priority, _ := q.GetWithPriority()
		require.Equal(t, crhandler.LowPriority, priority)
	})
	synctest.Test(t, func(t *testing.T) {
		q := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
		defer q.ShutDown()
		q.Add(request("a"))
		handler.Spread(time.Minute, adding(func(q rateLimiting) {
			q.AddRateLimited(request("b"))
			r, priority, shutdown := q.(priorityqueue.PriorityQueue[reconcile.Request]).GetWithPriority()
			require.Equal(t, request("a"), r)
			require.Zero(t, priority)
			require.False(t, shutdown)
			q.Done(r)
		})).Generic(t.Context(), event.GenericEvent{}, q)
		require.Equal(t, 1, q.NumRequeues(request("b")))
		r, _ := q.Get()
		require.Equal(t, request("b"), r)
		q.Done(r)
	})
}

// Whatever else a handler asks the queue, it asks the real one.
func TestSpreadPassesTheRestThrough(t *testing.T) {
	ours, _ := newQueue[reconcile.Request](t)
	ours.AddRateLimited(request("a"))
	asked := false
	handler.Spread(time.Minute, adding(func(q rateLimiting) {
		asked = true
		require.Equal(t, 1, q.NumRequeues(request("a")))
		q.Forget(request("a"))
		require.Zero(t, q.Len())
		require.False(t, q.ShuttingDown())
	})).Generic(t.Context(), event.GenericEvent{}, ours)
	require.True(t, asked)
	require.Zero(t, ours.NumRequeues(request("a")))
}

// A handler may add from several goroutines, and go on after the event: nothing is
// lost.
func TestSpreadOfGoroutines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, o := newQueue[reconcile.Request](t)
		handler.Spread(time.Second, adding(func(q rateLimiting) {
			var group sync.WaitGroup
			for i := range 10 {
				group.Go(func() { q.Add(request(fmt.Sprint("r", i))) })
			}
			group.Wait()
			go func() {
				time.Sleep(time.Minute)
				q.Add(request("late"))
				q.AddAfter(request("later"), time.Minute)
			}()
		})).Generic(t.Context(), event.GenericEvent{}, ours)
		got := arrivals(t, ours, o, time.Hour)
		require.Len(t, got, 12)
		for i, a := range got[:10] {
			require.Equal(t, time.Duration(i)*100*time.Millisecond, a.at)
		}
		require.Equal(t, arrival{delivery[reconcile.Request]{request("late"), "resync", -100}, time.Minute}, got[10])
		require.Equal(t, arrival{delivery[reconcile.Request]{request("later"), "resync", -100}, 2 * time.Minute}, got[11])
	})
}

// A mapping function that panics at the new object has mapped the old one: that
// stays, spread. The panic is counted once, under the outermost tag, and ends in
// the handler; the next event is served as if nothing had been.
func TestSpreadSurvivesPanic_PR13(t *testing.T) {
	mapping := func(_ context.Context, o client.Object) []reconcile.Request {
		if o.GetResourceVersion() == "broken" {
			panic("broken")
		}
		return []reconcile.Request{request("r0"), request("r1")}
	}
	h := handler.Spread(2*time.Second, crhandler.EnqueueRequestsFromMapFunc(mapping))
	for name, tc := range map[string]struct {
		h    crhandler.EventHandler
		want trigger.Source
	}{
		"alone":      {h, trigger.Resync},
		"as Watched": {handler.As(trigger.Watched, h), trigger.Watched},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ours, o := newQueue[reconcile.Request](t)
				ctx, lines := logged(t)
				tc.h.Update(ctx, event.UpdateEvent{ObjectOld: secret("a", "1"), ObjectNew: secret("a", "broken")}, ours)
				require.Equal(t, []trigger.Source{tc.want}, o.panicked)
				require.Len(t, *lines, 1)
				require.Contains(t, (*lines)[0], `"event"="update"`)
				require.Contains(t, (*lines)[0], "spread_queue_test.go")

				tc.h.Create(ctx, event.CreateEvent{Object: nil}, ours) // the mapping relies on one
				tc.h.Delete(ctx, event.DeleteEvent{Object: secret("a", "broken")}, ours)
				tc.h.Generic(ctx, event.GenericEvent{Object: secret("a", "broken")}, ours)
				require.Len(t, o.panicked, 4)
				for i, kind := range []string{"update", "create", "delete", "generic"} {
					require.Contains(t, (*lines)[i], `"event"="`+kind+`"`)
				}
				require.Equal(t, []arrival{
					{delivery[reconcile.Request]{request("r0"), "resync", -100}, 0},
					{delivery[reconcile.Request]{request("r1"), "resync", -100}, time.Second},
				}, arrivals(t, ours, o, time.Minute))
			})
		})
	}
}
