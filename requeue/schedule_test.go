package requeue_test

import (
	"math"
	"testing"
	"testing/synctest"
	"time"
	_ "time/tzdata" // the zones, on any machine

	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/requeue"
)

// grid is a schedule with a slot in each period, at its offset: the slots of
// "30 2 * * *" are grid{24h, 2h30m}. It counts how often it is asked.
type grid struct {
	period, offset time.Duration
	asked          *int
}

func (g grid) Next(t time.Time) time.Time {
	if g.asked != nil {
		*g.asked++
	}
	_, ahead := t.Zone()
	t = t.Add(time.Duration(ahead)*time.Second - g.offset) // as the clock shows it
	return t.Truncate(g.period).Add(g.period + g.offset - time.Duration(ahead)*time.Second)
}

// slots is a schedule with just these slots.
type slots []time.Time

func (s slots) Next(t time.Time) time.Time {
	for _, slot := range s {
		if slot.After(t) {
			return slot
		}
	}
	return time.Time{}
}

func zone(tb testing.TB, name string) *time.Location {
	tb.Helper()
	z, err := time.LoadLocation(name)
	require.NoError(tb, err)
	return z
}

// clock returns the time at which a clock in UTC shows that, on a day in June.
func clock(hours, minutes, seconds int) time.Time {
	return time.Date(2026, 6, 10, hours, minutes, seconds, 0, time.UTC)
}

func hourly() requeue.Plan { return requeue.Plan{Slots: grid{period: time.Hour}, Last: clock(9, 0, 0)} }

func TestSchedule(t *testing.T) {
	with := func(change func(*requeue.Plan)) requeue.Plan {
		p := hourly()
		change(&p)
		return p
	}
	limit := func(d time.Duration) requeue.Plan { return with(func(p *requeue.Plan) { p.MaxLate = d }) }
	skip := func(d time.Duration) requeue.Plan {
		return with(func(p *requeue.Plan) { p.SkipMissed, p.MaxLate = true, d })
	}
	missed := func(n int) requeue.Plan { return with(func(p *requeue.Plan) { p.Missed = n }) }
	none := time.Time{}
	for name, tt := range map[string]struct {
		plan       requeue.Plan
		now        time.Time
		slot, next time.Time
		more       bool
	}{
		"before the next":           {hourly(), clock(9, 20, 0), none, clock(10, 0, 0), false},
		"a hair before":             {hourly(), clock(10, 0, 0).Add(-1), none, clock(10, 0, 0), false},
		"at the slot":               {hourly(), clock(10, 0, 0), clock(10, 0, 0), clock(11, 0, 0), false},
		"after it":                  {hourly(), clock(10, 59, 59), clock(10, 0, 0), clock(11, 0, 0), false},
		"at the last":               {hourly(), clock(9, 0, 0), none, clock(10, 0, 0), false},
		"the clock was set back":    {hourly(), clock(3, 30, 0), none, clock(10, 0, 0), false},
		"latest of several":         {hourly(), clock(12, 37, 0), clock(12, 0, 0), clock(13, 0, 0), false},
		"RQ22 limit of 5m":          {limit(5 * time.Minute), clock(12, 37, 0), none, clock(13, 0, 0), false},
		"RQ22 limit of an hour":     {limit(time.Hour), clock(12, 37, 0), clock(12, 0, 0), clock(13, 0, 0), false},
		"just as late as the limit": {limit(37 * time.Minute), clock(12, 37, 0), clock(12, 0, 0), clock(13, 0, 0), false},
		"a hair later":              {limit(37*time.Minute - 1), clock(12, 37, 0), none, clock(13, 0, 0), false},
		"RQ23 a second late":        {skip(15 * time.Second), clock(13, 0, 1), clock(13, 0, 0), clock(14, 0, 0), false},
		"RQ23 as late as may be":    {skip(15 * time.Second), clock(13, 0, 15), clock(13, 0, 0), clock(14, 0, 0), false},
		"RQ23 too late":             {skip(15 * time.Second), clock(13, 0, 16), none, clock(14, 0, 0), false},
		"skip, a minute late":       {skip(0), clock(13, 1, 0), clock(13, 0, 0), clock(14, 0, 0), false},
		"skip, later":               {skip(0), clock(13, 1, 1), none, clock(14, 0, 0), false},
		"two":                       {missed(2), clock(12, 37, 0), clock(11, 0, 0), clock(13, 0, 0), true},
		"as many as there are":      {missed(3), clock(12, 37, 0), clock(10, 0, 0), clock(13, 0, 0), true},
		"more than there are":       {missed(1000), clock(12, 37, 0), clock(10, 0, 0), clock(13, 0, 0), true},
		"the last of them":          {with(func(p *requeue.Plan) { p.Missed, p.Last = 3, clock(11, 0, 0) }), clock(12, 37, 0), clock(12, 0, 0), clock(13, 0, 0), false},
		"many, of far more":         {missed(5), clock(9, 0, 0).AddDate(3, 0, 0), clock(5, 0, 0).AddDate(3, 0, 0), clock(10, 0, 0).AddDate(3, 0, 0), true},
		"all, within the limit":     {with(func(p *requeue.Plan) { p.Missed, p.MaxLate = 1000, 2*time.Hour }), clock(12, 37, 0), clock(11, 0, 0), clock(13, 0, 0), true},
		"never again":               {with(func(p *requeue.Plan) { p.Slots = slots{clock(8, 0, 0), clock(9, 0, 0)} }), clock(9, 30, 0), none, none, false},
		"never again after this":    {with(func(p *requeue.Plan) { p.Slots = slots{clock(10, 0, 0)} }), clock(12, 0, 0), clock(10, 0, 0), none, false},
		"uneven": {with(func(p *requeue.Plan) {
			p.Slots = slots{clock(9, 1, 0), clock(9, 2, 0), clock(12, 36, 59), clock(17, 0, 0)}
		}), clock(12, 37, 0), clock(12, 36, 59), clock(17, 0, 0), false},
		"uneven, the first alone":      {with(func(p *requeue.Plan) { p.Slots = slots{clock(9, 1, 0), clock(17, 0, 0)} }), clock(16, 59, 59), clock(9, 1, 0), clock(17, 0, 0), false},
		"in other zones":               {with(func(p *requeue.Plan) { p.Last = p.Last.In(zone(t, "Asia/Kolkata")) }), clock(12, 37, 0).In(zone(t, "America/New_York")), clock(12, 0, 0), clock(13, 0, 0), false},
		"last is when it was made":     {with(func(p *requeue.Plan) { p.Last = clock(9, 41, 7) }), clock(9, 59, 0), none, clock(10, 0, 0), false},
		"last is when it was run":      {with(func(p *requeue.Plan) { p.Last = clock(10, 0, 3) }), clock(10, 0, 4), none, clock(11, 0, 0), false},
		"a zone with half an hour":     {with(func(p *requeue.Plan) { p.Zone = zone(t, "Asia/Kolkata") }), clock(9, 31, 0), clock(9, 30, 0), clock(10, 30, 0), false},
		"past the end of nanoseconds":  {with(func(p *requeue.Plan) { p.Last = clock(9, 0, 0).AddDate(300, 0, 0) }), clock(9, 0, 0).AddDate(300, 0, 1), clock(9, 0, 0).AddDate(300, 0, 1), clock(10, 0, 0).AddDate(300, 0, 1), false},
		"last run in the year 2":       {with(func(p *requeue.Plan) { p.Last = clock(9, 0, 0).AddDate(-2024, 0, 0) }), clock(12, 37, 0), clock(12, 0, 0), clock(13, 0, 0), false},
		"a slot in the farthest years": {with(func(p *requeue.Plan) { p.Slots = slots{clock(9, 0, 0).AddDate(5000, 0, 0)} }), clock(12, 37, 0), none, clock(9, 0, 0).AddDate(5000, 0, 0), false},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := requeue.ScheduleAt(tt.now, tt.plan)
			require.NoError(t, err)
			require.Equal(t, !tt.slot.IsZero(), got.Due)
			require.Equal(t, tt.slot, got.Slot)
			require.Equal(t, tt.next, got.Next)
			require.Equal(t, tt.more, got.More)
			switch {
			case tt.more:
				require.Equal(t, requeue.Now(), got.Result)
			case tt.next.IsZero():
				require.Equal(t, requeue.Done(), got.Result)
			default: // RQ18: the status shows what the timer waits for.
				require.Equal(t, requeue.After(tt.next.Sub(tt.now)), got.Result)
			}
		})
	}
}

// RQ21: the last of any number of missed slots is found in a few steps.
func TestScheduleLongOutage_RQ21(t *testing.T) {
	for outage, most := range map[time.Duration]int{
		8 * 24 * time.Hour:        5,
		80 * 365 * 24 * time.Hour: 5,
		math.MaxInt64 / 2:         5,
		time.Minute + 1:           5,
		10 * time.Second:          2,
	} {
		asked := 0
		now := clock(12, 0, 30)
		last := now.Add(-outage)
		got, err := requeue.ScheduleAt(now, requeue.Plan{Slots: grid{period: time.Minute, asked: &asked}, Last: last, Zone: zone(t, "Europe/Berlin")})
		require.NoError(t, err)
		require.Equal(t, outage > time.Minute, got.Due)
		require.Equal(t, clock(12, 1, 0), got.Next)
		require.LessOrEqual(t, asked, most, "%v", outage)
	}
	for period, most := range map[time.Duration]int{time.Second: 60, time.Hour: 60, 24 * time.Hour: 60, 5000 * time.Hour: 80} {
		asked := 0
		got, err := requeue.ScheduleAt(clock(12, 0, 0), requeue.Plan{Slots: grid{period: period, asked: &asked}, Last: clock(12, 0, 0).AddDate(-8, 0, 0), Missed: 3})
		require.NoError(t, err)
		require.True(t, got.Due)
		require.LessOrEqual(t, got.Next.Sub(got.Slot), 3*period)
		require.LessOrEqual(t, asked, most, "%v", period)
	}
}

// dense has a slot in each second of a day, and one a month later.
type dense struct {
	from  time.Time
	asked *int
}

func (d dense) Next(t time.Time) time.Time {
	*d.asked++
	switch next := t.Truncate(time.Second).Add(time.Second); {
	case next.Before(d.from):
		return d.from
	case next.Before(d.from.Add(day)):
		return next
	default:
		return d.from.Add(31 * day)
	}
}

// RQ21: also where the slots are as uneven as can be.
func TestScheduleUneven_RQ21(t *testing.T) {
	for _, ago := range []time.Duration{1500 * time.Minute, 40 * time.Hour, 20 * day} {
		asked, from := 0, clock(0, 0, 0)
		got, err := requeue.ScheduleAt(from.Add(ago), requeue.Plan{Slots: dense{from, &asked}, Last: from})
		require.NoError(t, err)
		require.Equal(t, from.Add(day-time.Second), got.Slot)
		require.Equal(t, from.Add(31*day), got.Next)
		require.LessOrEqual(t, asked, 80, "%v", ago)
	}
}

// A run for each of several missed slots, oldest first, then one in each slot: none
// twice and none forgotten, though the process restarts between any two looks.
func TestScheduleRestarts_RQ22_RQ18(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(7*time.Hour + 12*time.Minute)
		start := time.Now()
		last := start.Add(-5*time.Hour - 30*time.Minute) // and down since
		var run []time.Time
		for time.Since(start) < 24*time.Hour {
			got, err := requeue.Schedule(requeue.Plan{Slots: grid{period: time.Hour}, Last: last, Missed: 3})
			require.NoError(t, err)
			if got.Due {
				run, last = append(run, got.Slot), got.Slot
			} else {
				require.True(t, time.Now().Add(got.Result.RequeueAfter).Equal(got.Next))
			}
			time.Sleep(got.Result.RequeueAfter)
		}
		first := start.Truncate(time.Hour).Add(-2 * time.Hour).UTC()
		require.Len(t, run, 27)
		for i, slot := range run {
			require.Equal(t, first.Add(time.Duration(i)*time.Hour), slot)
		}
	})
}

func TestPlanValidate(t *testing.T) {
	for _, tt := range []struct {
		want   string
		change func(*requeue.Plan)
	}{
		{"requeue: Slots is nil, want a schedule", func(p *requeue.Plan) { p.Slots = nil }},
		{"requeue: Slots is nil, want a schedule", func(p *requeue.Plan) { p.Slots = (*dailySlots)(nil) }},
		{"requeue: Last is zero, want the slot that was run last, or when the object was made", func(p *requeue.Plan) { p.Last = time.Time{} }},
		{"requeue: MaxLate is -1ns, want at least 0", func(p *requeue.Plan) { p.MaxLate = -1 }},
		{"requeue: Missed is -1, want a number from 0 to 1000", func(p *requeue.Plan) { p.Missed = -1 }},
		{"requeue: Missed is 1001, want a number from 0 to 1000", func(p *requeue.Plan) { p.Missed = 1001 }},
		{"requeue: Missed is 2 beside SkipMissed, want 0", func(p *requeue.Plan) { p.Missed, p.SkipMissed = 2, true }},
	} {
		p := hourly()
		tt.change(&p)
		require.EqualError(t, p.Validate(), tt.want)
		got, err := requeue.Schedule(p)
		require.EqualError(t, err, tt.want)
		require.Zero(t, got)
	}
	require.NoError(t, hourly().Validate())
}

// A schedule that goes backwards would be asked for ever.
func TestScheduleBackwards(t *testing.T) {
	p := hourly()
	p.Slots = stuck{}
	got, err := requeue.ScheduleAt(clock(12, 0, 0), p)
	require.EqualError(t, err, "requeue: Slots.Next(2026-06-10T11:59:00Z) is 2026-06-10T11:59:00Z, want a later time")
	require.Zero(t, got)
	for _, missed := range []int{0, 1000} {
		p.Slots, p.Missed = loop(clock(9, 30, 0)), missed
		_, err = requeue.ScheduleAt(clock(12, 0, 0), p)
		require.Error(t, err)
	}
}

type stuck struct{}

func (stuck) Next(t time.Time) time.Time { return t }

// loop always says the same.
type loop time.Time

func (l loop) Next(time.Time) time.Time { return time.Time(l) }

// Any slots and any times: a slot that is due is one of the schedule, the latest that
// counts, and what comes next is in the future.
func FuzzSchedule(f *testing.F) {
	f.Add(int64(1781000000), int64(86400), int64(3600), int64(0), int64(0), uint16(0), false, uint8(0))
	f.Add(int64(1774746000), int64(86400*3), int64(1800), int64(900), int64(60), uint16(7), false, uint8(1))
	f.Add(int64(9223372036), int64(999999), int64(7), int64(3), int64(0), uint16(1000), true, uint8(2))
	f.Fuzz(func(t *testing.T, sec, ago, period, shift, late int64, missed uint16, skip bool, where uint8) {
		now := time.Unix(sec%100_000_000_000, 0)
		g := grid{period: time.Duration(1+abs(period)%(86400*40)) * time.Second, offset: time.Duration(shift%86400) * time.Second}
		p := requeue.Plan{
			Slots: g, Last: now.Add(-time.Duration(ago%4_000_000) * time.Second), SkipMissed: skip,
			Zone:    []*time.Location{nil, time.UTC, zone(t, "America/New_York"), zone(t, "Australia/Lord_Howe"), zone(t, "Pacific/Apia")}[where%5],
			MaxLate: time.Duration(abs(late)%4_000_000) * time.Second,
		}
		if !skip {
			p.Missed = int(missed % 1001)
		}
		if p.Last.IsZero() {
			return
		}
		got, err := requeue.ScheduleAt(now, p)
		require.NoError(t, err)
		limit := p.MaxLate
		if skip && limit == 0 {
			limit = time.Minute
		}
		switch {
		case !got.Next.After(now), got.Result.RequeueAfter <= 0, got.Due == got.Slot.IsZero(), got.More && !got.Due:
			t.Fatalf("%+v at %v: %+v", p, now, got)
		case !got.More && got.Result != requeue.After(got.Next.Sub(now)):
			t.Fatalf("%+v at %v: %+v", p, now, got)
		case got.Due && (!got.Slot.After(p.Last) || got.Slot.After(now) || limit > 0 && now.Sub(got.Slot) > limit):
			t.Fatalf("%+v at %v: %+v", p, now, got)
		}
		// Those that are run one after the other are at most as many as Missed, and then
		// nothing is due.
		for n := 1; got.Due; n++ {
			if n > max(1, p.Missed) {
				t.Fatalf("%+v at %v: %d slots", p, now, n)
			}
			last := p.Last
			p.Last = got.Slot
			if got, err = requeue.ScheduleAt(now, p); err != nil || got.Due && !got.Slot.After(p.Last) {
				t.Fatalf("%+v at %v, last %v: %+v, %v", p, now, last, got, err)
			}
		}
	})
}

func abs(n int64) int64 { return max(n, -(n + 1)) }

// dailySlots is a schedule that a pointer to nothing can't tell.
type dailySlots struct{ at time.Duration }

func (s *dailySlots) Next(t time.Time) time.Time { return t.Add(s.at) }
