package ratelimit

import (
	"slices"
	"sync"
	"time"
)

// BudgetOptions configures [NewBudget]. The zero value lets one run in ten be a
// retry, and ten in a second in any case.
type BudgetOptions struct {
	// Share is how many retries each run allows, from 0 to 1. Zero means 0.1.
	Share float64

	// MinRate is how many retries in a second there may be however few the runs are.
	// Zero means 10.
	MinRate float64

	// Burst is how many retries can be saved up in all, at least 1. Zero means 100.
	Burst int

	// MaxDelay bounds how long the budget lets a retry wait; what fails while it is
	// overdrawn by more has its retry then, and costs nothing. So there are up to
	// MinRate times MaxDelay retries more than the budget has, when members begin to
	// fail in turn, and those of items that wait MaxDelay. Zero means 1000s.
	MaxDelay time.Duration
}

// Validate returns an error that names the first field which is impossible,
// and its value.
func (o BudgetOptions) Validate() error { return first(o.withDefaults().faults()) }

func (o BudgetOptions) faults() faults {
	return faults{
		fraction("Share", o.Share),
		positive("MinRate", o.MinRate),
		rateNotTooLow("MinRate", o.MinRate),
		atLeastOne("Burst", o.Burst),
		atLeastZero("MaxDelay", o.MaxDelay),
	}
}

func (o BudgetOptions) withDefaults() BudgetOptions {
	setDefault(&o.Share, 0.1)
	setDefault(&o.MinRate, 10)
	setDefault(&o.Burst, 100)
	setDefault(&o.MaxDelay, defaultMaxDelay)
	return o
}

// Budget bounds the retries of one controller or of several together: each run, of
// any of them, allows Share of a retry, and each second MinRate. When everything
// fails, as in an outage, the retries are that few; when little fails, nobody waits
// for it.
//
// Each member has its part of what comes, by its weight, and what it cannot save up
// is everybody's: a controller that fails all the time takes from the others only
// what they do not need. Half of Burst is saved up for the members, by weight, and
// half for whoever comes first. A retry counts when it is asked for. It is safe for
// concurrent use.
type Budget struct {
	start time.Time

	mu      sync.Mutex
	opts    BudgetOptions // the defaults filled in
	members []*account
	weights float64       // of all of them
	common  float64       // what is everybody's; less than zero after Burst was lowered, or a debtor left
	at      time.Duration // of what is saved up, since start
}

// account is what a member of a budget has.
type account struct {
	weight float64
	level  float64 // less than zero is a debt
	closed bool
}

// NewBudget returns a budget that is full, without a member. It panics with the
// error of [BudgetOptions.Validate], if there is one.
func NewBudget(opts BudgetOptions) *Budget {
	if err := opts.Validate(); err != nil {
		panic(err)
	}
	b := &Budget{start: time.Now(), opts: opts.withDefaults()}
	b.common = float64(b.opts.Burst)
	return b
}

// join adds a member, whose part of what is saved up the others give it.
func (b *Budget) join(weight float64) *account {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fill()
	a := &account{weight: weight}
	b.enrol(append(b.members, a))
	b.trim()
	a.level = max(0, min(b.common, b.room(a)))
	b.common -= a.level
	b.settle()
	return a
}

// leave takes a member out; what it had, or owed, is everybody's.
func (b *Budget) leave(a *account) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if a.closed {
		return
	}
	b.fill()
	a.closed = true
	b.enrol(slices.DeleteFunc(b.members, func(m *account) bool { return m == a }))
	b.common += a.level
	b.settle()
}

// tune changes the numbers. What was taken stays taken.
func (b *Budget) tune(opts BudgetOptions) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fill()
	b.common += float64(opts.Burst - b.opts.Burst)
	b.opts = opts
	b.settle()
}

// enrol makes those the members. It adds the weights anew: of what is taken off a
// sum of floats, a rest may stay.
func (b *Budget) enrol(members []*account) {
	b.members, b.weights = members, 0
	for _, m := range members {
		b.weights += m.weight
	}
}

// room returns how much a can save up. The half of Burst for everybody is the
// larger one, so that there is a whole retry in it.
func (b *Budget) room(a *account) float64 {
	return float64(b.opts.Burst-1) / 2 * (a.weight / b.weights)
}

// trim makes everybody's what members have no room for.
func (b *Budget) trim() {
	for _, m := range b.members {
		b.common += max(0, m.level-b.room(m))
		m.level = min(m.level, b.room(m))
	}
}

// settle gives up what nobody has room for.
func (b *Budget) settle() {
	b.trim()
	room := float64(b.opts.Burst)
	if len(b.members) > 0 {
		room = (room + 1) / 2
	}
	b.common = min(room, b.common)
}

// ran adds what a run allows.
func (b *Budget) ran() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.add(b.opts.Share)
}

// take takes one retry for a, which has just run, and returns how long it waits.
func (b *Budget) take(a *account) (d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if a.closed {
		return 0
	}
	b.fill()
	b.add(b.opts.Share)
	lent := 0.0
	if a.level >= 0 {
		lent = max(0, min(b.common, 1-a.level))
	}
	if lack := 1 - a.level - lent; lack > 0 {
		d = seconds(lack / (b.opts.MinRate * (a.weight / b.wanting(a))))
	}
	if d > b.opts.MaxDelay {
		return b.opts.MaxDelay
	}
	b.common -= lent
	a.level += lent - 1
	return d
}

// fill adds what has come since the last time. Only the monotonic clock counts.
func (b *Budget) fill() {
	now := time.Since(b.start)
	b.add((now - b.at).Seconds() * b.opts.MinRate)
	b.at = now
}

const (
	most    = 1e300 // is more than any budget can hold, and no infinity
	nothing = 1e-12 // of a retry is what rounding leaves
)

// add gives each member its part of n. What one has no room for pays the others'
// debts, and what is left is everybody's.
func (b *Budget) add(n float64) {
	rest := min(n, most)
	for _, a := range b.members {
		part := min(min(n, most)*(a.weight/b.weights), max(0, b.room(a)-a.level))
		a.level += part
		rest -= part
	}
	for rest > nothing { // Each time one debtor less is left, or nothing to pay with.
		left := b.pay(rest)
		if left >= rest {
			break
		}
		rest = left
	}
	b.common += max(0, rest)
	b.settle()
}

// pay pays debts with n, by weight, and returns what is left.
func (b *Budget) pay(n float64) (rest float64) {
	debtors := 0.0
	for _, a := range b.members {
		if a.level < 0 {
			debtors += a.weight
		}
	}
	rest = n
	for _, a := range b.members {
		if a.level < 0 {
			part := min(n*(a.weight/debtors), -a.level)
			a.level += part
			rest -= part
		}
	}
	return rest
}

// wanting returns the weight of all who take their part of what comes, a among
// them.
func (b *Budget) wanting(a *account) float64 {
	sum := a.weight
	for _, m := range b.members {
		if m != a && m.level < b.room(m) {
			sum += m.weight
		}
	}
	return sum
}
