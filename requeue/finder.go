package requeue

import (
	"fmt"
	"math"
	"time"
)

// finder finds slots. After an error it finds none.
type finder struct {
	slots Slots
	zone  *time.Location
	err   error
}

// next returns the first slot after t, or the zero time.
func (f *finder) next(t time.Time) time.Time {
	if f.err != nil {
		return time.Time{}
	}
	from := t
	if f.zone != nil {
		from = passed(t, f.zone)
	}
	slot := f.slots.Next(from)
	if slot.IsZero() {
		return slot
	}
	if !slot.After(from) {
		f.err = fmt.Errorf("requeue: Slots.Next(%s) is %s, want a later time", text(from), text(slot))
		return time.Time{}
	}
	if f.zone == nil {
		return slot.UTC()
	}
	return first(slot.UTC(), f.zone)
}

// latest returns the last slot after from and up to now, or the zero time, and the
// one after it. It looks back from now, ever farther, then halves the time in which
// the slot must be: a month of minutes takes it as many steps as a day of seconds.
func (f *finder) latest(from, now time.Time) (slot, next time.Time) {
	for back := time.Minute; ; back *= 2 {
		start := now.Add(-back)
		if back > math.MaxInt64/2 || !start.After(from) {
			start = from
		}
		if slot = f.next(start); !slot.IsZero() && !slot.After(now) {
			break
		}
		if start.Equal(from) {
			return time.Time{}, slot
		}
	}
	end := now // There is no slot after it and up to now.
	for {
		next = f.next(slot)
		if next.IsZero() || next.After(end) {
			return slot, next
		}
		slot = next
		middle := next.Add(end.Sub(next) / 2)
		if s := f.next(middle); s.IsZero() || s.After(end) {
			end = middle
		} else {
			slot = s
		}
	}
}

// oldest returns the oldest of the last n slots after from, of which slot is the
// last.
func (f *finder) oldest(from, slot time.Time, n int) time.Time {
	first := f.next(from)
	for s, i := first, 1; i <= n && f.err == nil; i++ {
		if !s.Before(slot) {
			return first
		}
		s = f.next(s)
	}
	for range n - 1 {
		slot, _ = f.latest(from, slot.Add(-1))
	}
	return slot
}
