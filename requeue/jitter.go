package requeue

import (
	"math"
	"math/rand/v2"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// Jitter returns the Result that brings the request back after d, give or take a
// random part of it: at most fraction of d, evenly on both sides, so that the mean
// is d. Each call has a new one. Where objects poll for ever use [Every]: it is
// even from the start, and a restart does not change it.
//
// A fraction of zero is exact, as is one that is negative or not a number; above 1
// it counts as 1. As with [After], no delay is shorter than a millisecond, and none
// is longer than the longest [time.Duration].
func Jitter(d time.Duration, fraction float64) reconcile.Result {
	span := part(d, fraction)
	if rand.Uint64()&1 == 0 {
		return After(d - random(span))
	}
	return After(sum(d, random(span)))
}

// JitterLater is [Jitter] on one side alone: after d, and up to fraction of d later.
// It is for what must not come early, such as the end of a server's ban.
func JitterLater(d time.Duration, fraction float64) reconcile.Result {
	return After(sum(d, random(part(d, fraction))))
}

// part returns that fraction of d, which is none if either is not above zero, and
// at most d.
func part(d time.Duration, fraction float64) time.Duration {
	if d <= 0 || !(fraction > 0) { // Of NaN nothing is true.
		return 0
	}
	// Compared before it is converted: a float beyond an integer's range converts
	// to anything.
	if f := fraction * float64(d); f < float64(d) {
		return time.Duration(f)
	}
	return d
}

// random returns a random duration from zero to d, both included.
func random(d time.Duration) time.Duration {
	return time.Duration(rand.Uint64N(uint64(d) + 1))
}

// sum returns a + b, or the longest duration; neither b is negative.
func sum(a, b time.Duration) time.Duration {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
