package requeue_test

import (
	"fmt"
	"math"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/trimtab/trimtab/requeue"
)

// looks counts how often ask is asked until d has passed.
func looks(d time.Duration, ask func() reconcile.Result) (n int) {
	for start := time.Now(); time.Since(start) < d; n++ {
		time.Sleep(ask().RequeueAfter)
	}
	return n
}

// RQ32: what is not ready for ten minutes is looked at often at first, then once a
// minute, whether its last change is known or kept.
func TestPoll_RQ32(t *testing.T) {
	for name, disable := range map[string]bool{"exact": true, "with jitter": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := requeue.NewPoll(requeue.PollOptions{DisableJitter: disable})
				since := time.Now()
				require.LessOrEqual(t, looks(10*time.Minute, func() reconcile.Result { return p.Since(since) }), 16)
				require.LessOrEqual(t, looks(10*time.Minute, func() reconcile.Result { return p.Kept("k", "not ready") }), 16)
			})
		})
	}
}

func TestPollGrows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now := time.Now()
		for _, tt := range []struct {
			opts requeue.PollOptions
			ago  time.Duration
			want time.Duration
		}{
			{requeue.PollOptions{}, -time.Hour, time.Second},
			{requeue.PollOptions{}, 0, time.Second},
			{requeue.PollOptions{}, time.Second, time.Second},
			{requeue.PollOptions{}, 7 * time.Second, 7 * time.Second},
			{requeue.PollOptions{}, time.Minute, time.Minute},
			{requeue.PollOptions{}, math.MaxInt64, time.Minute},
			{requeue.PollOptions{Factor: 1.5}, 20 * time.Second, 10 * time.Second},
			{requeue.PollOptions{Factor: math.MaxFloat64}, time.Nanosecond, time.Minute},
			{requeue.PollOptions{Factor: math.Nextafter(1, 2)}, time.Hour, time.Second},
			{requeue.PollOptions{Min: time.Hour}, time.Minute, time.Hour},
			{requeue.PollOptions{Min: 1, Max: 1}, time.Minute, time.Millisecond},
			{requeue.PollOptions{Max: math.MaxInt64}, math.MaxInt64, math.MaxInt64},
		} {
			tt.opts.DisableJitter = true
			got := requeue.NewPoll(tt.opts).Since(now.Add(-tt.ago))
			require.Equal(t, inAt(tt.want, -20), got, "%+v", tt)
		}
		require.Equal(t, time.Minute, requeue.NewPoll(requeue.PollOptions{DisableJitter: true}).Since(time.Time{}).RequeueAfter)
		for range 100 {
			require.Positive(t, requeue.NewPoll(requeue.PollOptions{Max: math.MaxInt64, Jitter: 1}).Since(time.Time{}).RequeueAfter)
		}
	})
}

// JT01, JT02: objects that began to wait in the same second do not poll together.
func TestPollJitter_JT01_JT02(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := requeue.NewPoll(requeue.PollOptions{})
		since := time.Now()
		time.Sleep(time.Hour)
		seconds := map[int]int{}
		for range 1000 {
			d := p.Since(since).RequeueAfter
			require.GreaterOrEqual(t, d, time.Minute)
			require.LessOrEqual(t, d, 66*time.Second)
			seconds[int(d/time.Second)]++
		}
		for second := 60; second < 66; second++ {
			require.InDelta(t, 1000/6, seconds[second], 70)
		}
	})
}

// What is kept begins anew with each change, and with each key.
func TestPollKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := requeue.NewPoll(requeue.PollOptions{DisableJitter: true})
		for _, step := range []struct {
			key, state string
			want       time.Duration
		}{
			{"a", "1", time.Second},
			{"a", "1", 10 * time.Second},
			{"a", "1", 20 * time.Second},
			{"b", "1", time.Second},
			{"a", "2", time.Second},
			{"a", "2", 10 * time.Second},
			{"b", "1", 30 * time.Second},
			{"a", "1", time.Second},
			{"", "", time.Second},
			{"", "", 10 * time.Second},
		} {
			require.Equal(t, inAt(step.want, -20), p.Kept(step.key, step.state), "%+v", step)
			time.Sleep(10 * time.Second)
		}
		for range 100 { // however long it is asked for
			time.Sleep(time.Minute)
			require.Equal(t, time.Minute, p.Kept("b", "1").RequeueAfter)
		}
		time.Sleep(8 * time.Minute)
		require.Equal(t, time.Second, p.Kept("b", "1").RequeueAfter, "it was forgotten")
	})
}

// Memory follows the keys in use.
func TestPollForgets(t *testing.T) {
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	synctest.Test(t, func(t *testing.T) {
		p := requeue.NewPoll(requeue.PollOptions{})
		p.Kept("stays", "")
		before := heap()
		for round := range 3 {
			for n := range 100_000 {
				p.Kept(fmt.Sprint(round, n), "")
			}
			require.Greater(t, heap(), before+5_000_000)
			for range 10 {
				time.Sleep(time.Minute)
				p.Kept("stays", "")
			}
		}
		require.Less(t, heap(), before+1_000_000)
		require.Greater(t, p.Kept("stays", "").RequeueAfter, 59*time.Second)
	})
}

func TestPollOptionsValidate(t *testing.T) {
	for want, opts := range map[string]requeue.PollOptions{
		"requeue: Min is -1ns, want at least 0":               {Min: -1},
		"requeue: Max is -1ns, want at least 0":               {Max: -1},
		"requeue: Max is 500ms, want at least Min, 1s":        {Max: 500 * time.Millisecond},
		"requeue: Max is 1m0s, want at least Min, 2m0s":       {Min: 2 * time.Minute, Max: time.Minute},
		"requeue: Factor is 1, want a number above 1":         {Factor: 1},
		"requeue: Factor is -2, want a number above 1":        {Factor: -2},
		"requeue: Factor is NaN, want a number above 1":       {Factor: math.NaN()},
		"requeue: Factor is +Inf, want a number above 1":      {Factor: math.Inf(1)},
		"requeue: Jitter is -0.1, want a number from 0 to 1":  {Jitter: -0.1},
		"requeue: Jitter is 1.5, want a number from 0 to 1":   {Jitter: 1.5},
		"requeue: Jitter is NaN, want a number from 0 to 1":   {Jitter: math.NaN()},
		"requeue: Jitter is 0.1 beside DisableJitter, want 0": {Jitter: 0.1, DisableJitter: true},
	} {
		require.EqualError(t, opts.Validate(), want)
		require.PanicsWithError(t, want, func() { requeue.NewPoll(opts) })
	}
	require.NoError(t, requeue.PollOptions{}.Validate())
}

func TestPollAllocs(t *testing.T) {
	p, since := requeue.NewPoll(requeue.PollOptions{}), time.Now().Add(-time.Hour)
	var kept reconcile.Result
	require.Zero(t, testing.AllocsPerRun(1000, func() { kept = p.Since(since) }))
	require.Zero(t, testing.AllocsPerRun(1000, func() { kept = p.Kept("k", "state") }))
	require.Equal(t, -20, *kept.Priority)
}
