package ratelimit

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/util/workqueue"

	classes "github.com/trimtab/trimtab/internal/class"
	"github.com/trimtab/trimtab/internal/null"
)

// RetryAfterOptions configures [NewRetryAfter].
type RetryAfterOptions[T comparable] struct {
	// Limiter says how long a failure waits at the least of its own. It must be set.
	Limiter workqueue.TypedRateLimiter[T]

	// MaxDelay bounds what a server can ask for, jitter included; the delays of
	// Limiter are its own. Zero means 1h.
	MaxDelay time.Duration

	// Jitter is the largest fraction of a server's delay that is added at random, from
	// 0 (none, the default) to 1: a server that is overloaded has asked many for the
	// same, and none may come earlier.
	Jitter float64
}

// Validate returns an error that names the first field which is impossible,
// and its value.
func (o RetryAfterOptions[T]) Validate() error {
	if null.Is(o.Limiter) {
		return fmt.Errorf("ratelimit: Limiter %T(nil): must be a limiter", o.Limiter)
	}
	return first(faults{atLeastZero("MaxDelay", o.MaxDelay), fraction("Jitter", o.Jitter)})
}

// RetryAfter makes a server's own hint the least delay of a failure. It knows that
// of the Kubernetes API (a Status with RetryAfterSeconds), and that of any error
// with one of these methods, wrapped and joined ones included, of which the longest
// counts:
//
//	RetryAfter() time.Duration // zero or less for no hint
//	RetryAfter() string        // an HTTP header: seconds, or a date
//
// A date is compared with the wall clock; what is past, and what is neither, is no
// hint. A method that panics gives none. The first thousand errors of a tree are
// asked.
//
// It is safe for concurrent use if its limiter is. Only package queue tells it the
// error; with another queue it is its limiter.
type RetryAfter[T comparable] struct{ opts RetryAfterOptions[T] }

// NewRetryAfter returns a limiter that asks another one, and the error. It panics
// with the error of [RetryAfterOptions.Validate], if there is one.
func NewRetryAfter[T comparable](opts RetryAfterOptions[T]) *RetryAfter[T] {
	if err := opts.Validate(); err != nil {
		panic(err)
	}
	setDefault(&opts.MaxDelay, time.Hour)
	return &RetryAfter[T]{opts: opts}
}

// When asks the limiter.
func (r *RetryAfter[T]) When(item T) time.Duration { return r.opts.Limiter.When(item) }

// WhenError implements [ErrorAware].
func (r *RetryAfter[T]) WhenError(item T, err error, class string) time.Duration {
	own := whenError(r.opts.Limiter, item, err, class)
	return max(own, r.lengthen(hintOf(err)))
}

// lengthen bounds a hint first: what a server says may be any number.
func (r *RetryAfter[T]) lengthen(hint time.Duration) time.Duration {
	d := min(hint, r.opts.MaxDelay)
	if d <= 0 || r.opts.Jitter == 0 {
		return max(0, d)
	}
	more := time.Duration(r.opts.Jitter * rand.Float64() * float64(d))
	return d + min(more, r.opts.MaxDelay-d)
}

// Forget makes the limiter forget item.
func (r *RetryAfter[T]) Forget(item T) { r.opts.Limiter.Forget(item) }

// NumRequeues returns how many failures of item the limiter knows.
func (r *RetryAfter[T]) NumRequeues(item T) int { return r.opts.Limiter.NumRequeues(item) }

// maxNodes bounds how many of the errors in one are asked: more than anybody joins,
// and an error that wraps itself ends there.
const maxNodes = 1000

// hintOf returns the longest delay that err, or what is in it, asks for, and zero
// for none.
func hintOf(err error) time.Duration {
	w := walk{left: maxNodes}
	w.visit(err)
	return w.longest
}

// walk goes through the tree of an error.
type walk struct {
	left    int // how many errors may still be asked
	longest time.Duration
}

func (w *walk) visit(err error) {
	if err == nil || w.left == 0 {
		return
	}
	w.left--
	hint, inner := ask(err)
	w.longest = max(w.longest, hint)
	for _, one := range inner {
		w.visit(one)
	}
}

// ask returns what err itself asks for, and what is in it. An error whose methods
// panic, such as a nil pointer, asks for nothing more: nobody recovers where a
// controller fails.
func ask(err error) (hint time.Duration, inner []error) {
	defer func() { _ = recover() }()
	hint = ownHint(err)
	inner = classes.Inner(err)
	return hint, inner
}

// ownHint returns what err itself asks for.
func ownHint(err error) (hint time.Duration) {
	switch e := err.(type) { //nolint:errorlint // The tree is walked by walk.
	case interface{ RetryAfter() time.Duration }:
		hint = e.RetryAfter()
	case interface{ RetryAfter() string }:
		hint = parseRetryAfter(e.RetryAfter())
	}
	if status, ok := err.(apierrors.APIStatus); ok {
		if details := status.Status().Details; details != nil {
			hint = max(hint, secondsOf(int64(details.RetryAfterSeconds)))
		}
	}
	return hint
}

// parseRetryAfter reads the value of an HTTP header Retry-After (RFC 9110, 10.2.3):
// seconds, or a date, which the wall clock tells. It returns zero for anything
// else.
func parseRetryAfter(value string) time.Duration {
	value = strings.TrimSpace(value)
	if s, err := strconv.ParseInt(value, 10, 64); err == nil || isRange(err) && s > 0 {
		return secondsOf(s)
	}
	if at, err := http.ParseTime(value); err == nil {
		return time.Until(at)
	}
	return 0
}

// isRange reports whether a number was too large, or too small, to be read.
func isRange(err error) bool { return errors.Is(err, strconv.ErrRange) }

// secondsOf returns s seconds, as far as a [time.Duration] goes.
func secondsOf(s int64) time.Duration {
	if s > int64(math.MaxInt64/time.Second) {
		return math.MaxInt64
	}
	return time.Duration(max(0, s)) * time.Second
}
