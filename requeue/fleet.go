package requeue

import (
	"slices"
	"sort"
	"time"
)

// fleet is all requests of a Ticker, in the order in which they were enqueued: a ring.
type fleet[request comparable] struct {
	ring   []member[request]
	front  int           // of ring: the one that was enqueued longest ago
	listed time.Time     // when the requests were last asked for
	next   time.Time     // when the front is enqueued; zero until that is known
	step   time.Duration // from one to the next
}

// member is a request, and when it was enqueued, or is seen as if.
type member[request comparable] struct {
	request request
	since   time.Time
}

func newFleet[request comparable](now time.Time) *fleet[request] {
	return &fleet[request]{listed: now}
}

// at returns the i-th from the front on.
func (f *fleet[request]) at(i int) *member[request] { return &f.ring[(f.front+i)%len(f.ring)] }

// renew makes the fleet that of the requests, which were asked for at that time. A new
// one may be as old as the time before: its place is that of what was enqueued then.
func (f *fleet[request]) renew(requests []request, asked time.Time) {
	wanted := make(map[request]bool, len(requests)) // and whether it is new
	for _, r := range requests {
		wanted[r] = true
	}
	ring := make([]member[request], 0, len(wanted))
	for i := range f.ring {
		if m := *f.at(i); wanted[m.request] {
			ring = append(ring, m)
			wanted[m.request] = false
		}
	}
	var added []member[request]
	for _, r := range requests {
		if wanted[r] {
			added = append(added, member[request]{r, f.listed})
			wanted[r] = false
		}
	}
	place := sort.Search(len(ring), func(i int) bool { return ring[i].since.After(f.listed) })
	f.ring, f.front, f.listed = slices.Insert(ring, place, added...), 0, asked
}

// pace says when the next are enqueued: at equal distances, so that each comes no
// later than a period after the time before. Where that is impossible, since the
// process was held up or the period has become shorter, it takes half a period for
// all of them.
func (f *fleet[request]) pace(now time.Time, period time.Duration) {
	n := time.Duration(len(f.ring))
	if n == 0 {
		return
	}
	f.step = period / n
	soon := now.Add(f.step)
	switch {
	case f.next.IsZero():
		f.next = now.Add(random(f.step)) // Tickers that start together do not tick together.
	case f.next.Before(now):
		f.next = now
	case f.next.After(soon):
		f.next = soon
	}
	if due := f.at(0).since.Add(period); due.Before(f.next) {
		f.next = later(due, now)
	}
	for i := 1; i < len(f.ring); i++ {
		left := f.at(i).since.Add(period).Sub(f.next)
		f.step = min(f.step, left/time.Duration(i))
	}
	f.step = max(f.step, period/(2*n), 1)
}

// heldUp is from when on what is late is not made up for at once.
const heldUp = time.Second

// release enqueues those that are due.
func (f *fleet[request]) release(now time.Time, period time.Duration, add func(request)) {
	if len(f.ring) > 0 && now.Sub(f.next) > heldUp {
		f.next = now
		f.pace(now, period)
	}
	for len(f.ring) > 0 && !f.next.After(now) {
		m := f.at(0)
		m.since = f.next
		f.front = (f.front + 1) % len(f.ring)
		f.next = f.next.Add(f.step)
		add(m.request)
	}
}

// until returns when there is something to do: to call List, or to enqueue the next.
func (f *fleet[request]) until(list time.Time) time.Time {
	if len(f.ring) > 0 && f.next.Before(list) {
		return f.next
	}
	return list
}
