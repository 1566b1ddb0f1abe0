package requeue_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/requeue"
)

// Where a clock is changed, and a time shortly before.
var edges = map[string]struct {
	zone   string
	before time.Time
}{
	"set forward":            {"America/New_York", time.Date(2026, 3, 8, 0, 0, 0, 0, time.UTC)},
	"set back":               {"America/New_York", time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)},
	"set forward, east":      {"Europe/Berlin", time.Date(2026, 3, 28, 12, 0, 0, 0, time.UTC)},
	"set back, east":         {"Europe/Berlin", time.Date(2026, 10, 24, 12, 0, 0, 0, time.UTC)},
	"by half an hour":        {"Australia/Lord_Howe", time.Date(2026, 10, 3, 3, 0, 0, 0, time.UTC)},
	"back by half an hour":   {"Australia/Lord_Howe", time.Date(2026, 4, 4, 3, 0, 0, 0, time.UTC)},
	"a day is left out":      {"Pacific/Apia", time.Date(2011, 12, 29, 12, 0, 0, 0, time.UTC)},
	"midnight is left out":   {"America/Sao_Paulo", time.Date(2018, 11, 3, 12, 0, 0, 0, time.UTC)},
	"midnight comes twice":   {"America/Sao_Paulo", time.Date(2018, 2, 17, 12, 0, 0, 0, time.UTC)},
	"back by a day":          {"Pacific/Kwajalein", time.Date(1969, 9, 29, 12, 0, 0, 0, time.UTC)},
	"the zone has no change": {"Asia/Kolkata", time.Date(2026, 3, 8, 0, 0, 0, 0, time.UTC)},
	"UTC":                    {"UTC", time.Date(2026, 3, 8, 0, 0, 0, 0, time.UTC)},
}

// firstShown returns when a clock in the zone first shows each minute of the two and a
// half days from start on. What it leaves out is shown when it is set.
func firstShown(start time.Time, z *time.Location) map[time.Time]time.Time {
	shown := map[time.Time]time.Time{}
	reading := func(t time.Time) time.Time {
		t = t.In(z)
		return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, time.UTC)
	}
	next := reading(start)
	for t := start; t.Before(start.Add(60 * time.Hour)); t = t.Add(time.Minute) {
		for now := reading(t); !next.After(now); next = next.Add(time.Minute) {
			shown[next] = t
		}
	}
	return shown
}

// At the edges each reading of the clock is one slot, as a walk through all minutes
// finds it; what is left out comes once, all of it together.
func TestScheduleAtEdges(t *testing.T) {
	for name, edge := range edges {
		t.Run(name, func(t *testing.T) {
			z := zone(t, edge.zone)
			shown := firstShown(edge.before, z)
			for _, g := range []grid{
				{period: time.Minute},
				{period: 7 * time.Minute, offset: time.Minute},
				{period: time.Hour},
				{period: time.Hour, offset: 30 * time.Minute},
				{period: 24 * time.Hour, offset: 90 * time.Minute},
				{period: 24 * time.Hour, offset: 2 * time.Hour},
				{period: 24 * time.Hour, offset: 2*time.Hour + 30*time.Minute},
				{period: 24 * time.Hour},
			} {
				var want []time.Time
				begin, end := edge.before.Add(6*time.Hour), edge.before.Add(48*time.Hour)
				for slot := range shown {
					at := shown[slot]
					if g.Next(slot.Add(-1)).Equal(slot) && at.After(begin) && at.Before(end) {
						want = append(want, at)
					}
				}
				var got []time.Time
				for last := begin; ; {
					turn, err := requeue.ScheduleAt(last, requeue.Plan{Slots: g, Zone: z, Last: last})
					require.NoError(t, err)
					require.False(t, turn.Due)
					if last = turn.Next; !last.Before(end) {
						break
					}
					got = append(got, last)
					// Looked at just then, it is due.
					turn, err = requeue.ScheduleAt(last, requeue.Plan{Slots: g, Zone: z, Last: begin})
					require.NoError(t, err)
					require.Equal(t, last, turn.Slot)
				}
				unique := map[time.Time]bool{}
				for _, at := range want {
					unique[at] = true
				}
				require.Len(t, got, len(unique), "%+v", g)
				for _, at := range got {
					require.True(t, unique[at], "%+v at %v", g, at)
				}
			}
		})
	}
}

// Without a zone all is the library's own affair.
func TestScheduleWithoutZone(t *testing.T) {
	z := zone(t, "America/New_York")
	own := slots{time.Date(2026, 11, 1, 1, 30, 0, 0, z), time.Date(2026, 11, 1, 6, 30, 0, 0, time.UTC)} // 1:30, twice
	turn, err := requeue.ScheduleAt(own[0], requeue.Plan{Slots: own, Last: own[0]})
	require.NoError(t, err)
	require.Equal(t, own[1], turn.Next)
	turn, err = requeue.ScheduleAt(own[0], requeue.Plan{Slots: own, Last: own[0].Add(-time.Hour)})
	require.NoError(t, err)
	require.Equal(t, own[0].UTC(), turn.Slot)
}
