package ratelimit

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"k8s.io/client-go/util/workqueue"
)

// BudgetOptions configures [NewBudget]. The zero value lets one run in ten be a retry,
// and ten in a second in any case.
type BudgetOptions struct {
	// Share is how many retries each run allows, from 0 to 1. Zero means 0.1.
	Share float64

	// MinRate is how many retries in a second there may be however few the runs are.
	// Zero means 10.
	MinRate float64

	// Burst is how many retries can be saved up, at least 1. Zero means 100.
	Burst int

	// MaxDelay bounds how long the budget lets a retry wait; what fails while it is
	// overdrawn by more has its retry then, and costs nothing. Zero means 1000s.
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
// any of them, allows Share of a retry, and each second MinRate. When everything fails,
// as in an outage, the retries are that few; when little fails, nobody waits for it.
//
// Each member has its part of what comes, by its weight, and what it cannot save up is
// everybody's: a controller that fails all the time takes from the others only what
// they do not need. It is safe for concurrent use.
type Budget struct {
	start time.Time

	mu      sync.Mutex
	opts    BudgetOptions // the defaults filled in
	members []*account
	weights float64 // of all of them
	common  float64 // what is everybody's
	at      time.Duration
}

// account is what a member of a budget has.
type account struct {
	weight float64
	level  float64 // less than zero is a debt
	closed bool
}

// NewBudget returns a budget that is full, without a member. It panics with the error
// of [BudgetOptions.Validate], if there is one.
func NewBudget(opts BudgetOptions) *Budget {
	if err := opts.Validate(); err != nil {
		panic(err)
	}
	b := &Budget{start: time.Now(), opts: opts.withDefaults()}
	b.common = float64(b.opts.Burst)
	return b
}

// join adds a member.
func (b *Budget) join(weight float64) *account {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fill()
	a := &account{weight: weight}
	b.members = append(b.members, a)
	b.weights += weight
	return a
}

// leave takes a member out; what it had is everybody's.
func (b *Budget) leave(a *account) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fill()
	if i := slices.Index(b.members, a); i >= 0 {
		b.members = slices.Delete(b.members, i, i+1)
		b.weights -= a.weight
		a.closed = true
		b.common = min(float64(b.opts.Burst), b.common+max(0, a.level))
	}
}

// tune changes the numbers. What was taken stays taken.
func (b *Budget) tune(opts BudgetOptions) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fill()
	b.common = min(float64(opts.Burst), max(0, b.common+float64(opts.Burst-b.opts.Burst)))
	b.opts = opts
}

// ran adds what a run allows.
func (b *Budget) ran() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.add(b.opts.Share)
}

// take takes one retry for a, which has just run, and returns how long it waits.
func (b *Budget) take(a *account) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fill()
	b.add(b.opts.Share)
	switch {
	case a.closed:
		return 0
	case a.level >= 1:
		a.level--
		return 0
	case a.level >= 0 && a.level+b.common >= 1:
		b.common -= 1 - a.level
		a.level = 0
		return 0
	}
	d := seconds((1 - a.level) / (b.opts.MinRate * a.weight / b.wanting(a)))
	if d > b.opts.MaxDelay {
		return b.opts.MaxDelay
	}
	a.level--
	return d
}

// fill adds what has come since the last time. Only the monotonic clock counts.
func (b *Budget) fill() {
	now := time.Since(b.start)
	b.add((now - b.at).Seconds() * b.opts.MinRate)
	b.at = now
}

// add gives each member its part of n. What one has no room for pays the others'
// debts, and what is left is everybody's.
func (b *Budget) add(n float64) {
	burst := float64(b.opts.Burst)
	rest, debtors := n, 0.0
	for _, a := range b.members {
		part := n * a.weight / b.weights
		part = min(part, max(0, burst*a.weight/b.weights-a.level))
		a.level += part
		rest -= part
		if a.level < 0 {
			debtors += a.weight
		}
	}
	spare := max(0, rest)
	for _, a := range b.members {
		if a.level < 0 {
			part := min(spare*a.weight/debtors, -a.level)
			a.level += part
			rest -= part
		}
	}
	b.common = min(burst, b.common+max(0, rest))
}

// wanting returns the weight of all who have no retry, a among them: they share what
// comes.
func (b *Budget) wanting(a *account) float64 {
	sum := a.weight
	for _, m := range b.members {
		if m != a && m.level < 1 {
			sum += m.weight
		}
	}
	return sum
}

// BudgetedOptions configures [NewBudgeted].
type BudgetedOptions[T comparable] struct {
	// Budget is what the retries are taken from. It must be set.
	Budget *Budget

	// Weight is the member's part of it beside the others'. Zero means 1.
	Weight float64

	// Limiter says how long a failure waits at the least, and counts them. It must be
	// set.
	Limiter workqueue.TypedRateLimiter[T]
}

// Validate returns an error that names the first field which is impossible,
// and its value.
func (o BudgetedOptions[T]) Validate() error {
	switch {
	case o.Budget == nil:
		return errors.New("ratelimit: Budget is nil, want a budget")
	case isNil(o.Limiter):
		return fmt.Errorf("ratelimit: Limiter %T(nil): must be a limiter", o.Limiter)
	}
	setDefault(&o.Weight, 1)
	return first(faults{positive("Weight", o.Weight)})
}

// Budgeted is the limiter of one controller whose retries a [Budget] bounds. Its
// limiter's backoff is its own: nobody else counts or forgets in it. It is safe for
// concurrent use if that limiter is.
type Budgeted[T comparable] struct {
	opts    BudgetedOptions[T]
	account *account
}

// NewBudgeted returns a new member of opts.Budget, until Close. It panics with the
// error of [BudgetedOptions.Validate], if there is one.
func NewBudgeted[T comparable](opts BudgetedOptions[T]) *Budgeted[T] {
	if err := opts.Validate(); err != nil {
		panic(err)
	}
	setDefault(&opts.Weight, 1)
	return &Budgeted[T]{opts: opts, account: opts.Budget.join(opts.Weight)}
}

// Close ends the membership, for a controller that ends before its process. The
// limiter is of no use afterwards.
func (b *Budgeted[T]) Close() { b.opts.Budget.leave(b.account) }

// When returns the delay of the limiter, or the time until the budget has a retry, if
// that is longer.
func (b *Budgeted[T]) When(item T) time.Duration {
	return max(b.opts.Limiter.When(item), b.opts.Budget.take(b.account))
}

// WhenError implements [ErrorAware].
func (b *Budgeted[T]) WhenError(item T, err error, class string) time.Duration {
	return max(whenError(b.opts.Limiter, item, err, class), b.opts.Budget.take(b.account))
}

// Forget makes the limiter forget item. That is what happens after a run which did not
// fail, so it is counted as one.
func (b *Budgeted[T]) Forget(item T) {
	b.opts.Limiter.Forget(item)
	b.opts.Budget.ran()
}

// NumRequeues returns how many failures of item the limiter knows.
func (b *Budgeted[T]) NumRequeues(item T) int { return b.opts.Limiter.NumRequeues(item) }
