package requeue

import (
	"fmt"
	"math"
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
func (h Hours) Validate() error { return h.validate() }

func (h *Hours) validate() error {
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
func (h *Hours) length() time.Duration {
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
// spread over them but for the last minute, or a tenth of a short one. Whoever has
// missed it, by more than that, gets another one in what is left of the window, again
// spread: a restart in the window makes no herd. In the last minute it is the turn of
// all that still have not been.
//
// An error is that of [Hours.Validate], and the Opening beside it is zero. It does
// not go away by a retry: report it, and return it as a terminal error.
func Window(h Hours) (Opening, error) { return window(time.Now(), &h) }

func window(now time.Time, h *Hours) (Opening, error) {
	if err := h.validate(); err != nil {
		return Opening{}, err
	}
	var c calendar
	c.read(now.UTC(), h)
	w := c.closing()
	o := Opening{Open: w.opens <= 0, Edge: c.now.Add(w.opens)}
	if o.Open {
		o.Edge = c.now.Add(w.closes)
	}
	last := never
	if !h.Last.IsZero() {
		last = min(apart(h.Last, c.now), farthest)
	}
	var next time.Duration
	if last < w.opens {
		o.Due, next = w.turn(h.Key)
	}
	if last >= w.opens || o.Due {
		then := c.opening(w, last)
		next = then.point(h.Key)
	}
	o.Next, o.Result = c.now.Add(next), After(next)
	return o, nil
}

// Before anything, and as late as a Last counts.
const (
	never    = time.Duration(math.MinInt64)
	farthest = 250 * 365 * day
)

// calendar is windows. Its times count from now, but for opens.
type calendar struct {
	opens    time.Duration // after midnight
	length   time.Duration
	days     []time.Weekday
	zone     *time.Location
	now      time.Time
	ahead    time.Duration // of UTC, by the clock
	midnight time.Duration // by the clock
	weekday  int64         // today, counted from a Sunday
	from, to time.Duration // Between them the clock is not changed.
}

// read sets c to the windows of h, at now.
func (c *calendar) read(now time.Time, h *Hours) {
	c.opens, c.length, c.days = h.From, h.length(), h.Days
	c.zone, c.now = h.Zone, now
	if c.zone == nil {
		c.zone = time.UTC
	}
	local := now.In(c.zone)
	_, ahead := local.Zone()
	shown := now.Unix() + int64(ahead)
	sinceMidnight := modulo(shown, secondsOfDay)
	c.ahead = time.Duration(ahead) * time.Second
	c.midnight = -time.Duration(sinceMidnight)*time.Second - time.Duration(now.Nanosecond())
	if len(c.days) > 0 {
		c.weekday = modulo((shown-sinceMidnight)/secondsOfDay+int64(time.Thursday), 7) // That of 1 January 1970.
	}
	c.from, c.to = never, math.MaxInt64
	start, end := local.ZoneBounds()
	if !start.IsZero() {
		c.from = apart(start, now) + farFromEdge
	}
	if !end.IsZero() {
		c.to = apart(end, now)
	}
}

const secondsOfDay = int64(day / time.Second)

// modulo is n modulo m, which is not negative.
func modulo(n, m int64) int64 {
	if n %= m; n < 0 {
		return n + m
	}
	return n
}

// first returns when the clock first shows what is that far from what it shows now.
func (c *calendar) first(d time.Duration) time.Duration {
	if c.from < d && d < c.to {
		return d
	}
	return apart(first(c.now.Add(c.ahead+d), c.zone), c.now)
}

// closing returns the first window that closes after now.
func (c *calendar) closing() opened {
	date := 0
	if c.midnight+c.opens+c.length > day {
		date = -1 // The clock has not shown yet when that of yesterday closes.
	}
	for ; ; date++ {
		if w, ok := c.on(date); ok && w.closes > 0 {
			return w
		}
	}
}

// opening returns the first window that opens after w does, and after t.
func (c *calendar) opening(w opened, t time.Duration) opened {
	for date := max(w.date+1, int(t/day)-2); ; date++ {
		if next, ok := c.on(date); ok && next.opens > max(t, w.opens) {
			return next
		}
	}
}

// on returns the window that opens so many days from today on, if there is one: there
// is none on other days, nor where the clock leaves out nearly all of it.
func (c *calendar) on(date int) (opened, bool) {
	opens := c.midnight + time.Duration(date)*day + c.opens
	if len(c.days) > 0 && !slices.Contains(c.days, time.Weekday(modulo(c.weekday+int64(date), 7))) {
		return opened{}, false
	}
	w := opened{date, c.first(opens), c.first(opens + c.length)}
	return w, w.closes-w.opens >= time.Second
}

// opened is one window, and in how many days it opens.
type opened struct {
	date          int
	opens, closes time.Duration
}

// margin is how late the object may be in its turn: a minute or a tenth of w.
func (w *opened) margin() time.Duration { return min((w.closes-w.opens)/10, time.Minute) }

// point returns when the turn of key is: so long before w closes that it can be late.
func (w *opened) point(key string) time.Duration {
	return w.opens + phase(key, w.closes-w.margin()-w.opens)
}

// turn returns whether it is the turn of key now, before w closes, and else when it
// is. A turn that was missed comes again when half of the time has passed that was
// left at it, and so on: ever new points, as even as the first ones. At the end it is
// everybody's turn.
func (w *opened) turn(key string) (bool, time.Duration) {
	margin, point := w.margin(), w.point(key)
	last := w.closes - margin
	switch {
	case point > 0:
		return false, point
	case last <= 0:
		return true, 0
	}
	left := last - point
	for last <= left/2 {
		left /= 2
	}
	if late := left - last; late <= margin {
		return true, 0
	}
	return false, last - left/2
}
