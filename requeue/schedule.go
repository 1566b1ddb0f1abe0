package requeue

import (
	"errors"
	"fmt"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/trimtab/trimtab/internal/null"
)

// Slots knows the times of a schedule, as the schedules of cron libraries do: Next
// returns the first of them after t, or the zero time if there is none. The times
// depend on nothing but the schedule: what counts from t, as @every of robfig/cron,
// has no slots, and is for [Every].
type Slots interface {
	Next(t time.Time) time.Time
}

// onTime is how late a run may be that is not missed yet, where the user has not
// said: a busy queue and a restart take less.
const onTime = time.Minute

// mostMissed is the most slots that can be run late, each for itself.
const mostMissed = 1000

// Plan is a schedule, and how far an object has come with it.
type Plan struct {
	// Slots are the times of the schedule. It must be set.
	Slots Slots

	// Zone is that of the clock which Slots go by. Each reading of that clock is one
	// slot, also where the clock is changed, whatever the library makes of it: a slot
	// that comes twice, since the clock is set back, is run the first time; those that
	// are left out, since it is set forward, are run once, together, when it is.
	//
	// Nil hands the time to Slots in UTC and leaves all to them. Do that for a schedule
	// that has a zone of its own, such as robfig/cron's CRON_TZ=: it would be wrong with
	// another one here.
	Zone *time.Location

	// Last is the slot that was run last, as [Turn] says, or when the object was made
	// if none was. Keep it in the object, so that a restart neither repeats nor forgets
	// a slot. It must be set. While it is in the future, as when the clock was set
	// back, nothing is due.
	Last time.Time

	// MaxLate is how long after its time a slot may still be run. Zero means for ever.
	MaxLate time.Duration

	// Missed is how many of the slots that were missed are run, the last ones, the
	// oldest first. Zero means one, at most it is 1000.
	Missed int

	// SkipMissed runs no slot that was missed: MaxLate is how late a slot may be run
	// that was not. Zero means a minute then, and Missed must be zero.
	SkipMissed bool
}

// Validate returns an error that names the first field which is impossible,
// and its value.
func (p Plan) Validate() error {
	switch {
	case null.Is(p.Slots):
		return errors.New("requeue: Slots is nil, want a schedule")
	case p.Last.IsZero():
		return errors.New("requeue: Last is zero, want the slot that was run last, or when the object was made")
	case p.MaxLate < 0:
		return fmt.Errorf("requeue: MaxLate is %v, want at least 0", p.MaxLate)
	case p.Missed < 0 || p.Missed > mostMissed:
		return fmt.Errorf("requeue: Missed is %d, want a number from 0 to %d", p.Missed, mostMissed)
	case p.SkipMissed && p.Missed > 0:
		return fmt.Errorf("requeue: Missed is %d beside SkipMissed, want 0", p.Missed)
	}
	return nil
}

// Turn says what a schedule asks for, as one computation: what a status shows, what
// the reconciler decides and when it comes back agree.
type Turn struct {
	// Due is whether a slot is to be run now, and Slot which one, in UTC. Having run it,
	// keep it as the Last of the next Plan, and return the Result.
	Due  bool
	Slot time.Time

	// More is whether another missed slot is to be run after this one.
	More bool

	// Next is the next slot that is not missed yet, in UTC; zero if there is none.
	Next time.Time

	// Result brings the request back at Next, or at once if there is More. It is that
	// of [Done] if the schedule has ended.
	Result reconcile.Result
}

// Schedule returns what p asks for. It finds the last of any number of missed slots
// without a walk through all of them.
//
// An error is that of [Plan.Validate], or says that Slots went backwards, and the
// Turn beside it is zero. It does not go away by a retry: report it, and return it as
// a terminal error.
func Schedule(p Plan) (Turn, error) { return schedule(time.Now(), p) }

func schedule(now time.Time, p Plan) (Turn, error) {
	if err := p.Validate(); err != nil {
		return Turn{}, err
	}
	now = now.UTC() // Without a monotonic reading, as Last.
	after := p.Last.UTC()
	limit := p.MaxLate
	if p.SkipMissed && limit == 0 {
		limit = onTime
	}
	if limit > 0 {
		after = later(after, now.Add(-limit-1)) // What is just as late as may be is due.
	}
	f := finder{slots: p.Slots, zone: p.Zone}
	slot, next := f.latest(after, now)
	t := Turn{Due: !slot.IsZero(), Slot: slot, Next: next}
	if t.Due && p.Missed > 1 {
		t.Slot = f.oldest(after, slot, p.Missed)
		t.More = t.Slot.Before(slot)
	}
	switch {
	case f.err != nil:
		return Turn{}, f.err
	case t.More:
		t.Result = Now()
	case !next.IsZero():
		t.Result = After(next.Sub(now))
	}
	return t, nil
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
