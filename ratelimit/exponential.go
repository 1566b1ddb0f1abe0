package ratelimit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/client-go/util/workqueue"

	"github.com/trimtab/trimtab/internal/keyed"
)

// The defaults of client-go, which operators know: 5ms, 10ms, 20ms up to a
// little under 17 minutes, which the nineteenth failure in a row reaches.
const (
	defaultBaseDelay = 5 * time.Millisecond
	defaultMaxDelay  = 1000 * time.Second
	defaultFactor    = 2
)

// maxFailures is where the count of an item stays: an int has 32 bits on some
// machines. At the default MaxDelay that takes 68,000 years.
const maxFailures = math.MaxInt32

var _ workqueue.TypedRateLimiter[string] = (*Exponential[string])(nil)

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
}

// Validate returns an error that names the first field which is impossible,
// and its value.
func (o ExponentialOptions) Validate() error {
	d := o.withDefaults()
	switch {
	case d.BaseDelay < 0:
		return fmt.Errorf("ratelimit: BaseDelay is %v, want at least 0", d.BaseDelay)
	case d.MaxDelay < 0:
		return fmt.Errorf("ratelimit: MaxDelay is %v, want at least 0", d.MaxDelay)
	case d.MaxDelay < d.BaseDelay:
		return fmt.Errorf("ratelimit: MaxDelay is %v, want at least BaseDelay, %v", d.MaxDelay, d.BaseDelay)
	case math.IsNaN(d.Factor) || math.IsInf(d.Factor, 0) || d.Factor < 1:
		return fmt.Errorf("ratelimit: Factor is %v, want a finite number of at least 1", d.Factor)
	case math.IsNaN(d.Jitter) || d.Jitter < 0 || d.Jitter > 1:
		return fmt.Errorf("ratelimit: Jitter is %v, want a number from 0 to 1", d.Jitter)
	}
	return nil
}

func (o ExponentialOptions) withDefaults() ExponentialOptions {
	if o.BaseDelay == 0 {
		o.BaseDelay = defaultBaseDelay
	}
	if o.MaxDelay == 0 {
		o.MaxDelay = defaultMaxDelay
	}
	if o.Factor == 0 {
		o.Factor = defaultFactor
	}
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
	opts ExponentialOptions // the defaults filled in

	mu       sync.Mutex
	failures keyed.Map[T, int]
	some     atomic.Bool // there are failures: without, nobody needs the lock
}

// NewExponential returns a limiter without any failure. It panics with the
// error of [ExponentialOptions.Validate], if there is one.
func NewExponential[T comparable](opts ExponentialOptions) *Exponential[T] {
	if err := opts.Validate(); err != nil {
		panic(err)
	}
	return &Exponential[T]{opts: opts.withDefaults()}
}

// When counts one failure of item and returns how long it should wait, more
// than zero and at most MaxDelay.
func (e *Exponential[T]) When(item T) time.Duration {
	d := e.opts.delay(e.count(item))
	if e.opts.Jitter == 0 {
		return d
	}
	return max(1, d-time.Duration(e.opts.Jitter*rand.Float64()*float64(d)))
}

// count adds one failure of item and returns how many it had before.
func (e *Exponential[T]) count(item T) int {
	e.mu.Lock()
	defer e.mu.Unlock()

	n, _ := e.failures.Get(item)
	if n < maxFailures {
		e.failures.Put(item, n+1)
		e.some.Store(true)
	}
	return n
}

// Forget ends the row of failures of item: the next one waits BaseDelay.
func (e *Exponential[T]) Forget(item T) {
	if !e.some.Load() {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()

	e.failures.Delete(item)
	e.some.Store(e.failures.Len() > 0)
}

// NumRequeues returns how many failures in a row item has had, zero if none.
// It counts up to 2³¹-1.
func (e *Exponential[T]) NumRequeues(item T) int {
	if !e.some.Load() {
		return 0
	}
	e.mu.Lock()
	defer e.mu.Unlock()

	n, _ := e.failures.Get(item)
	return n
}
