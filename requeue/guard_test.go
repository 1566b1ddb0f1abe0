package requeue_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/trimtab/trimtab/requeue"
)

func TestGuard_RQ13(t *testing.T) {
	const floor, ceiling = time.Minute, time.Hour
	for _, tt := range []struct{ d, floor, ceiling, want time.Duration }{
		{0, floor, ceiling, 0},
		{-1, floor, ceiling, floor},
		{math.MinInt64, floor, ceiling, floor},
		{1, floor, ceiling, floor},
		{floor, floor, ceiling, floor},
		{floor + 1, floor, ceiling, floor + 1},
		{ceiling, floor, ceiling, ceiling},
		{ceiling + 1, floor, ceiling, ceiling},
		{math.MaxInt64, floor, ceiling, ceiling},
		{math.MaxInt64, floor, 0, math.MaxInt64},
		{math.MaxInt64, floor, -1, math.MaxInt64},
		{1, 0, ceiling, time.Millisecond},
		{1, -1, 0, time.Millisecond},
		{5, 0, 1, time.Millisecond},
		{time.Second, ceiling, floor, ceiling},
	} {
		require.Equal(t, in(tt.want), requeue.Guard(in(tt.d), tt.floor, tt.ceiling), "%+v", tt)
	}
	require.Equal(t, limited, requeue.Guard(limited, floor, ceiling))
	require.Equal(t, inAt(floor, 4), requeue.Guard(inAt(1, 4), floor, ceiling), "the priority stays")
	require.Zero(t, testing.AllocsPerRun(1000, func() { requeue.Guard(in(5), floor, ceiling) }))
}

func TestWithPriority(t *testing.T) {
	for _, priority := range []int{0, -100, math.MaxInt, math.MinInt} {
		require.Equal(t, inAt(time.Hour, priority), requeue.WithPriority(in(time.Hour), priority))
	}
	given := inAt(time.Hour, 3)
	require.Equal(t, inAt(time.Hour, 4), requeue.WithPriority(given, 4))
	require.Equal(t, 3, *given.Priority, "what was given stays as it is")
	var kept reconcile.Result
	require.LessOrEqual(t, testing.AllocsPerRun(1000, func() { kept = requeue.WithPriority(in(time.Hour), 7) }), 1.0)
	require.Equal(t, 7, *kept.Priority)
}

func TestAllocs(t *testing.T) {
	at := time.Now().Add(time.Hour)
	for name, call := range map[string]func() reconcile.Result{
		"Done":  requeue.Done,
		"Now":   requeue.Now,
		"After": func() reconcile.Result { return requeue.After(time.Hour) },
		"At":    func() reconcile.Result { return requeue.At(at) },
	} {
		require.Zero(t, testing.AllocsPerRun(1000, func() { call() }), name)
	}
}
