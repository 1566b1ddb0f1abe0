package requeue_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/trimtab/trimtab/requeue"
)

type results = []reconcile.Result

func in(d time.Duration) reconcile.Result { return reconcile.Result{RequeueAfter: d} }

func inAt(d time.Duration, priority int) reconcile.Result {
	return reconcile.Result{RequeueAfter: d, Priority: &priority}
}

var limited = reconcile.Result{Requeue: true} //nolint:staticcheck // Deprecated, and still in use.

func TestSoonest_RQ11(t *testing.T) {
	for name, tt := range map[string]struct {
		results results
		want    reconcile.Result
	}{
		"nothing":                        {nil, in(0)},
		"one":                            {results{in(time.Hour)}, in(time.Hour)},
		"zero is none":                   {results{in(0), in(5 * time.Minute), in(30 * time.Second)}, in(30 * time.Second)},
		"none asks":                      {results{in(0), in(0)}, in(0)},
		"negative has passed":            {results{in(-time.Second), in(5 * time.Minute)}, requeue.Now()},
		"the least has passed":           {results{in(math.MinInt64)}, requeue.Now()},
		"shorter than any here":          {results{in(1), in(time.Hour)}, in(1)},
		"the longest":                    {results{in(math.MaxInt64), in(0)}, in(math.MaxInt64)},
		"Requeue gives way":              {results{limited, in(5 * time.Minute)}, in(5 * time.Minute)},
		"Requeue alone":                  {results{in(0), limited, in(0)}, limited},
		"Requeue beside its own delay":   {results{{Requeue: true, RequeueAfter: time.Hour}}, in(time.Hour)},
		"its own priority":               {results{inAt(time.Hour, 5), inAt(time.Minute, -20)}, inAt(time.Minute, -20)},
		"no priority of another":         {results{inAt(time.Hour, 5), in(time.Minute)}, in(time.Minute)},
		"highest at the same time":       {results{in(time.Hour), inAt(time.Hour, -7), inAt(time.Hour, 3), inAt(time.Hour, 0)}, inAt(time.Hour, 3)},
		"highest if nothing is asked":    {results{in(0), inAt(0, -7), inAt(0, 3)}, inAt(0, 3)},
		"a priority that asks for none":  {results{inAt(0, 3), in(time.Hour)}, in(time.Hour)},
		"priority of the negative delay": {results{inAt(-1, 3), in(time.Hour)}, inAt(time.Millisecond, 3)},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tt.want, requeue.Soonest(tt.results...))
			for range 5 { // The order does not matter.
				rand.Shuffle(len(tt.results), func(i, j int) { tt.results[i], tt.results[j] = tt.results[j], tt.results[i] })
				require.Equal(t, tt.want, requeue.Soonest(tt.results...))
			}
		})
	}
}

func TestSoonestAllocs(t *testing.T) {
	a, b := inAt(time.Hour, 3), in(time.Minute)
	require.Zero(t, testing.AllocsPerRun(1000, func() { requeue.Soonest(a, b) }))
}

func FuzzSoonest(f *testing.F) {
	f.Add(int64(0), int64(time.Hour), int64(-1), uint8(0))
	f.Add(int64(math.MinInt64), int64(math.MaxInt64), int64(1), uint8(255))
	f.Fuzz(func(t *testing.T, a, b, c int64, bits uint8) {
		var given results
		for i, d := range []int64{a, b, c} {
			r := in(time.Duration(d))
			r.Requeue = bits>>i&1 == 1 //nolint:staticcheck // As above.
			if bits>>(i+3)&1 == 1 {
				priority := i
				r.Priority = &priority
			}
			given = append(given, r)
		}
		got := requeue.Soonest(given...)
		asked := false
		for _, r := range given {
			asked = asked || r.RequeueAfter != 0
			if r.RequeueAfter > 0 && (got.RequeueAfter <= 0 || got.RequeueAfter > r.RequeueAfter) {
				t.Fatalf("%v of %v", got, given)
			}
		}
		if asked != (got.RequeueAfter > 0) || got.RequeueAfter < 0 {
			t.Fatalf("%v of %v", got, given)
		}
		if again := requeue.Soonest(got, in(0)); again != got {
			t.Fatalf("%v of %v, then %v", got, given, again)
		}
	})
}
