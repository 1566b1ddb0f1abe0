package requeue

import (
	"math"
	"time"
)

// The time that a clock on a wall shows is written here as that time in UTC, where no
// reading is left out and none comes twice.

// mostApart is how many seconds a duration can surely hold.
const mostApart = math.MaxInt64/int64(time.Second) - 1

// apart is a.Sub(b), or the longest duration of that sign, by the wall clock, in a
// quarter of the time.
func apart(a, b time.Time) time.Duration {
	seconds := a.Unix() - b.Unix()
	switch {
	case seconds > mostApart:
		return math.MaxInt64
	case seconds < -mostApart:
		return math.MinInt64
	}
	return time.Duration(seconds)*time.Second + time.Duration(a.Nanosecond()-b.Nanosecond())
}

// offset is by how much the clocks of zone are ahead of UTC at t.
func offset(t time.Time, zone *time.Location) time.Duration {
	_, seconds := t.In(zone).Zone()
	return time.Duration(seconds) * time.Second
}

// reading returns what a clock in zone shows at t.
func reading(t time.Time, zone *time.Location) time.Time {
	return t.UTC().Add(offset(t, zone))
}

// passed returns the latest reading up to which all readings have been shown at t:
// when the clock was set back, that is more than it shows.
func passed(t time.Time, zone *time.Location) time.Time {
	now := reading(t, zone)
	start, _ := t.In(zone).ZoneBounds()
	if start.IsZero() {
		return now
	}
	if shown := start.UTC().Add(offset(start.Add(-1), zone)); shown.After(now) {
		return shown.Add(-1)
	}
	return now
}

// farFromEdge is longer than a clock was ever set back at once, which was a day.
const farFromEdge = 26 * time.Hour

// first returns when a clock in zone first shows w. What it never shows, since it was
// set forward past w, it leaves out at the moment at which it was set.
func first(w time.Time, zone *time.Location) time.Time {
	ahead := offset(w, zone)
	t := w.Add(-ahead)
	start, end := t.In(zone).ZoneBounds()
	now := offset(t, zone)
	if now == ahead && (start.IsZero() || t.Sub(start) > farFromEdge) {
		return t
	}
	if !start.IsZero() {
		before := offset(start.Add(-1), zone)
		if t = w.Add(-before); t.Before(start) {
			return t
		}
		if w.Before(start.UTC().Add(now)) {
			return start.UTC()
		}
	}
	t = w.Add(-now)
	if end.IsZero() || t.Before(end) {
		return t
	}
	if t = w.Add(-offset(end, zone)); t.Before(end) {
		return end.UTC()
	}
	return t
}
