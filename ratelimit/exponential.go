package ratelimit

import (
	"math"
	"math/rand/v2"
	"time"
)

// The defaults of client-go, which operators know: 5ms, 10ms, 20ms up to a
// little under 17 minutes, which the nineteenth failure in a row reaches.
const (
	defaultBaseDelay = 5 * time.Millisecond
	defaultMaxDelay  = 1000 * time.Second
	defaultFactor    = 2
)

// defaultTTL is longer than a request waits in any queue that works.
const defaultTTL = time.Hour

// ExponentialOptions configures [NewExponential]. The zero value is the
// default of client-go: 5ms, doubled up to 1000s, without jitter.
type ExponentialOptions struct {
	// BaseDelay is the delay after the first failure of an item. Zero means
	// 5ms.
	BaseDelay time.Duration

	// MaxDelay bounds every delay, jitter included. Zero means 1000s.
	MaxDelay time.Duration

	// Factor is how many times longer each delay is than the one before, at
	// least 1, which makes all of them BaseDelay. Zero means 2.
	Factor float64

	// Jitter is the largest fraction of a delay that is taken off at random,
	// from 0 (none, the default) to 1 (any delay down to zero). It is taken off
	// and never added, so that MaxDelay holds and is still spread: items that
	// failed together long ago would otherwise all retry together.
	Jitter float64

	// TTL is how long an item is remembered beyond MaxDelay that neither fails
	// nor is forgotten, since it was deleted, say. It is dropped later than that,
	// and by the next failures of others after twice MaxDelay and TTL; an item with a
	// long row of them, once that time later. Zero means 1h. Less than a request may
	// wait in the queue makes a failing item start anew.
	TTL time.Duration

	// MaxItems bounds how many items are remembered. What fails beyond it waits
	// MaxDelay each time, until there is room. Zero means any number.
	MaxItems int
}

// Validate returns an error that names the first field which is impossible,
// and its value.
func (o ExponentialOptions) Validate() error { return first(o.withDefaults().faults()) }

// faults yields all that is impossible in o, which has its defaults.
func (o ExponentialOptions) faults() faults {
	return faults{
		atLeastZero("BaseDelay", o.BaseDelay),
		atLeastZero("MaxDelay", o.MaxDelay),
		notBelow("MaxDelay", o.MaxDelay, "BaseDelay", o.BaseDelay),
		factor("Factor", o.Factor),
		fraction("Jitter", o.Jitter),
		atLeastZero("TTL", o.TTL),
		atLeastZero("MaxItems", o.MaxItems),
	}
}

func (o ExponentialOptions) withDefaults() ExponentialOptions {
	setDefault(&o.BaseDelay, defaultBaseDelay)
	setDefault(&o.MaxDelay, defaultMaxDelay)
	setDefault(&o.Factor, defaultFactor)
	setDefault(&o.TTL, defaultTTL)
	return o
}

// delay returns how long an item waits that failed after n failures in a row,
// without jitter. It compares before it converts: a float beyond the range of
// an integer converts to anything, MinInt64 among them.
func (o ExponentialOptions) delay(n int) time.Duration {
	d := float64(o.BaseDelay) * math.Pow(o.Factor, float64(n))
	if d < float64(o.MaxDelay) {
		return time.Duration(d)
	}
	return o.MaxDelay
}

// Exponential makes each failing item wait longer after every failure in a
// row, independent of the others. It is safe for concurrent use, by the workers
// of one controller: see the package's documentation.
type Exponential[T comparable] struct {
	opts     ExponentialOptions // the defaults filled in
	delays   []time.Duration    // after 0, 1, 2 … failures, the longest last if there is one
	failures *failures[T]
}

// maxDelays is how many delays are computed beforehand: all, unless Factor is close
// to 1.
const maxDelays = 64

// NewExponential returns a limiter without any failure. It panics with the
// error of [ExponentialOptions.Validate], if there is one.
func NewExponential[T comparable](opts ExponentialOptions) *Exponential[T] {
	if err := opts.Validate(); err != nil {
		panic(err)
	}
	opts = opts.withDefaults()
	e := &Exponential[T]{opts: opts, failures: newFailures[T](lifetime(opts.MaxDelay, opts.TTL), opts.MaxItems)}
	for n := range maxDelays {
		d := opts.delay(n)
		e.delays = append(e.delays, d)
		if d == opts.MaxDelay {
			break
		}
	}
	return e
}

// When counts one failure of item and returns how long it should wait, more
// than zero and at most MaxDelay.
func (e *Exponential[T]) When(item T) time.Duration {
	return shorten(e.delay(item), e.opts.Jitter)
}

func (e *Exponential[T]) delay(item T) time.Duration {
	n, ok := e.failures.count(item)
	switch {
	case !ok:
		return e.opts.MaxDelay
	case n < len(e.delays):
		return e.delays[n]
	case len(e.delays) < maxDelays: // the last is the longest
		return e.opts.MaxDelay
	default:
		return e.opts.delay(n)
	}
}

// Forget ends the row of failures of item: the next one waits BaseDelay.
func (e *Exponential[T]) Forget(item T) { e.failures.forget(item) }

// NumRequeues returns how many failures in a row item has had, zero if none.
// It counts up to 2³¹-1.
func (e *Exponential[T]) NumRequeues(item T) int { return e.failures.of(item) }

// shorten takes up to that fraction off d at random, and leaves something.
func shorten(d time.Duration, fraction float64) time.Duration {
	if fraction == 0 {
		return d
	}
	return max(1, d-time.Duration(fraction*rand.Float64()*float64(d)))
}

// lifetime returns how long an item is remembered after its last failure.
func lifetime(longest, ttl time.Duration) time.Duration {
	if ttl > math.MaxInt64-longest {
		return math.MaxInt64
	}
	return longest + ttl
}
