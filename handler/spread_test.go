package handler_test

import (
	"context"
	"fmt"
	"math"
	"sync"
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
	"github.com/trimtab/trimtab/queue"
	"github.com/trimtab/trimtab/trigger"
)

type rateLimiting = workqueue.TypedRateLimitingInterface[reconcile.Request]

// all returns a mapping to n requests, r0 to the last.
func all(n int) crhandler.EventHandler {
	requests := make([]reconcile.Request, n)
	for i := range requests {
		requests[i] = request(fmt.Sprint("r", i))
	}
	return crhandler.EnqueueRequestsFromMapFunc(func(context.Context, client.Object) []reconcile.Request { return requests })
}

// arrival is a delivery and its time.
type arrival struct {
	delivery[reconcile.Request]
	at time.Duration
}

// arrivals takes and finishes what comes within that time from now.
func arrivals(t *testing.T, q *queue.Queue[reconcile.Request], o *observed, within time.Duration) []arrival {
	t.Helper()
	start, got := time.Now(), []arrival{}
	var worker sync.WaitGroup
	worker.Go(func() {
		for {
			r, priority, shutdown := q.GetWithPriority()
			if shutdown {
				return
			}
			got = append(got, arrival{delivery[reconcile.Request]{r, o.last.Sources.String(), priority}, time.Since(start)})
			q.Done(r)
		}
	})
	time.Sleep(within)
	q.ShutDown()
	worker.Wait()
	return got
}

// A change of the configuration that concerns a thousand objects: never more than
// 2.5 % of them in a second, each once, at low priority. What was queued already
// and is due sooner stays where it is; what is due later comes in its turn.
func TestSpread_QU08(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, o := newQueue[reconcile.Request](t)
		ours.AddAfter(request("r999"), 500*time.Millisecond)
		ours.AddAfter(request("r100"), time.Hour)
		handler.Spread(time.Minute, all(1000)).Update(t.Context(), event.UpdateEvent{ObjectOld: secret("a", "1"), ObjectNew: secret("a", "2")}, ours)
		got := arrivals(t, ours, o, 2*time.Hour)
		require.Len(t, got, 1000)

		at := map[string]time.Duration{}
		for i, first := range got {
			at[first.request.Name] = first.at
			inSecond := 0
			for _, a := range got[i:] {
				if a.at < first.at+time.Second {
					inSecond++
				}
			}
			require.LessOrEqual(t, inSecond, 25)
			if name := first.request.Name; name != "r999" && name != "r100" {
				require.Equal(t, "resync", first.sources)
				require.Equal(t, -100, first.priority)
			}
		}
		require.Len(t, at, 1000)
		require.Equal(t, 500*time.Millisecond, at["r999"], "due sooner: left alone")
		for i := range 999 {
			require.Equal(t, time.Duration(i)*60*time.Millisecond, at[fmt.Sprint("r", i)])
		}
	})
}

// Every kind of event is spread, but for the initial list, which is enqueued as it
// would be without: at a start it must not hold up the objects' first runs.
func TestSpreadOfEveryEvent(t *testing.T) {
	low := func(name string, at time.Duration) arrival {
		return arrival{delivery[reconcile.Request]{request(name), "resync", -100}, at}
	}
	spread := []arrival{low("r0", 0), low("r1", time.Second), low("r2", 2*time.Second)}
	atOnce := []arrival{low("r0", 0), low("r1", 0), low("r2", 0)}
	h := handler.Spread(3*time.Second, all(3))
	for name, tc := range map[string]struct {
		send func(ctx context.Context, h crhandler.EventHandler, q rateLimiting)
		want []arrival
	}{
		"create": {func(ctx context.Context, h crhandler.EventHandler, q rateLimiting) {
			h.Create(ctx, event.CreateEvent{Object: secret("a", "1")}, q)
		}, spread},
		"initial list": {func(ctx context.Context, h crhandler.EventHandler, q rateLimiting) {
			h.Create(ctx, event.CreateEvent{Object: secret("a", "1"), IsInInitialList: true}, q)
		}, atOnce},
		"update": {func(ctx context.Context, h crhandler.EventHandler, q rateLimiting) {
			h.Update(ctx, event.UpdateEvent{ObjectOld: secret("a", "1"), ObjectNew: secret("a", "2")}, q)
		}, spread},
		"resync": {func(ctx context.Context, h crhandler.EventHandler, q rateLimiting) {
			h.Update(ctx, event.UpdateEvent{ObjectOld: secret("a", "1"), ObjectNew: secret("a", "1")}, q)
		}, spread},
		"delete": {func(ctx context.Context, h crhandler.EventHandler, q rateLimiting) {
			h.Delete(ctx, event.DeleteEvent{Object: secret("a", "1")}, q)
		}, spread},
		"delete, last state unknown": {func(ctx context.Context, h crhandler.EventHandler, q rateLimiting) {
			h.Delete(ctx, event.DeleteEvent{Object: secret("a", "1"), DeleteStateUnknown: true}, q)
		}, spread},
		"generic": {func(ctx context.Context, h crhandler.EventHandler, q rateLimiting) {
			h.Generic(ctx, event.GenericEvent{Object: secret("a", "1")}, q)
		}, spread},
		"nil objects": {func(ctx context.Context, h crhandler.EventHandler, q rateLimiting) {
			h.Update(ctx, event.UpdateEvent{}, q)
		}, spread},
	} {
		for wrapped, h := range map[string]crhandler.EventHandler{
			"alone":           h,
			"as Watched":      handler.As(trigger.Watched, h),
			"around an As":    handler.Spread(3*time.Second, handler.As(trigger.Watched, all(3))),
			"around wrappers": handler.Spread(3*time.Second, crhandler.WithLowPriorityWhenUnchanged(all(3))),
		} {
			t.Run(name+", "+wrapped, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					ours, o := newQueue[reconcile.Request](t)
					tc.send(t.Context(), h, ours)
					require.Equal(t, tc.want, arrivals(t, ours, o, time.Minute))
					require.Empty(t, o.panicked)
				})
			})
		}
	}
}

// At a start, the controller's own initial list and that of a spread watch come in
// any order, before the first worker: each object runs once, at once.
func TestSpreadAtStart_QU08(t *testing.T) {
	watch := handler.Spread(time.Minute, all(3))
	for name, inOrder := range map[string]func(primary, spread func()){
		"primary first": func(primary, spread func()) { primary(); spread() },
		"spread first":  func(primary, spread func()) { spread(); primary() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ours, o := newQueue[reconcile.Request](t)
				inOrder(func() {
					for i := range 3 {
						object := event.CreateEvent{Object: secret(fmt.Sprint("r", i), "1"), IsInInitialList: true}
						(&crhandler.EnqueueRequestForObject{}).Create(t.Context(), object, ours)
					}
				}, func() {
					watch.Create(t.Context(), event.CreateEvent{Object: secret("ca", "1"), IsInInitialList: true}, ours)
				})
				got := arrivals(t, ours, o, time.Hour)
				require.Len(t, got, 3)
				for i, a := range got {
					require.Equal(t, arrival{delivery[reconcile.Request]{request(fmt.Sprint("r", i)), "resync", -100}, 0}, a)
				}
			})
		})
	}
}

// A second event while the first one is being spread brings nothing later, and
// nothing twice but what has run already.
func TestSpreadTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, o := newQueue[reconcile.Request](t)
		h := handler.Spread(10*time.Second, all(10))
		h.Generic(t.Context(), event.GenericEvent{}, ours)
		go func() {
			time.Sleep(4500 * time.Millisecond)
			h.Generic(t.Context(), event.GenericEvent{}, ours)
		}()
		at := map[string][]time.Duration{}
		for _, a := range arrivals(t, ours, o, time.Minute) {
			at[a.request.Name] = append(at[a.request.Name], a.at)
		}
		require.Len(t, at, 10)
		for i := range 10 {
			want := []time.Duration{time.Duration(i) * time.Second}
			if i < 5 {
				want = append(want, want[0]+4500*time.Millisecond)
			}
			require.Equal(t, want, at[fmt.Sprint("r", i)])
		}
	})
}

// What h does with the queue, and what comes of it.
func TestSpreadOfEveryAdd(t *testing.T) {
	prioritized := func(q rateLimiting, o priorityqueue.AddOpts, names ...string) {
		for _, name := range names {
			q.(priorityqueue.PriorityQueue[reconcile.Request]).AddWithOpts(o, request(name))
		}
	}
	low, five, lowest := crhandler.LowPriority, 5, -200
	for _, tc := range []struct {
		name string
		over time.Duration
		add  func(q rateLimiting)
		want []string
	}{
		{"nothing", time.Minute, func(rateLimiting) {}, nil},
		{"one, at once", time.Minute, func(q rateLimiting) { q.Add(request("a")) }, []string{"a 0s -100"}},
		{"evenly", time.Minute, func(q rateLimiting) {
			q.Add(request("a"))
			q.Add(request("b"))
			q.Add(request("c"))
		}, []string{"a 0s -100", "b 20s -100", "c 40s -100"}},
		{"zero", 0, func(q rateLimiting) {
			q.Add(request("a"))
			q.Add(request("b"))
		}, []string{"a 0s -100", "b 0s -100"}},
		{"each once", time.Minute, func(q rateLimiting) {
			q.Add(request("a"))
			q.Add(request("b"))
			q.Add(request("a"))
		}, []string{"a 0s -100", "b 30s -100"}},
		{"a delay of its own comes before the turn", time.Minute, func(q rateLimiting) {
			q.AddAfter(request("a"), time.Hour)
			q.AddAfter(request("b"), time.Hour)
			q.AddAfter(request("c"), -time.Hour)
		}, []string{"a 1h0m0s -100", "b 1h0m20s -100", "c 40s -100"}},
		{"a delay of its own, zero", 0, func(q rateLimiting) { q.AddAfter(request("a"), time.Hour) }, []string{"a 1h0m0s -100"}},
		{"the earlier of two delays", 0, func(q rateLimiting) {
			q.AddAfter(request("a"), time.Hour)
			q.AddAfter(request("a"), time.Second)
			q.AddAfter(request("b"), time.Second)
			q.AddAfter(request("b"), time.Hour)
		}, []string{"a 1s -100", "b 1s -100"}},
		{"a delay without an end", math.MaxInt64, func(q rateLimiting) {
			q.Add(request("a"))
			q.AddAfter(request("b"), math.MaxInt64)
			q.Add(request("c"))
		}, []string{"a 0s -100", "b 2562047h47m16.854775807s -100", "c " + time.Duration(math.MaxInt64/3*2).String() + " -100"}},
		{"a priority of its own stays", time.Minute, func(q rateLimiting) {
			prioritized(q, priorityqueue.AddOpts{Priority: &five}, "a")
			prioritized(q, priorityqueue.AddOpts{Priority: &five, After: time.Second}, "b")
			prioritized(q, priorityqueue.AddOpts{Priority: &low}, "c")
			prioritized(q, priorityqueue.AddOpts{}, "d")
		}, []string{"a 0s 5", "b 16s 5", "c 30s -100", "d 45s -100"}},
		{"the higher of two priorities", time.Minute, func(q rateLimiting) {
			q.Add(request("a"))
			prioritized(q, priorityqueue.AddOpts{Priority: &five}, "a", "b")
			prioritized(q, priorityqueue.AddOpts{Priority: &lowest}, "b", "a")
		}, []string{"a 0s 5", "b 30s 5"}},
		{"rate limited: by the limiter alone", time.Minute, func(q rateLimiting) {
			q.Add(request("a"))
			q.AddRateLimited(request("b"))
			q.Add(request("c"))
			prioritized(q, priorityqueue.AddOpts{RateLimited: true, After: time.Second, Priority: &five}, "d")
		}, []string{"a 0s -100", "b limited 0s -100", "c 30s -100", "d limited 1s 5"}},
		{"rate limited twice: once", 0, func(q rateLimiting) {
			q.AddRateLimited(request("a"))
			q.AddRateLimited(request("a"))
		}, []string{"a limited 0s -100"}},
		{"rate limited and not", time.Minute, func(q rateLimiting) {
			q.Add(request("z"))
			q.AddRateLimited(request("a"))
			q.Add(request("a"))
			q.AddAfter(request("b"), time.Second)
			q.AddRateLimited(request("b"))
		}, []string{"z 0s -100", "a 20s -100", "b 41s -100"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			q := &recorder{}
			handler.Spread(tc.over, adding(tc.add)).Generic(t.Context(), event.GenericEvent{}, q)
			require.Equal(t, tc.want, q.adds)
		})
	}
}

// recorder is a priority queue that remembers what was added, in words.
type recorder struct {
	priorityqueue.PriorityQueue[reconcile.Request]
	adds []string
}

func (r *recorder) AddWithOpts(o priorityqueue.AddOpts, requests ...reconcile.Request) {
	limited := ""
	if o.RateLimited {
		limited = "limited "
	}
	for _, request := range requests {
		r.adds = append(r.adds, fmt.Sprintf("%s %s%s %d", request.Name, limited, o.After, *o.Priority))
	}
}

// What h gives a priority of its own counts as Resync, or as what an As says.
func TestSpreadOfOwnPriority(t *testing.T) {
	five := 5
	h := handler.Spread(time.Minute, adding(func(q rateLimiting) {
		q.(priorityqueue.PriorityQueue[reconcile.Request]).AddWithOpts(priorityqueue.AddOpts{Priority: &five}, request("a"))
	}))
	ours, o := newQueue[reconcile.Request](t)
	h.Generic(t.Context(), event.GenericEvent{}, ours)
	require.Equal(t, []delivery[reconcile.Request]{{request("a"), "resync", 5}}, deliveries(t, ours, o))
	handler.As(trigger.Watched, h).Generic(t.Context(), event.GenericEvent{}, ours)
	require.Equal(t, []delivery[reconcile.Request]{{request("a"), "watched", 5}}, deliveries(t, ours, o))
}

// A request that comes while its run is in flight is no requeue of that run, and
// runs again: the run may have read what was before.
func TestSpreadInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, o := newQueue[reconcile.Request](t)
		low := crhandler.LowPriority
		ours.AddWithOpts(priorityqueue.AddOpts{Priority: &low}, request("r1"))
		ours.Get()
		handler.Spread(2*time.Second, all(2)).Generic(t.Context(), event.GenericEvent{}, ours)
		ours.Done(request("r1"))
		require.Equal(t, []arrival{
			{delivery[reconcile.Request]{request("r0"), "resync", -100}, 0},
			{delivery[reconcile.Request]{request("r1"), "resync", -100}, time.Second},
		}, arrivals(t, ours, o, time.Minute))
	})
}

// Typed objects and requests of one's own.
func TestSpreadOfOtherTypes(t *testing.T) {
	type clusterRequest struct{ cluster, name string }
	h := handler.Spread(0, crhandler.TypedEnqueueRequestsFromMapFunc(func(_ context.Context, s *corev1.Secret) []clusterRequest {
		return []clusterRequest{{"east", s.Name}, {"west", s.Name}}
	}))
	ours, o := newQueue[clusterRequest](t)
	h.Update(t.Context(), event.TypedUpdateEvent[*corev1.Secret]{ObjectOld: secret("a", "1"), ObjectNew: secret("a", "2")}, ours)
	require.Equal(t, []delivery[clusterRequest]{
		{clusterRequest{"east", "a"}, "resync", -100},
		{clusterRequest{"west", "a"}, "resync", -100},
	}, deliveries(t, ours, o))

	text := handler.Spread(0, crhandler.TypedEnqueueRequestsFromMapFunc(func(_ context.Context, s string) []string { return []string{s} }))
	words, o := newQueue[string](t)
	text.Generic(t.Context(), event.TypedGenericEvent[string]{Object: "hook"}, words)
	require.Equal(t, []delivery[string]{{"hook", "resync", -100}}, deliveries(t, words, o))
}

func TestSpreadWithBadArguments(t *testing.T) {
	var none crhandler.EventHandler
	require.PanicsWithError(t, "handler: Spread(-1s, …): the duration must not be negative", func() { handler.Spread(-time.Second, all(1)) })
	require.PanicsWithError(t, "handler: Spread(…, nil): the handler must not be nil", func() { handler.Spread(time.Second, none) })
}
