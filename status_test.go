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
