package requeue

import (
	"fmt"
	"slices"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

const day = 24 * time.Hour

// leastWindow is the shortest window: in less a queue may not get round to anything.
const leastWindow = time.Minute

// Hours are windows in which something may be done, such as maintenance: some hours
// of some days, in which it is done once for each object.
type Hours struct {
	// Zone is that of the clock that From, To and Days go by. Nil means UTC.
	//
	// Where the clock is changed, the window opens and closes when it first shows From
	// and To, or is set forward past them: it may be an hour longer or shorter, and is
	// not there at all if the clock leaves it out.
	Zone *time.Location

	// From and To are when a window opens and closes, by the clock: From is counted from
	// midnight and less than 24h, To at most 24h. A To that is not later than From is
	// that of the day after, so that equal ones are a whole day. A window lasts at
	// least a minute.
	From, To time.Duration

	// Days are the days on which a window opens. None means all.
	Days []time.Weekday

	// Key tells objects apart, and decides where in the window the turn of an object is:
	// give it string(obj.GetUID()). It must be set.
	Key string

	// Last is when it was last done. Keep it in the object. Zero means never.
	Last time.Time
}

// Validate returns an error that names the first field which is impossible,
// and its value.
func (h Hours) Validate() error {
	switch {
	case h.From < 0 || h.From >= day:
		return fmt.Errorf("requeue: From is %v, want at least 0 and less than 24h", h.From)
	case h.To < 0 || h.To > day:
		return fmt.Errorf("requeue: To is %v, want at least 0 and at most 24h", h.To)
	case h.length() < leastWindow:
		return fmt.Errorf("requeue: To is %v, want at least %v after From, %v", h.To, leastWindow, h.From)
	case h.Key == "":
		return fmt.Errorf("requeue: Key is empty, want one for each object")
	}
	for _, d := range h.Days {
		if d < time.Sunday || d > time.Saturday {
			return fmt.Errorf("requeue: Days has %d, want days from 0, a Sunday, to 6", int(d))
		}
	}
	return nil
}

// length is how long the window lasts by the clock.
func (h Hours) length() time.Duration {
	if h.To <= h.From {
		return h.To + day - h.From
	}
	return h.To - h.From
}

// Opening says what Hours ask for, as one computation.
type Opening struct {
	// Open is whether a window is open now, and Edge when that closes or the next one
	// opens, in UTC: return At(Edge) to be there.
	Open bool
	Edge time.Time

	// Due is whether it is the object's turn now. Having done it, keep when as the Last
	// of the next Hours, and return the Result.
	Due bool

	// Next is the object's next turn, in UTC; if Due, the one after this.
	Next time.Time

	// Result brings the request back at Next.
	Result reconcile.Result
}

// Window returns what h asks for. Each object has its turn once in each window, at a
// point that is its own in all windows, in every replica and after a restart, evenly
// spread over them. Whoever has missed it, by more than a minute or a tenth of the
// window, gets another one in what is left of it, again spread: a restart in the
// window makes no herd.
//
// An error is that of [Hours.Validate], and the Opening beside it is zero. It does
// not go away by a retry: report it, and return it as a terminal error.
func Window(h Hours) (Opening, error) { return window(time.Now(), h) }

func window(now time.Time, h Hours) (Opening, error) {
	if err := h.Validate(); err != nil {
		return Opening{}, err
	}
	if h.Zone == nil {
		h.Zone = time.UTC
	}
	now = now.UTC() // Without a monotonic reading, as Last.
	w := h.closing(now)
	o := Opening{Open: !w.opens.After(now), Edge: w.opens}
	if o.Open {
		o.Edge = w.closes
	}
	done := !h.Last.IsZero() && !h.Last.Before(w.opens)
	if !done {
		o.Due, o.Next = w.turn(h.Key, now)
	}
	if done || o.Due {
		o.Next = h.opening(later(h.Last.UTC(), w.opens)).point(h.Key)
	}
	o.Result = After(o.Next.Sub(now))
	return o, nil
}

// closing returns the first window that closes after t.
func (h Hours) closing(t time.Time) opened {
	for date := h.date(t).Add(-day); ; date = date.Add(day) {
		if w, ok := h.on(date); ok && w.closes.After(t) {
			return w
		}
	}
}

// opening returns the first window that opens after t.
func (h Hours) opening(t time.Time) opened {
	for date := h.date(t); ; date = date.Add(day) {
		if w, ok := h.on(date); ok && w.opens.After(t) {
			return w
		}
	}
}

// date returns the midnight before t, as the clock shows it.
func (h Hours) date(t time.Time) time.Time { return reading(t, h.Zone).Truncate(day) }

// on returns the window that opens on that date, if there is one: there is none on
// other days, nor where the clock leaves out nearly all of it.
func (h Hours) on(date time.Time) (opened, bool) {
	if len(h.Days) > 0 && !slices.Contains(h.Days, date.Weekday()) {
		return opened{}, false
	}
	opens := date.Add(h.From)
	w := opened{first(opens, h.Zone), first(opens.Add(h.length()), h.Zone)}
	return w, w.closes.Sub(w.opens) >= time.Second
}

// opened is one window.
type opened struct{ opens, closes time.Time }

// point returns when the turn of key is.
func (w opened) point(key string) time.Time {
	return w.opens.Add(phase(key, w.closes.Sub(w.opens)))
}

// turn returns whether it is the turn of key now, before w closes, and else when it
// is. A turn that was missed comes again when half of the time has passed that was
// left at it, and so on: ever new points, as even as the first ones.
func (w opened) turn(key string, now time.Time) (bool, time.Time) {
	point := w.point(key)
	if now.Before(point) {
		return false, point
	}
	left := w.closes.Sub(point)
	for w.closes.Sub(now) <= left/2 {
		left /= 2
	}
	late := now.Sub(w.closes.Add(-left))
	if late <= min(w.closes.Sub(w.opens)/10, time.Minute) {
		return true, time.Time{}
	}
	return false, w.closes.Add(-left / 2)
}
