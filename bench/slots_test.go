package bench_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"
	_ "time/tzdata" // the zones, on any machine

	"github.com/robfig/cron/v3"
	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/requeue"
)

// crons returns n schedules as people write them, always the same.
func crons(n int) (specs []string) {
	r := rand.New(rand.NewPCG(1, 1))
	for range n {
		minute, hour, date, month, weekday := fmt.Sprint(r.IntN(60)), fmt.Sprint(r.IntN(24)), "*", "*", "*"
		switch kind := r.IntN(40); {
		case kind == 0:
			minute, hour = fmt.Sprintf("*/%d", 10+r.IntN(20)), "*"
		case kind == 1:
			hour = "*"
		case kind == 2:
			hour = fmt.Sprintf("*/%d", 2+r.IntN(10))
		case kind == 3:
			minute, hour = "0,30", fmt.Sprintf("%d-%d", r.IntN(8), 8+r.IntN(16))
		case kind < 12:
			hour = fmt.Sprint(r.IntN(4)) // where clocks are changed
		case kind < 16:
			weekday = fmt.Sprint(r.IntN(7))
		case kind < 20:
			weekday = "1-5"
		case kind < 24:
			date = fmt.Sprint(1 + r.IntN(31))
		case kind < 28:
			date, month = fmt.Sprint(1+r.IntN(31)), fmt.Sprint(1+r.IntN(12))
		}
		specs = append(specs, fmt.Sprintf("%s %s %s %s %s", minute, hour, date, month, weekday))
	}
	return specs
}

// A year of a thousand schedules in four zones: each slot is the library's own, but
// where the clock is changed. There each reading of the clock is one slot, as a walk
// through all minutes finds them.
func TestSchedule(t *testing.T) {
	begin := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC) // when a bubble begins
	end := begin.AddDate(1, 0, 0)
	slots, differ, wrong := 0, 0, 0
	schedules := 40 // enough for a test
	if *scenarios {
		schedules = 1000
	}
	for i, spec := range crons(schedules) {
		zone, err := time.LoadLocation([]string{"America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "Asia/Kolkata"}[i%4])
		require.NoError(t, err)
		schedule, err := cron.ParseStandard(spec)
		require.NoError(t, err)
		days := edges(begin, end, zone)
		ours := turns(t, schedule, zone, end)
		theirs := map[time.Time]bool{}
		for next := schedule.Next(begin.In(zone)); !next.IsZero() && !next.After(end); next = schedule.Next(next) {
			theirs[next.UTC()] = true
		}
		rule := byRule(schedule, zone, days)
		for at := range theirs {
			if !near(at, days) {
				slots++
				if !ours[at] {
					differ++
				}
			}
		}
		for at := range ours {
			switch {
			case !near(at, days) && !theirs[at]:
				differ++
			case near(at, days) && !rule[at]:
				wrong++
			}
		}
		for at := range rule {
			if near(at, days) && !ours[at] {
				wrong++
			}
		}
	}
	require.Positive(t, slots)
	require.Zero(t, differ)
	require.Zero(t, wrong)
	printScenario(t, "Slots/by="+ours, "slots", float64(slots), "differ", float64(differ), "off-the-rule", float64(wrong))
}

// turns returns the slots that a reconciler runs which comes back when Schedule says.
func turns(t *testing.T, s cron.Schedule, zone *time.Location, end time.Time) map[time.Time]bool {
	t.Helper()
	all := map[time.Time]bool{}
	synctest.Test(t, func(t *testing.T) {
		for last := time.Now(); ; {
			turn, err := requeue.Schedule(requeue.Plan{Slots: s, Zone: zone, Last: last})
			require.NoError(t, err)
			if turn.Due {
				require.True(t, time.Now().Equal(turn.Slot))
				last = turn.Slot
				all[last] = true
			}
			if turn.Next.IsZero() || turn.Next.After(end) {
				return
			}
			time.Sleep(turn.Result.RequeueAfter)
		}
	})
	return all
}

// edges returns when the clock is changed.
func edges(begin, end time.Time, zone *time.Location) (all []time.Time) {
	for _, next := begin.In(zone).ZoneBounds(); !next.IsZero() && next.Before(end); _, next = next.ZoneBounds() {
		all = append(all, next.UTC())
	}
	return all
}

// near reports whether at is within a day of one of the edges.
func near(at time.Time, edges []time.Time) bool {
	for _, edge := range edges {
		if at.Sub(edge).Abs() < 24*time.Hour {
			return true
		}
	}
	return false
}

// byRule returns the slots around the edges: each reading of the clock once, when it
// is shown first, or when the clock is set past it.
func byRule(s cron.Schedule, zone *time.Location, edges []time.Time) map[time.Time]bool {
	all := map[time.Time]bool{}
	for _, edge := range edges {
		reading := func(t time.Time) time.Time {
			_, ahead := t.In(zone).Zone()
			return t.Add(time.Duration(ahead) * time.Second)
		}
		t := edge.Add(-30 * time.Hour)
		for next := reading(t); t.Before(edge.Add(30 * time.Hour)); t = t.Add(time.Minute) {
			for ; !next.After(reading(t)); next = next.Add(time.Minute) {
				if s.Next(next.Add(-time.Second)).Equal(next) {
					all[t] = true
				}
			}
		}
	}
	return all
}
