package requeue_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/trimtab/trimtab/requeue"
)

func TestDone(t *testing.T) {
	require.Equal(t, reconcile.Result{}, requeue.Done())
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
