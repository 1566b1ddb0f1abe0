package requeue_test

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/trimtab/trimtab/requeue"
)

func TestDone(t *testing.T) {
	require.Equal(t, reconcile.Result{}, requeue.Done())
}

func TestNow(t *testing.T) {
	require.Equal(t, reconcile.Result{RequeueAfter: time.Millisecond}, requeue.Now())
}

// A request comes back at its time, and at once if that has passed, in any year.
func TestAt_RQ13(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now := time.Now()
		for _, tt := range []struct {
			at   time.Time
			want time.Duration
		}{
			{now.Add(time.Hour), time.Hour},
			{now.Add(time.Hour).Round(0), time.Hour},
			{now.Add(time.Hour).In(time.FixedZone("", 3600)), time.Hour},
			{now.Add(1), time.Millisecond},
			{now, time.Millisecond},
			{now.Add(-time.Second), time.Millisecond},
			{time.Time{}, time.Millisecond},
			{time.Unix(0, 0), time.Millisecond},
			{time.Date(2262, 4, 12, 0, 0, 0, 0, time.UTC), time.Date(2262, 4, 12, 0, 0, 0, 0, time.UTC).Sub(now)},
			{time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC), math.MaxInt64},
		} {
			require.Equal(t, reconcile.Result{RequeueAfter: tt.want}, requeue.At(tt.at), "%v", tt.at)
		}
	})
}

func TestAfter_RQ13(t *testing.T) {
	for _, tt := range []struct{ d, want time.Duration }{
		{math.MinInt64, time.Millisecond},
		{-time.Second, time.Millisecond},
		{0, time.Millisecond},
		{1, time.Millisecond},
		{time.Millisecond, time.Millisecond},
		{time.Millisecond + 1, time.Millisecond + 1},
		{time.Hour, time.Hour},
		{math.MaxInt64, math.MaxInt64},
	} {
		require.Equal(t, reconcile.Result{RequeueAfter: tt.want}, requeue.After(tt.d), "%v", tt.d)
	}
}

// A deadline which can't be told from time.Time{} is overdue, not lost.
func TestAfterZeroTime_RQ13(t *testing.T) {
	require.Equal(t, time.Millisecond, requeue.After(time.Until(time.Time{})).RequeueAfter)
}
