package requeue_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/trimtab/trimtab/requeue"
)

// JT01: a fleet that polls with jitter is spread over it, with the mean as asked.
func TestJitterSpreads_JT01(t *testing.T) {
	const d, fleet = 10 * time.Minute, 10_000
	for name, tt := range map[string]struct {
		jitter           func(time.Duration, float64) reconcile.Result
		from, to, middle time.Duration
	}{
		"symmetric": {requeue.Jitter, 9 * time.Minute, 11 * time.Minute, d},
		"one-sided": {requeue.JitterLater, d, 11 * time.Minute, d + 30*time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			seconds, all := map[time.Duration]int{}, time.Duration(0)
			for range fleet {
				got := tt.jitter(d, 0.1)
				require.Nil(t, got.Priority)
				require.GreaterOrEqual(t, got.RequeueAfter, tt.from)
				require.LessOrEqual(t, got.RequeueAfter, tt.to)
				seconds[got.RequeueAfter/time.Second]++
				all += got.RequeueAfter
			}
			require.InEpsilon(t, float64(tt.middle), float64(all/fleet), 0.01)
			for second, n := range seconds {
				require.LessOrEqual(t, n, fleet*3/100, "%v s", int(second))
			}
			require.Greater(t, len(seconds), int((tt.to-tt.from)/time.Second)*9/10)
		})
	}
}

// JT01, JT02: nothing asked of the jitter makes a delay that is none, and zero is
// exactly off.
func TestJitterLimits_JT01_JT02(t *testing.T) {
	for _, fraction := range []float64{math.Inf(-1), -1, 0, math.Copysign(0, -1), math.NaN()} {
		for _, d := range []time.Duration{math.MinInt64, -1, 0, 1, time.Millisecond, time.Hour, math.MaxInt64} {
			require.Equal(t, requeue.After(d), requeue.Jitter(d, fraction))
			require.Equal(t, requeue.After(d), requeue.JitterLater(d, fraction))
		}
	}
	for _, fraction := range []float64{math.SmallestNonzeroFloat64, 0.5, 1, 1.5, math.Inf(1)} {
		for _, d := range []time.Duration{math.MinInt64, -1, 0, 1, 2, time.Millisecond, time.Hour, math.MaxInt64 / 2, math.MaxInt64 - 1, math.MaxInt64} {
			for range 100 {
				got := requeue.Jitter(d, fraction).RequeueAfter
				require.GreaterOrEqual(t, got, time.Millisecond)
				if d < math.MaxInt64/2 {
					require.LessOrEqual(t, got, max(2*d, time.Millisecond))
				}
				require.GreaterOrEqual(t, requeue.JitterLater(d, fraction).RequeueAfter, max(d, time.Millisecond))
			}
		}
	}
	early := 0
	for range 1000 {
		if requeue.Jitter(time.Hour, 7).RequeueAfter < 30*time.Minute {
			early++
		}
	}
	require.InDelta(t, 250, early, 100, "above 1 it is 1")
}

func FuzzJitter(f *testing.F) {
	f.Add(int64(time.Hour), 0.1)
	f.Add(int64(math.MaxInt64), 1.0)
	f.Add(int64(math.MaxInt64-1), 0.9999999999999999)
	f.Fuzz(func(t *testing.T, n int64, fraction float64) {
		d := time.Duration(n)
		both, right := requeue.Jitter(d, fraction).RequeueAfter, requeue.JitterLater(d, fraction).RequeueAfter
		if both < time.Millisecond || right < time.Millisecond || right < d {
			t.Fatalf("%v and %v for %v, %v", both, right, d, fraction)
		}
		if span := fraction * float64(d); fraction >= 0 && fraction <= 1 && d > time.Millisecond &&
			(float64(both) < float64(d)-span*1.0001-1e6 || float64(both) > float64(d)+span*1.0001+1e6) {
			t.Fatalf("%v for %v, %v", both, d, fraction)
		}
	})
}

func TestJitterAllocs(t *testing.T) {
	require.Zero(t, testing.AllocsPerRun(1000, func() { requeue.Jitter(time.Hour, 0.1) }))
	require.Zero(t, testing.AllocsPerRun(1000, func() { requeue.JitterLater(time.Hour, 0.1) }))
}
