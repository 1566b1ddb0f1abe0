package requeue_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/trimtab/trimtab/requeue"
)

// uid returns the n-th of a fixed line of UIDs, as an API server makes them.
func uid(n int) string {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	a, b := r.Uint64(), r.Uint64()
	return fmt.Sprintf("%08x-%04x-4%03x-%04x-%012x", a>>32, a>>16&0xffff, a&0xfff, 0x8000|b>>48&0x3fff, b&0xffffffffffff)
}

// moment returns a moment of key: a time that Every gives.
func moment(period time.Duration, key string) time.Time {
	now := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	return now.Add(requeue.EveryAt(now, period, key).RequeueAfter)
}

func TestEveryTimeLeft_RL12_RQ07(t *testing.T) {
	at := moment(10*time.Minute, "k")
	for _, tt := range []struct {
		name        string
		now, period time.Duration // now from the moment on
		want        time.Duration
	}{
		{"RQ07 at the moment", 0, 10 * time.Minute, 10 * time.Minute},
		{"RQ07 an event at 4m", 4 * time.Minute, 10 * time.Minute, 6 * time.Minute},
		{"RL12 19ms after", 19 * time.Millisecond, 10 * time.Minute, 10*time.Minute - 19*time.Millisecond},
		{"RQ07 periods later", 10*7*time.Minute + time.Minute, 10 * time.Minute, 9 * time.Minute},
		{"RQ15 as near as a run may come", -time.Minute, 10 * time.Minute, time.Minute},
		{"RQ15 nearer counts as the moment's run", -time.Minute + 1, 10 * time.Minute, 11*time.Minute - 1},
		{"RQ15 a hair before", -1, 10 * time.Minute, 10*time.Minute + 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			require.Equal(t, tt.want, requeue.EveryAt(at.Add(tt.now), tt.period, "k").RequeueAfter)
		})
	}

	at = moment(24*time.Hour, "k")
	require.Equal(t, 2*time.Minute, requeue.EveryAt(at.Add(-2*time.Minute), 24*time.Hour, "k").RequeueAfter,
		"of a long period, a minute and not a tenth")
	at = moment(time.Second, "k")
	require.Equal(t, 981*time.Millisecond, requeue.EveryAt(at.Add(19*time.Millisecond), time.Second, "k").RequeueAfter)
	require.Equal(t, 200*time.Millisecond, requeue.EveryAt(at.Add(800*time.Millisecond), time.Second, "k").RequeueAfter)
}

// What is no period asks for nothing, and is no panic in a running loop.
func TestEveryWithoutPeriod(t *testing.T) {
	for _, period := range []time.Duration{0, -1, -time.Hour, math.MinInt64} {
		require.Equal(t, reconcile.Result{}, requeue.Every(period, "k"), "%v", period)
	}
}

// JT01, JT02: a fleet that starts at one instant comes back evenly spread, and
// from then on exactly once per period.
func TestEveryEven_JT01_JT02(t *testing.T) {
	const period = 10 * time.Minute
	names := map[string]func(int) string{
		"uid":        uid,
		"sequential": func(n int) string { return fmt.Sprintf("default/app-%d", n) },
		"short":      func(n int) string { return fmt.Sprintf("%c%c%c", 'a'+n/676%26, 'a'+n/26%26, 'a'+n%26) },
	}
	for name, key := range names {
		t.Run(name, func(t *testing.T) {
			const fleet = 10_000
			var seconds [600]int
			for n := range fleet {
				at := moment(period, key(n))
				seconds[at.Sub(at.Truncate(period))/time.Second]++
				require.Equal(t, period, requeue.EveryAt(at, period, key(n)).RequeueAfter)
			}
			// The bars of a perfect hash: 10,000 balls in 600 bins, then in 60.
			mean := float64(fleet) / 600
			for s := range seconds {
				require.LessOrEqual(t, float64(seconds[s]), 2.1*mean, "second %d", s)
				ten := 0
				for i := range 10 {
					ten += seconds[(s+i)%600]
				}
				require.LessOrEqual(t, float64(ten), 10*1.35*mean, "ten seconds from %d", s)
			}
		})
	}
}

func TestEveryAfterRestart_JT01(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const period = 7 * time.Minute
		runs := func() (at []time.Time) {
			for range 3 {
				time.Sleep(requeue.Every(period, "k").RequeueAfter)
				at = append(at, time.Now())
			}
			return at
		}
		before := runs()
		time.Sleep(97 * time.Second) // the process is down
		after := runs()

		require.Zero(t, after[0].Sub(before[0])%period)
		for _, at := range [][]time.Time{before, after} {
			require.Equal(t, period, at[1].Sub(at[0]))
			require.Equal(t, period, at[2].Sub(at[1]))
		}
	})
}

// RQ15: timers that fire early, and clocks that are set back while they wait,
// bring one run per period all the same.
func TestEveryEarlyTimer_RQ15(t *testing.T) {
	const period = 10 * time.Minute
	for _, early := range []time.Duration{0, 1, time.Millisecond, 999 * time.Millisecond, 30 * time.Second} {
		now := moment(period, "k")
		for range 100 {
			next := now.Add(requeue.EveryAt(now, period, "k").RequeueAfter - early)
			require.InDelta(t, float64(period), float64(next.Sub(now)), float64(early), "%v early", early)
			now = next
		}
	}
}

// A clock that jumps forward or back changes no moment, and loses none.
func TestEveryClockJumps(t *testing.T) {
	const period = time.Hour
	at := moment(period, "k")
	for _, jump := range []time.Duration{-1000 * time.Hour, -period, -1, 1, period, 1000 * time.Hour} {
		now := at.Add(jump)
		next := now.Add(requeue.EveryAt(now, period, "k").RequeueAfter)
		require.Zero(t, next.Sub(at)%period, "%v", jump)
	}
}

func TestEveryAnyZone(t *testing.T) {
	now := time.Date(2026, 3, 29, 0, 59, 0, 0, time.UTC)
	zone := time.FixedZone("", 5*3600+45*60)
	require.Equal(t, requeue.EveryAt(now, time.Hour, "k"), requeue.EveryAt(now.In(zone), time.Hour, "k"))
}

func TestEveryAllocs(t *testing.T) {
	key := uid(1)
	require.Zero(t, testing.AllocsPerRun(1000, func() { requeue.Every(10*time.Minute, key) }))
}

func FuzzEvery(f *testing.F) {
	f.Add(int64(0), int64(0), int64(time.Minute), "")
	f.Add(int64(9223372036), int64(854775807), int64(time.Hour), "in 2262, where Unix nanoseconds end")
	f.Add(int64(253402300799), int64(999999999), int64(math.MaxInt64), "the end of 9999")
	f.Add(int64(-62135596800), int64(0), int64(math.MaxInt64-1), "the zero time")
	f.Add(int64(-62135596801), int64(1), int64(7), "before it")
	f.Fuzz(func(t *testing.T, sec, nsec, p int64, key string) {
		now := time.Unix(sec%1_000_000_000_000, nsec%1_000_000_000) // 31,700 years around 1970
		period := time.Duration(p)
		d := requeue.EveryAt(now, period, key).RequeueAfter
		if period <= 0 {
			if d != 0 {
				t.Fatalf("%v for a period of %v", d, period)
			}
			return
		}
		near := max(min(period/10, time.Minute), time.Millisecond)
		if d < near || (d > near && d-near > period) {
			t.Fatalf("%v for a period of %v", d, period)
		}
		// One moment leads to the next: until the shortest delay, exactly.
		if period < 20*time.Millisecond || period > math.MaxInt64/2 {
			return
		}
		next := now.Add(d)
		if again := requeue.EveryAt(next, period, key).RequeueAfter; again != period {
			t.Fatalf("%v after a moment, for a period of %v", again, period)
		}
		// The nearer the moment, the shorter the delay: what is left, not what
		// has passed.
		if later := requeue.EveryAt(now.Add((d-near)/2), period, key).RequeueAfter; later != d-(d-near)/2 {
			t.Fatalf("%v after half of %v, for a period of %v", later, d, period)
		}
	})
}

func BenchmarkEvery(b *testing.B) {
	key := uid(1)
	b.ReportAllocs()
	for b.Loop() {
		requeue.Every(10*time.Minute, key)
	}
}

func BenchmarkEveryOddPeriod(b *testing.B) {
	key := uid(1)
	b.ReportAllocs()
	for b.Loop() {
		requeue.Every(10*time.Minute+1, key)
	}
}
