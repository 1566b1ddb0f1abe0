package ratelimit

import (
	"errors"
	"fmt"
	"time"

	"k8s.io/client-go/util/workqueue"

	"github.com/trimtab/trimtab/internal/null"
)

// maxWeight leaves room for the sum of all weights.
const maxWeight = 1e9

// BudgetedOptions configures [NewBudgeted].
type BudgetedOptions[T comparable] struct {
	// Budget is what the retries are taken from. It must be set.
	Budget *Budget

	// Weight is the member's part of it beside the others', at most a billion. Zero
	// means 1.
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
	case null.Is(o.Limiter):
		return fmt.Errorf("ratelimit: Limiter %T(nil): must be a limiter", o.Limiter)
	}
	setDefault(&o.Weight, 1)
	return first(faults{positive("Weight", o.Weight), atMost("Weight", o.Weight, maxWeight)})
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
// budget bounds its retries no more; the limiter still does. A second Close does
// nothing.
func (b *Budgeted[T]) Close() { b.opts.Budget.leave(b.account) }

// When returns the delay of the limiter, or the time until the budget has a retry,
// if that is longer.
func (b *Budgeted[T]) When(item T) time.Duration {
	return max(b.opts.Limiter.When(item), b.opts.Budget.take(b.account))
}

// WhenError implements [ErrorAware].
func (b *Budgeted[T]) WhenError(item T, err error, class string) time.Duration {
	return max(whenError(b.opts.Limiter, item, err, class), b.opts.Budget.take(b.account))
}

// Forget makes the limiter forget item. That is what happens after a run which did
// not fail, so it is counted as one.
func (b *Budgeted[T]) Forget(item T) {
	b.opts.Limiter.Forget(item)
	b.opts.Budget.ran()
}

// NumRequeues returns how many failures of item the limiter knows.
func (b *Budgeted[T]) NumRequeues(item T) int { return b.opts.Limiter.NumRequeues(item) }
