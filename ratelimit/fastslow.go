package ratelimit

import "time"

// FastSlowOptions configures [NewFastSlow]. The zero value retries five times after
// 5ms, and then every 1000s.
type FastSlowOptions struct {
	// FastDelay is the delay after each of the first failures of an item. Zero
	// means 5ms.
	FastDelay time.Duration

	// SlowDelay is the delay after all further ones, at least FastDelay. Zero means
	// 1000s.
	SlowDelay time.Duration

	// FastAttempts is how many failures wait FastDelay. Zero means 5.
	FastAttempts int

	// Jitter is the largest fraction of a delay that is taken off at random, from 0
	// (none, the default) to 1.
	Jitter float64

	// TTL is how long an item is remembered beyond SlowDelay, as in
	// ExponentialOptions. Zero means 1h.
	TTL time.Duration

	// MaxItems bounds how many items are remembered. What fails beyond it waits
	// SlowDelay each time, until there is room. Zero means any number.
	MaxItems int
}

// Validate returns an error that names the first field which is impossible,
// and its value.
func (o FastSlowOptions) Validate() error { return first(o.withDefaults().faults()) }

func (o FastSlowOptions) faults() faults {
	return faults{
		atLeastZero("FastDelay", o.FastDelay),
		atLeastZero("SlowDelay", o.SlowDelay),
		notBelow("SlowDelay", o.SlowDelay, "FastDelay", o.FastDelay),
		atLeastZero("FastAttempts", o.FastAttempts),
		fraction("Jitter", o.Jitter),
		atLeastZero("TTL", o.TTL),
		atLeastZero("MaxItems", o.MaxItems),
	}
}

func (o FastSlowOptions) withDefaults() FastSlowOptions {
	setDefault(&o.FastDelay, defaultBaseDelay)
	setDefault(&o.SlowDelay, defaultMaxDelay)
	setDefault(&o.FastAttempts, 5)
	setDefault(&o.TTL, defaultTTL)
	return o
}

// FastSlow lets each failing item try again soon some times, and then seldom. It is
// safe for concurrent use, by the workers of one controller.
type FastSlow[T comparable] struct {
	opts     FastSlowOptions // the defaults filled in
	failures *failures[T]
}

// NewFastSlow returns a limiter without any failure. It panics with the error of
// [FastSlowOptions.Validate], if there is one.
func NewFastSlow[T comparable](opts FastSlowOptions) *FastSlow[T] {
	if err := opts.Validate(); err != nil {
		panic(err)
	}
	opts = opts.withDefaults()
	return &FastSlow[T]{opts: opts, failures: newFailures[T](lifetime(opts.SlowDelay, opts.TTL), opts.MaxItems)}
}

// When counts one failure of item and returns how long it should wait, more than
// zero and at most SlowDelay.
func (l *FastSlow[T]) When(item T) time.Duration {
	d := l.opts.SlowDelay
	if n, ok := l.failures.count(item); ok && n < l.opts.FastAttempts {
		d = l.opts.FastDelay
	}
	return shorten(d, l.opts.Jitter)
}

// Forget ends the row of failures of item.
func (l *FastSlow[T]) Forget(item T) { l.failures.forget(item) }

// NumRequeues returns how many failures in a row item has had, zero if none.
func (l *FastSlow[T]) NumRequeues(item T) int { return l.failures.of(item) }
