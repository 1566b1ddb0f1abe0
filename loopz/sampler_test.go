package loopz_test

import (
	"context"
	"errors"
	"net/http"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/loopz"
	"github.com/trimtab/trimtab/metrics"
	"github.com/trimtab/trimtab/reconcile"
	"github.com/trimtab/trimtab/trigger"
)

// counting is a loop that counts looks.
type counting struct {
	fake
	mu    sync.Mutex
	looks int
}

func (c *counting) Status() trimtab.Status {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.looks++
	return c.status
}

// Rates follow what happens within seconds, percentiles within a minute.
func TestWindows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		loop := &fake{status: trimtab.Status{Measured: true}}
		h := loopz.New(loopz.Options{Loops: []loopz.Loop{loop}})
		runs := func(n uint64) { loop.status.Totals.Triggers[trigger.Primary].Runs += n }
		runs(1000)
		time.Sleep(100 * time.Second)
		r := report(t, h).Loops[0]
		require.Equal(t, 10.0, r.Rates.Runs, "since the start: there is nothing else to compare with")
		for i := range 60 { // 2 a second for two minutes
			time.Sleep(2 * time.Second)
			runs(4)
			r = report(t, h).Loops[0]
			require.InDelta(t, 2, r.Rates.Runs, 1e-9, i)
		}
		require.InDelta(t, 10, r.RateSeconds, 4)
		require.InDelta(t, 60, r.RecentSeconds, 4)
		require.InDelta(t, 120, r.AdviceSeconds, 4)
		for range 6 { // a storm
			time.Sleep(2 * time.Second)
			runs(200)
			r = report(t, h).Loops[0]
		}
		require.InDelta(t, 100, r.Rates.Runs, 20)
		require.InDelta(t, 2*0.8+100*0.2, r.Triggers[0].Rate, 3)
		for range 300 {
			time.Sleep(2 * time.Second)
			r = report(t, h).Loops[0]
		}
		require.Zero(t, r.Rates.Runs)
		require.InDelta(t, 300, r.AdviceSeconds, 35)
		require.Equal(t, uint64(1000+240+1200), r.Triggers[0].Total)
	})
}

// However many look, the loops are asked once in a second; and what was kept is let
// go when nobody does.
func TestLooksAreShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		loop := &counting{}
		h := loopz.New(loopz.Options{Loops: []loopz.Loop{loop}})
		time.Sleep(time.Hour)
		require.Zero(t, loop.looks, "nobody has looked")
		for range 10 {
			var viewers sync.WaitGroup
			for range 20 {
				viewers.Go(func() { get(t, h, http.MethodGet, loopz.Path+"?format=json") })
			}
			viewers.Wait()
			time.Sleep(time.Second)
		}
		require.Equal(t, 10, loop.looks)
		time.Sleep(time.Minute)
		require.InDelta(t, 70, report(t, h).Loops[0].RecentSeconds, 10)
		time.Sleep(7 * time.Minute)
		require.Greater(t, report(t, h).Loops[0].RecentSeconds, 3600.0, "what was kept is gone")
		require.Equal(t, 12, loop.looks)
	})
}

// A page that is open for days keeps no more than one that is open for minutes.
func TestMemoryIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		loop := &fake{}
		h := loopz.New(loopz.Options{Loops: []loopz.Loop{loop}})
		look := func() uint64 {
			for range 300 {
				loop.status.Totals.Calls = make([]metrics.CallTotals, 500) // 20 KB in each sample
				time.Sleep(2 * time.Second)
				get(t, h, http.MethodGet, loopz.Path+"?format=json")
			}
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			return m.HeapAlloc
		}
		first := look()
		require.Less(t, look(), first+1<<20)
		runtime.KeepAlive(h)
	})
}

// A real loop shows a failing object as it is.
func TestLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		loop := trimtab.New("certificates", trimtab.Options{Registerer: prometheus.NewRegistry()})
		h := loopz.New(loopz.Options{Loops: []loopz.Loop{loop}})
		r := loop.Reconciler(reconcile.Func(func(context.Context, reconcile.Request) (reconcile.Result, error) {
			time.Sleep(2 * time.Second)
			return reconcile.Result{}, errors.New("broken")
		}))
		o := loop.ControllerOptions(controller.Options{})
		q := o.NewQueue("certificate", o.RateLimiter).(priorityqueue.PriorityQueue[reconcile.Request])
		t.Cleanup(q.ShutDown)
		request := reconcile.Request{NamespacedName: types.NamespacedName{Namespace: "ns", Name: "<img src=x>"}}
		report(t, h)
		q.Add(request)
		for range 12 {
			got, priority, _ := q.GetWithPriority()
			_, _ = r.Reconcile(t.Context(), got)
			q.AddWithOpts(priorityqueue.AddOpts{RateLimited: true, Priority: &priority}, got)
			q.Done(got)
		}
		got := report(t, h).Loops[0]
		require.Equal(t, "certificate", got.Controller)
		require.Equal(t, loopz.WorkersReport{Limit: 1}, got.Workers)
		require.Len(t, got.Hot, 1)
		hot := got.Hot[0]
		require.InDelta(t, 9.2, *hot.NextSeconds, 1.1, "5 ms, doubled 11 times, and jitter")
		hot.NextSeconds = nil
		require.Equal(t, loopz.HotReport{Object: "ns/<img src=x>", Requeues: 12, Attempts: 12, LastClass: "error", State: "delayed"}, hot)
		require.Len(t, got.Slow, 10)
		require.Equal(t, 2.0, got.Slow[0].Seconds)
		require.Equal(t, []loopz.ClassReport{{Class: "error", Total: 12, Rate: 12 / got.RecentSeconds}}, got.Classes)
		require.Equal(t, uint64(12), got.Totals.Retries)
		require.InDelta(t, 24, got.Recent.Phases.Compute, 1e-9)
		require.Equal(t, 1, got.Queue.Delayed)
		require.Len(t, got.Triggers, 2)
		require.Equal(t, "retry", got.Triggers[1].Trigger)
		require.InDelta(t, 2, *got.Triggers[1].Latency.P95, 0.2)

		q.Add(request)
		_, _ = q.Get()
		time.Sleep(5 * time.Second)
		got = report(t, h).Loops[0]
		require.Equal(t, "running", got.Hot[0].State)
		require.Equal(t, []loopz.RunningReport{{Object: "ns/<img src=x>", Triggers: "primary", Seconds: 5}}, got.Running)
	})
}
