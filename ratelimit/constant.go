package ratelimit

import "time"

// ConstantOptions configures [NewConstant]. The zero value is no use: it needs a
// Delay.
type ConstantOptions struct {
	// Delay is the delay after each failure, more than zero.
	Delay time.Duration

	// Jitter is the largest fraction of the delay that is taken off at random, from 0
	// (none, the default) to 1.
	Jitter float64

	// TTL is how long an item is remembered beyond Delay, as in ExponentialOptions.
	// Zero means 1h.
	TTL time.Duration

	// MaxItems bounds how many items are remembered, for NumRequeues. Zero means any
	// number.
	MaxItems int
}

// Validate returns an error that names the first field which is impossible,
// and its value.
func (o ConstantOptions) Validate() error { return first(o.withDefaults().faults()) }

func (o ConstantOptions) faults() faults {
	return faults{
		positive("Delay", o.Delay),
		fraction("Jitter", o.Jitter),
		atLeastZero("TTL", o.TTL),
		atLeastZero("MaxItems", o.MaxItems),
	}
}

func (o ConstantOptions) withDefaults() ConstantOptions {
	setDefault(&o.TTL, defaultTTL)
	return o
}

// Constant lets each failing item wait equally long each time. It is safe for
// concurrent use, by the workers of one controller.
type Constant[T comparable] struct {
	opts     ConstantOptions // the defaults filled in
	failures *failures[T]
}

// NewConstant returns a limiter without any failure. It panics with the error of
// [ConstantOptions.Validate], if there is one.
func NewConstant[T comparable](opts ConstantOptions) *Constant[T] {
	if err := opts.Validate(); err != nil {
		panic(err)
	}
	opts = opts.withDefaults()
	return &Constant[T]{opts: opts, failures: newFailures[T](lifetime(opts.Delay, opts.TTL), opts.MaxItems)}
}

// When counts one failure of item and returns how long it should wait, more than
// zero and at most Delay.
func (l *Constant[T]) When(item T) time.Duration {
	l.failures.count(item)
	return shorten(l.opts.Delay, l.opts.Jitter)
}

// Forget ends the row of failures of item.
func (l *Constant[T]) Forget(item T) { l.failures.forget(item) }

// NumRequeues returns how many failures in a row item has had, zero if none.
func (l *Constant[T]) NumRequeues(item T) int { return l.failures.of(item) }
