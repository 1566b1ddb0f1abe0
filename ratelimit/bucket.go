package ratelimit

import (
	"math"
	"sync"
	"time"
)

// BucketOptions configures [NewBucket]. The zero value is the bucket of client-go's
// default: ten in a second, a hundred at once.
type BucketOptions struct {
	// Rate is how many failures in a second get a turn, over all items. Zero means
	// 10.
	Rate float64

	// Burst is how many get one at once after a quiet time, at least 1. Zero means
	// 100.
	Burst int

	// MaxDelay bounds every delay. What fails while the line is longer waits MaxDelay,
	// and is not in the line: then more have a turn than Rate says. Zero means 1000s.
	MaxDelay time.Duration
}

// Validate returns an error that names the first field which is impossible,
// and its value.
func (o BucketOptions) Validate() error { return first(o.withDefaults().faults()) }

func (o BucketOptions) faults() faults {
	return faults{
		positive("Rate", o.Rate),
		rateNotTooLow("Rate", o.Rate),
		atLeastOne("Burst", o.Burst),
		atLeastZero("MaxDelay", o.MaxDelay),
	}
}

func (o BucketOptions) withDefaults() BucketOptions {
	setDefault(&o.Rate, 10)
	setDefault(&o.Burst, 100)
	setDefault(&o.MaxDelay, defaultMaxDelay)
	return o
}

// Bucket bounds the rate of all failures together, whichever items they are of: it
// knows none. Combine it with a limiter that does, by [NewMaxOf]. It is safe for
// concurrent use.
type Bucket[T comparable] struct{ tokens *tokens }

// NewBucket returns a bucket that is full. It panics with the error of
// [BucketOptions.Validate], if there is one.
func NewBucket[T comparable](opts BucketOptions) *Bucket[T] {
	if err := opts.Validate(); err != nil {
		panic(err)
	}
	b := &Bucket[T]{tokens: &tokens{start: time.Now()}}
	b.tokens.tune(opts.withDefaults())
	return b
}

// When takes a token and returns how long it is until that is there, at most
// MaxDelay. It is zero if one is there already.
func (b *Bucket[T]) When(T) time.Duration { return b.tokens.take() }

// Forget does nothing.
func (*Bucket[T]) Forget(T) {}

// NumRequeues returns zero: a bucket knows no items.
func (*Bucket[T]) NumRequeues(T) int { return 0 }

// tokens is a token bucket. A token that is taken before it is there is a debt, which
// the next ones wait for, too.
type tokens struct {
	start time.Time

	mu    sync.Mutex
	opts  BucketOptions
	level float64       // tokens; less than zero is a debt
	at    time.Duration // of level, since start
}

// tune changes the numbers. What was taken stays taken.
func (t *tokens) tune(opts BucketOptions) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.fill()
	t.level += float64(opts.Burst - t.opts.Burst)
	t.opts = opts
}

// fill adds what has come since the last time. Only the monotonic clock counts.
func (t *tokens) fill() {
	now := time.Since(t.start)
	t.level = min(float64(t.opts.Burst), t.level+(now-t.at).Seconds()*t.opts.Rate)
	t.at = now
}

func (t *tokens) take() time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.fill()
	if t.level >= 1 {
		t.level--
		return 0
	}
	d := seconds((1 - t.level) / t.opts.Rate)
	if d > t.opts.MaxDelay {
		return t.opts.MaxDelay
	}
	t.level--
	return d
}

// seconds returns s, which is not negative, rounded up. It compares before it
// converts: a float beyond the range of an integer converts to anything.
func seconds(s float64) time.Duration {
	if ns := math.Ceil(s * float64(time.Second)); ns < math.MaxInt64 {
		return time.Duration(ns)
	}
	return math.MaxInt64
}
