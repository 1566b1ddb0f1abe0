package trimtab_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/queue"
	"github.com/trimtab/trimtab/ratelimit"
	"github.com/trimtab/trimtab/reconcile"
	"github.com/trimtab/trimtab/trigger"
)

// parcel is a request of a type of its own.
type parcel struct{ Cluster, Name string }

// A loop tells what it does, whatever the type of its requests.
func TestStatus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		loop := trimtab.NewTyped("parcels", trimtab.TypedOptions[parcel]{
			Registerer:  prometheus.NewRegistry(),
			RateLimiter: ratelimit.NewExponential[parcel](ratelimit.ExponentialOptions{BaseDelay: time.Minute}),
			Reconcile:   reconcile.Options[parcel]{Deadline: reconcile.DeadlineOptions{Timeout: time.Hour}},
		})
		require.Equal(t, trimtab.Status{Name: "parcels", SaturationDepth: queue.DefaultSaturationDepth, Deadline: time.Hour}, loop.Status())

		r := loop.Reconciler(reconcile.TypedFunc[parcel](func(context.Context, parcel) (reconcile.Result, error) {
			time.Sleep(3 * time.Second)
			return reconcile.Result{}, errors.New("broken")
		}))
		o := loop.ControllerOptions(controller.TypedOptions[parcel]{})
		q := o.NewQueue("parcel", o.RateLimiter).(priorityqueue.PriorityQueue[parcel])
		key := parcel{"east", "a"}
		q.Add(key)
		request, _ := q.Get()
		_, _ = r.Reconcile(t.Context(), request)
		priority := 0
		q.AddWithOpts(priorityqueue.AddOpts{RateLimited: true, Priority: &priority}, request)
		q.Done(request)
		q.Add(parcel{"west", "b"})
		_, _ = q.Get()
		time.Sleep(2 * time.Second)

		s := loop.Status()
		require.Equal(t, "parcel", s.Controller)
		require.True(t, s.Measured)
		require.Equal(t, uint64(1), s.Totals.Classes["error"])
		require.Equal(t, []queue.Run[string]{{Request: "{west b}", Sources: trigger.SetOf(trigger.Primary), Age: 2 * time.Second}}, s.Queue.Runs)
		require.Equal(t, []queue.Hot[string]{{Request: "{east a}", Requeues: 1}}, s.Queue.Hot)
		require.Equal(t, []queue.Inspection{{Delayed: true, Due: 58 * time.Second, Attempts: 1, LastClass: "error"}}, s.Hot)
		require.Len(t, s.Slow, 1)
		require.Equal(t, "{east a}", s.Slow[0].Request)
		require.Equal(t, "error", s.Slow[0].Run.Class)
		require.Equal(t, 3*time.Second, s.Slow[0].Run.Phases.Compute)
		require.Equal(t, 2*time.Second, time.Since(s.Slow[0].Ended))

		q.ShutDown()
		s = loop.Status()
		require.Empty(t, s.Controller)
		require.Zero(t, s.Queue)
		require.Equal(t, uint64(1), s.Totals.Classes["error"], "what was counted stays")
	})
}

// What is hot is told from what is usual, by all that the queue knows of.
func TestStatusOfOthers(t *testing.T) {
	loop := trimtab.New("hot", trimtab.Options{DisableMetrics: true, RateLimiter: ratelimit.NewExponential[reconcile.Request](ratelimit.ExponentialOptions{BaseDelay: 1, MaxDelay: 1})})
	r := loop.Reconciler(reconcile.Func(func(context.Context, reconcile.Request) (reconcile.Result, error) {
		return reconcile.Result{}, errors.New("broken")
	}))
	o := loop.ControllerOptions(controller.Options{})
	q := o.NewQueue("hot", o.RateLimiter).(priorityqueue.PriorityQueue[reconcile.Request])
	defer q.ShutDown()
	requeue := func(name string, times int) {
		q.Add(reconcile.Request{NamespacedName: types.NamespacedName{Name: name}})
		for range times {
			request, priority, _ := q.GetWithPriority()
			_, _ = r.Reconcile(t.Context(), request)
			q.AddWithOpts(priorityqueue.AddOpts{RateLimited: true, Priority: &priority}, request)
			q.Done(request)
		}
		request, _ := q.Get()
		q.Done(request)
	}
	require.Zero(t, loop.Status().OtherRequeues)
	requeue("hot", 100)
	require.Zero(t, loop.Status().OtherRequeues, "there is no other")
	requeue("warm", 50)
	require.Equal(t, uint64(50), loop.Status().OtherRequeues)
	for i := range 40 {
		requeue(fmt.Sprint("cool-", i), 3)
	}
	s := loop.Status()
	require.Len(t, s.Queue.Hot, 10)
	require.Len(t, s.Hot, 10)
	require.Equal(t, "/hot", s.Queue.Hot[0].Request)
	require.Equal(t, uint64(3), s.OtherRequeues)
}

// Of the runs of the last minutes the slowest are remembered, and no others.
func TestSlowRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		loop := trimtab.New("slow", trimtab.Options{DisableMetrics: true})
		runs := func(from, to int) {
			i := from
			serve(t, loop, to-from, func(context.Context) (reconcile.Result, error) {
				time.Sleep(time.Duration(i) * time.Millisecond)
				i++
				return reconcile.Result{}, nil
			})
		}
		slowest := func() []string {
			var took []string
			for _, s := range loop.Status().Slow {
				took = append(took, fmt.Sprint(s.Run.Phases.Total()))
			}
			return took
		}
		require.Empty(t, slowest())
		runs(100, 150)
		require.Len(t, slowest(), 10)
		require.Equal(t, []string{"149ms", "148ms"}, slowest()[:2])
		require.Equal(t, "140ms", slowest()[9])
		runs(10, 12) // too short
		require.Equal(t, "140ms", slowest()[9])

		time.Sleep(5 * time.Minute) // The next window has begun, and has room.
		runs(10, 12)
		require.Equal(t, "149ms", slowest()[0])
		time.Sleep(5 * time.Minute) // The one with the slowest runs is over.
		require.Equal(t, []string{"11ms", "10ms"}, slowest())
		time.Sleep(10 * time.Minute)
		require.Empty(t, slowest())
	})
}
