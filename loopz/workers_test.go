package loopz_test

import (
	"context"
	"fmt"
	"math"
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
	"github.com/trimtab/trimtab/reconcile"
)

func TestWorkers_QU07(t *testing.T) {
	for _, tc := range []struct {
		rate        float64
		run         time.Duration
		utilisation float64
		want        int
	}{
		{6000 / 60.0, 350 * time.Millisecond, 1, 35},
		{6000 / 60.0, 350 * time.Millisecond, loopz.TargetUtilisation, 44},
		{6000 / 300.0, 350 * time.Millisecond, 1, 7},
		{6000 / 300.0, 350 * time.Millisecond, loopz.TargetUtilisation, 9},
		{0, time.Hour, 0.5, 1},
		{1000, 0, 0.5, 1},
		{0.1, time.Minute, 1, 6},
		{0.10001, time.Minute, 1, 7},
	} {
		got, err := loopz.Workers(tc.rate, tc.run, tc.utilisation)
		require.NoError(t, err)
		require.Equal(t, tc.want, got, tc)
	}
	for want, tc := range map[string]struct {
		rate        float64
		run         time.Duration
		utilisation float64
	}{
		"utilisation 0":    {1, 1, 0},
		"utilisation -0.5": {1, 1, -0.5},
		"utilisation 1.5":  {1, 1, 1.5},
		"utilisation NaN":  {1, 1, math.NaN()},
		"perSecond -1":     {-1, 1, 1},
		"perSecond NaN":    {math.NaN(), 1, 1},
		"perSecond +Inf":   {math.Inf(1), 1, 1},
		"run -1s":          {1, -time.Second, 1},
		"no number":        {1e300, time.Hour, 1},
	} {
		_, err := loopz.Workers(tc.rate, tc.run, tc.utilisation)
		require.ErrorContains(t, err, want)
	}
}

func TestUtilisation_QU07(t *testing.T) {
	for workers, want := range map[int]float64{1: 35, 35: 1, 44: 35.0 / 44} {
		got, err := loopz.Utilisation(100, 350*time.Millisecond, workers)
		require.NoError(t, err)
		require.InDelta(t, want, got, 1e-12)
	}
	for _, workers := range []int{0, -1} {
		_, err := loopz.Utilisation(100, 350*time.Millisecond, workers)
		require.ErrorContains(t, err, fmt.Sprintf("workers %d: must be at least 1", workers))
	}
	_, err := loopz.Utilisation(-1, 1, 1)
	require.ErrorContains(t, err, "perSecond -1")
}

// A real loop with one worker for 6000 objects which all come back after a minute: a
// cycle takes 35 of them. The page says what it takes.
func TestOneWorkerForAFleet_QU07(t *testing.T) {
	const objects, took, period = 6000, 350 * time.Millisecond, time.Minute
	synctest.Test(t, func(t *testing.T) {
		loop := trimtab.New("fleet", trimtab.Options{Registerer: prometheus.NewRegistry()})
		r := loop.Reconciler(reconcile.Func(func(context.Context, reconcile.Request) (reconcile.Result, error) {
			time.Sleep(took)
			return reconcile.Result{RequeueAfter: period}, nil
		}))
		o := loop.ControllerOptions(controller.Options{})
		q := o.NewQueue("fleet", o.RateLimiter).(priorityqueue.PriorityQueue[reconcile.Request])
		h := loopz.New(loopz.Options{Loops: []loopz.Loop{loop}})
		for i := range objects {
			q.Add(reconcile.Request{NamespacedName: types.NamespacedName{Name: fmt.Sprint(i)}})
		}
		serve := func(runs int) {
			for range runs {
				request, priority, _ := q.GetWithPriority()
				result, _ := r.Reconcile(t.Context(), request)
				q.AddWithOpts(priorityqueue.AddOpts{After: result.RequeueAfter, Priority: &priority}, request)
				q.Done(request)
			}
		}
		serve(3 * objects)
		report(t, h)
		serve(600)
		advice := report(t, h).Loops[0].Advice
		require.Len(t, advice, 1, advice)
		require.Equal(t, "period", advice[0].Rule)
		require.Contains(t, advice[0].Text, "timers of 1m on average asked for 99.4 runs a second of 350ms each")
		require.Contains(t, advice[0].Setting, "MaxConcurrentReconciles: 44, now 1; or a RequeueAfter of at least 43m")
		q.ShutDown()
	})
}

func ExampleWorkers() {
	// 6000 objects that each come back after a minute and take 350 ms.
	least, _ := loopz.Workers(6000/60.0, 350*time.Millisecond, 1)
	calm, _ := loopz.Workers(6000/60.0, 350*time.Millisecond, loopz.TargetUtilisation)
	fmt.Println(least, calm)
	// Output: 35 44
}

func ExampleUtilisation() {
	busy, _ := loopz.Utilisation(6000/300.0, 350*time.Millisecond, 8)
	fmt.Printf("%.0f %%, warn: %v\n", 100*busy, busy > loopz.TargetUtilisation)
	// Output: 88 %, warn: true
}
