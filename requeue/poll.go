package requeue

import (
	"fmt"
	"math"
	"sync"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// pollPriority is that of a change of a related object: a user waits for what is
// polled, and for a change of the object itself even more.
const pollPriority = -20

// PollOptions configures [NewPoll]. The zero value is the default.
type PollOptions struct {
	// Min and Max are the shortest and the longest delay, before Jitter. Zero means 1s
	// and 1m.
	Min, Max time.Duration

	// Factor is by how much the time since the last change has grown from one look to
	// the next. Zero means 2, which doubles the delay each time; else it is above 1.
	Factor float64

	// Jitter is the largest fraction of a delay that is added at random, up to 1, so that
	// objects which began to wait together do not poll together for ever. Zero means 0.1;
	// DisableJitter is for none.
	Jitter        float64
	DisableJitter bool
}

// Validate returns an error that names the first field which is impossible,
// and its value.
func (o PollOptions) Validate() error {
	d := o.withDefaults()
	switch {
	case o.Min < 0:
		return fmt.Errorf("requeue: Min is %v, want at least 0", o.Min)
	case o.Max < 0:
		return fmt.Errorf("requeue: Max is %v, want at least 0", o.Max)
	case d.Max < d.Min:
		return fmt.Errorf("requeue: Max is %v, want at least Min, %v", d.Max, d.Min)
	case !(d.Factor > 1) || math.IsInf(d.Factor, 1): // NaN, too.
		return fmt.Errorf("requeue: Factor is %v, want a number above 1", o.Factor)
	case !(o.Jitter >= 0 && o.Jitter <= 1):
		return fmt.Errorf("requeue: Jitter is %v, want a number from 0 to 1", o.Jitter)
	case o.Jitter > 0 && o.DisableJitter:
		return fmt.Errorf("requeue: Jitter is %v beside DisableJitter, want 0", o.Jitter)
	}
	return nil
}

func (o PollOptions) withDefaults() PollOptions {
	if o.Min == 0 {
		o.Min = time.Second
	}
	if o.Max == 0 {
		o.Max = max(time.Minute, o.Min)
	}
	if o.Factor == 0 {
		o.Factor = 2
	}
	if o.Jitter == 0 && !o.DisableJitter {
		o.Jitter = 0.1
	}
	return o
}

// Poll is for what has to be asked for, since nobody tells: often just after a change,
// ever more rarely while nothing happens. Its Results ask for the priority -20, that
// of a related object's change, since a user waits for it; a timer's is -100.
//
// It is safe for concurrent use. Results share their Priority: change it by
// [WithPriority], not in place.
type Poll struct {
	opts     PollOptions
	priority int

	mu     sync.Mutex
	recent map[string]polled // asked for since the turn
	before map[string]polled // asked for before it
	turn   time.Time
}

// polled is a state, and since when it is known.
type polled struct {
	state uint64
	since time.Time
}

// NewPoll returns a Poll. It panics with the error of [PollOptions.Validate], if
// there is one.
func NewPoll(opts PollOptions) *Poll {
	if err := opts.Validate(); err != nil {
		panic(err)
	}
	return &Poll{opts: opts.withDefaults(), priority: pollPriority}
}

// Since returns the Result that brings the request back to look again at what has been
// as it is since then, such as the lastTransitionTime of a condition. It keeps
// nothing, so that a restart changes nothing. The zero time is long ago, and one
// in the future is now.
func (p *Poll) Since(then time.Time) reconcile.Result { return p.after(time.Since(then)) }

// after returns when to look again, that long after the last change.
func (p *Poll) after(elapsed time.Duration) reconcile.Result {
	elapsed = max(0, elapsed)
	d := p.opts.Min
	// Compared before it is converted, as in part.
	if f := (p.opts.Factor - 1) * float64(elapsed); f >= float64(p.opts.Max) {
		d = p.opts.Max
	} else {
		d = max(d, time.Duration(f))
	}
	r := After(sum(d, random(part(d, p.opts.Jitter))))
	r.Priority = &p.priority
	return r
}

// Kept is Since for a thing whose last change is written nowhere: p keeps, for each
// key, since when the state is what it is. The state is any text that is another one
// after a change, such as a resourceVersion or what a server has answered; a new
// one, or a new key, begins anew at Min.
//
// A key that is not asked for in four times Max is forgotten, as all are by a restart:
// memory follows the keys in use.
func (p *Poll) Kept(key, state string) reconcile.Result {
	now := time.Now()
	return p.after(now.Sub(p.known(key, hash(state), now)))
}

// known returns since when the state of key is what it is.
func (p *Poll) known(key string, state uint64, now time.Time) time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.forget(now)
	k, ok := p.recent[key]
	if ok && k.state == state {
		return k.since
	}
	if !ok {
		k, ok = p.before[key]
	}
	if !ok || k.state != state {
		k = polled{state, now}
	}
	if p.recent == nil {
		p.recent = map[string]polled{}
	}
	p.recent[key] = k
	return k.since
}

// forget lets go of the keys that nobody has asked for since the turn before.
func (p *Poll) forget(now time.Time) {
	const keep = 4
	if p.opts.Max > math.MaxInt64/(2*keep) {
		return
	}
	switch since := now.Sub(p.turn); {
	case since >= 2*keep*p.opts.Max:
		p.recent, p.before, p.turn = nil, nil, now
	case since >= keep*p.opts.Max:
		p.recent, p.before, p.turn = nil, p.recent, now
	}
}
