package requeue_test

import (
	"fmt"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/requeue"
)

// evening is a window from 22:00 to 23:00 in UTC.
func evening(n int) requeue.Hours {
	return requeue.Hours{From: 22 * time.Hour, To: 23 * time.Hour, Key: uid(n)}
}

// RQ25: after a restart in a window, the turns of those that have not been are spread
// over what is left; who was done waits for the next window.
func TestWindowAfterRestart_RQ25(t *testing.T) {
	const fleet = 100
	now := clock(22, 10, 0)
	minutes := map[int]int{}
	for n := range fleet {
		h := evening(n)
		first, err := requeue.WindowAt(clock(12, 0, 0), h)
		require.NoError(t, err)
		require.False(t, first.Open)
		require.Equal(t, clock(22, 0, 0), first.Edge)
		require.False(t, first.Due)
		require.False(t, first.Next.Before(clock(22, 0, 0)))
		require.True(t, first.Next.Before(clock(23, 0, 0)))

		h.Last = clock(22, 0, 0).AddDate(0, 0, -1).Add(time.Duration(n) * time.Minute / 2) // yesterday
		got, err := requeue.WindowAt(now, h)
		require.NoError(t, err)
		require.True(t, got.Open)
		require.Equal(t, clock(23, 0, 0), got.Edge)
		if got.Due { // whose turn it is, and has been for less than a minute
			require.WithinDuration(t, now, first.Next, time.Minute)
			continue
		}
		require.True(t, got.Next.After(now))
		require.True(t, got.Next.Before(clock(23, 0, 0)))
		require.Equal(t, got.Next.Sub(now), got.Result.RequeueAfter)
		minutes[got.Next.Minute()]++

		h.Last = clock(22, 5, 0)
		done, err := requeue.WindowAt(now, h)
		require.NoError(t, err)
		require.False(t, done.Due)
		require.Equal(t, first.Next.AddDate(0, 0, 1), done.Next)
		require.Equal(t, done.Next.Sub(now), done.Result.RequeueAfter)
	}
	for minute, n := range minutes {
		require.LessOrEqual(t, n, fleet/8, "minute %d", minute)
	}
	require.Greater(t, len(minutes), 30)
}

// RQ25: a restart late in the window leaves few to come at once, and each of the others
// has a turn that stays the same until it comes.
func TestWindowLateRestart_RQ25(t *testing.T) {
	const fleet = 1000
	for _, minute := range []int{20, 35, 50, 55} {
		now, due, left := clock(22, minute, 0), 0, 0
		ahead := map[time.Time]int{}
		for n := range fleet {
			got, err := requeue.WindowAt(now, evening(n))
			require.NoError(t, err)
			if got.Due {
				due++
				continue
			}
			require.True(t, got.Next.Before(clock(22, 59, 0)))
			ahead[got.Next.Truncate(time.Minute)]++
			again, err := requeue.WindowAt(now.Add(got.Result.RequeueAfter-1), evening(n))
			require.NoError(t, err)
			require.False(t, again.Due)
			require.Equal(t, got.Next, again.Next)
			left++
		}
		minutes := 59 - minute
		require.Less(t, due, 2*fleet/minutes, "at 22:%d", minute)
		require.Positive(t, left)
		for at, n := range ahead {
			require.LessOrEqual(t, n, 4*fleet/minutes, "at %v after 22:%d", at, minute)
		}
	}
}

// Each object has its turn once in each window, whatever restarts and events there are,
// and all of them are spread over it.
func TestWindowOncePerWindow_RQ25(t *testing.T) {
	berlin := zone(t, "Europe/Berlin")
	synctest.Test(t, func(t *testing.T) {
		const fleet, days = 2000, 3
		time.Sleep(12 * time.Hour) // until noon
		end := time.Now().AddDate(0, 0, days)
		sums, ran := map[int]int{}, 0
		for n := range fleet {
			h := requeue.Hours{Zone: berlin, From: 22 * time.Hour, To: 6 * time.Hour, Key: uid(n)}
			now := time.Now()
			for i := 0; now.Before(end); i++ {
				got, err := requeue.WindowAt(now, h)
				require.NoError(t, err)
				if got.Due {
					require.True(t, got.Open)
					require.True(t, h.Last.IsZero() || now.Sub(h.Last) > 16*time.Hour, "%v after %v", now, h.Last)
					h.Last = now
					ran++
					sums[now.In(berlin).Hour()]++
				}
				wait := got.Result.RequeueAfter + time.Duration(i%3)*20*time.Second // it is late
				if i%2 == 0 {
					wait = min(wait, time.Duration(1+i%17)*37*time.Minute) // an event, or a restart
				}
				now = now.Add(wait)
			}
		}
		require.Equal(t, fleet*days, ran, "once a night")
		for _, hour := range []int{22, 23, 0, 1, 2, 3, 4, 5} {
			require.InDelta(t, fleet*days/8, sums[hour], fleet*days/24, "%v", sums)
		}
		require.Len(t, sums, 8)
	})
}

func TestWindowEdges(t *testing.T) {
	night := requeue.Hours{From: 22 * time.Hour, To: 6 * time.Hour, Key: "k"}
	for name, tt := range map[string]struct {
		change func(*requeue.Hours)
		now    time.Time
		open   bool
		edge   time.Time
	}{
		"before":                  {nil, clock(21, 59, 59), false, clock(22, 0, 0)},
		"at the opening":          {nil, clock(22, 0, 0), true, clock(30, 0, 0)},
		"past midnight":           {nil, clock(0, 0, 0), true, clock(6, 0, 0)},
		"at the closing":          {nil, clock(6, 0, 0), false, clock(22, 0, 0)},
		"in Berlin":               {func(h *requeue.Hours) { h.Zone = zone(t, "Europe/Berlin") }, clock(19, 59, 59), false, clock(20, 0, 0)},
		"on other days":           {func(h *requeue.Hours) { h.Days = []time.Weekday{time.Friday} }, clock(23, 0, 0), false, clock(48+22, 0, 0)}, // a Wednesday
		"the morning after":       {func(h *requeue.Hours) { h.Days = []time.Weekday{time.Tuesday, time.Friday} }, clock(5, 0, 0), true, clock(6, 0, 0)},
		"the whole day":           {func(h *requeue.Hours) { h.From, h.To = 0, 24*time.Hour }, clock(5, 0, 0), true, clock(24, 0, 0)},
		"the whole day, from ten": {func(h *requeue.Hours) { h.To = h.From }, clock(21, 0, 0), true, clock(22, 0, 0)},
		"a minute":                {func(h *requeue.Hours) { h.To = h.From + time.Minute }, clock(22, 0, 59), true, clock(22, 1, 0)},
		"a clock in another zone": {nil, clock(0, 0, 0).In(zone(t, "Asia/Kolkata")), true, clock(6, 0, 0)},
		"in 300 years":            {nil, clock(0, 0, 0).AddDate(300, 0, 0), true, clock(6, 0, 0).AddDate(300, 0, 0)},
	} {
		t.Run(name, func(t *testing.T) {
			h := night
			if tt.change != nil {
				tt.change(&h)
			}
			got, err := requeue.WindowAt(tt.now, h)
			require.NoError(t, err)
			require.Equal(t, tt.open, got.Open)
			require.Equal(t, tt.edge, got.Edge)
			require.Positive(t, got.Result.RequeueAfter)
			require.True(t, tt.open || got.Next.After(tt.now))
		})
	}
	for _, now := range []time.Time{{}, time.Unix(0, 0), time.Date(9999, 12, 31, 23, 0, 0, 0, time.UTC)} {
		got, err := requeue.WindowAt(now, night)
		require.NoError(t, err)
		require.Positive(t, got.Result.RequeueAfter)
	}
}

// What the clock leaves out is no window; what it shows twice makes one longer.
func TestWindowWhereTheClockIsChanged(t *testing.T) {
	newYork := zone(t, "America/New_York")
	at := func(month time.Month, date, hour, minute int) time.Time {
		return time.Date(2026, month, date, hour, minute, 0, 0, newYork).UTC()
	}
	for name, tt := range map[string]struct {
		from, to   time.Duration
		now        time.Time
		open, then time.Time // the edges
	}{
		"left out":           {2 * time.Hour, 3 * time.Hour, at(3, 7, 12, 0), at(3, 9, 2, 0), at(3, 9, 3, 0)},
		"opens in the gap":   {150 * time.Minute, 4 * time.Hour, at(3, 7, 12, 0), at(3, 8, 3, 0), at(3, 8, 4, 0)},
		"closes in the gap":  {time.Hour, 150 * time.Minute, at(3, 7, 12, 0), at(3, 8, 1, 0), at(3, 8, 3, 0)},
		"opens the first":    {90 * time.Minute, 150 * time.Minute, at(10, 31, 12, 0), at(11, 1, 0, 0).Add(90 * time.Minute), at(11, 1, 2, 30)},
		"closes the first":   {0, 90 * time.Minute, at(10, 31, 12, 0), at(11, 1, 0, 0), at(11, 1, 0, 0).Add(90 * time.Minute)},
		"around both is two": {30 * time.Minute, 150 * time.Minute, at(10, 31, 12, 0), at(11, 1, 0, 30), at(11, 1, 0, 30).Add(3 * time.Hour)},
	} {
		t.Run(name, func(t *testing.T) {
			h := requeue.Hours{Zone: newYork, From: tt.from, To: tt.to, Key: "k"}
			got, err := requeue.WindowAt(tt.now, h)
			require.NoError(t, err)
			require.False(t, got.Open)
			require.Equal(t, tt.open, got.Edge)
			require.False(t, got.Next.Before(tt.open))
			require.True(t, got.Next.Before(tt.then))
			got, err = requeue.WindowAt(tt.open, h)
			require.NoError(t, err)
			require.True(t, got.Open)
			require.Equal(t, tt.then, got.Edge)
		})
	}
}

// A turn that was missed by too much comes again before the window closes, and never
// where it can't be had.
func TestWindowMissedTurns_RQ25(t *testing.T) {
	for n := range 50 {
		h := evening(n)
		late := 90 * time.Second
		now, ran := clock(21, 0, 0), false
		for looks := 0; !ran; looks++ {
			require.Less(t, looks, 20)
			got, err := requeue.WindowAt(now, h)
			require.NoError(t, err)
			ran = got.Due
			require.True(t, ran || got.Next.Before(clock(22, 59, 0)), "%d: %v at %v", n, got.Next, now)
			if !ran {
				now = got.Next.Add(late)
			}
		}
		require.True(t, now.Before(clock(23, 0, 31)), "a queue that is 90 s late, at %v", now)
	}
	got, err := requeue.WindowAt(clock(22, 59, 0), evening(1))
	require.NoError(t, err)
	require.True(t, got.Due, "at the end it is everybody's turn")
}

func TestHoursValidate(t *testing.T) {
	for _, tt := range []struct {
		want   string
		change func(*requeue.Hours)
	}{
		{"requeue: From is -1ns, want at least 0 and less than 24h", func(h *requeue.Hours) { h.From = -1 }},
		{"requeue: From is 24h0m0s, want at least 0 and less than 24h", func(h *requeue.Hours) { h.From = day }},
		{"requeue: To is -1ns, want at least 0 and at most 24h", func(h *requeue.Hours) { h.To = -1 }},
		{"requeue: To is 24h0m0.000000001s, want at least 0 and at most 24h", func(h *requeue.Hours) { h.To = day + 1 }},
		{"requeue: To is 22h0m59s, want at least 1m0s after From, 22h0m0s", func(h *requeue.Hours) { h.To = h.From + 59*time.Second }},
		{"requeue: To is 0s, want at least 1m0s after From, 23h59m59s", func(h *requeue.Hours) { h.From, h.To = day-time.Second, 0 }},
		{"requeue: Key is empty, want one for each object", func(h *requeue.Hours) { h.Key = "" }},
		{"requeue: Days has 7, want days from 0, a Sunday, to 6", func(h *requeue.Hours) { h.Days = []time.Weekday{0, 7} }},
		{"requeue: Days has -1, want days from 0, a Sunday, to 6", func(h *requeue.Hours) { h.Days = []time.Weekday{-1} }},
	} {
		h := evening(1)
		tt.change(&h)
		require.EqualError(t, h.Validate(), tt.want)
		got, err := requeue.Window(h)
		require.EqualError(t, err, tt.want)
		require.Zero(t, got)
	}
	require.NoError(t, evening(1).Validate())
}

func TestWindowAllocs(t *testing.T) {
	h := evening(1)
	h.Days = []time.Weekday{time.Monday, time.Tuesday, time.Wednesday, time.Thursday, time.Friday}
	h.Zone = zone(t, "Europe/Berlin")
	require.Zero(t, testing.AllocsPerRun(1000, func() { _, _ = requeue.Window(h) }))
}

func FuzzWindow(f *testing.F) {
	f.Add(int64(1781000000), uint32(79200), uint32(3600), uint8(0), int64(0), uint8(0), "k")
	f.Add(int64(1772953200), uint32(7200), uint32(3600), uint8(127), int64(86400), uint8(1), "k")
	f.Add(int64(1325203200), uint32(0), uint32(60), uint8(1), int64(-1), uint8(3), "")
	f.Fuzz(func(t *testing.T, sec int64, from, length uint32, days uint8, ago int64, where uint8, key string) {
		now := time.Unix(sec%100_000_000_000, 0)
		h := requeue.Hours{
			Zone: []*time.Location{nil, zone(t, "America/New_York"), zone(t, "Australia/Lord_Howe"), zone(t, "Pacific/Apia")}[where%4],
			From: time.Duration(from%86400) * time.Second,
			Key:  "k" + key, Last: now.Add(-time.Duration(ago%4_000_000) * time.Second),
		}
		h.To = (h.From + time.Duration(60+length%86340)*time.Second) % day
		for d := range 7 {
			if days>>d&1 == 1 {
				h.Days = append(h.Days, time.Weekday(d))
			}
		}
		got, err := requeue.WindowAt(now, h)
		require.NoError(t, err)
		next, err := requeue.WindowAt(got.Next, h)
		require.NoError(t, err)
		edge, err := requeue.WindowAt(got.Edge, h)
		require.NoError(t, err)
		before, err := requeue.WindowAt(got.Edge.Add(-1), h)
		require.NoError(t, err)
		switch {
		case !got.Next.After(now), !got.Edge.After(now), got.Result != requeue.After(got.Next.Sub(now)), got.Due && !got.Open:
			t.Fatalf("%+v at %v: %+v", h, now, got)
		case !got.Due && !next.Due, !next.Open:
			t.Fatalf("%+v at %v: %+v, then %+v", h, now, got, next)
		case before.Open != got.Open, got.Edge.Sub(now) < math.MaxInt64 && edge.Open == got.Open && h.To != h.From:
			t.Fatalf("%+v at %v: %+v, at the edge %+v", h, now, got, edge)
		}
	})
}

func ExampleWindow() {
	opening, err := requeue.Window(requeue.Hours{
		From: 22 * time.Hour, // spec.maintenance.from
		To:   6 * time.Hour,  // the next morning
		Days: []time.Weekday{time.Saturday},
		Key:  "9c6d1a0e-5a0f-4a53-8a4e-3f7f1c0b2d11",       // string(obj.GetUID())
		Last: time.Date(2100, 1, 2, 23, 0, 0, 0, time.UTC), // status.lastMaintenance
	})
	if err != nil {
		fmt.Println(err) // a condition, and reconcile.TerminalError
		return
	}
	if opening.Due {
		fmt.Println("do it, and write when to the status")
	}
	fmt.Println("next turn:", opening.Next.Truncate(time.Second)) // return opening.Result, nil
	// Output: next turn: 2100-01-10 02:46:36 +0000 UTC
}
