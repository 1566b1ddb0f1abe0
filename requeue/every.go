package requeue

import (
	"math"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// Every returns the Result that brings the request back once per period, at
// the object's own phase: the same moments of the clock whatever events come
// between and however often the process restarts, evenly spread over a fleet,
// without jitter. The key tells objects apart; give it string(obj.GetUID()).
// Objects with the same key share their moments.
//
// A run that comes a little before its moment, by a tenth of period and at
// most a minute, counts as that moment's run, so that a timer that fires early
// or a clock that is set back brings no second run. A delay is never shorter
// than that, nor than 1 ms, and never longer than it and period together.
//
// A period of zero or less means no period, as for informers' resync, and
// gives [Done]: check a period that users can set where it is read.
func Every(period time.Duration, key string) reconcile.Result {
	return every(time.Now(), period, key)
}

func every(now time.Time, period time.Duration, key string) reconcile.Result {
	if period <= 0 {
		return Done()
	}
	// Truncate goes by the wall clock, and is exact in any year; nanoseconds
	// since 1970 end in 2262.
	since := now.Sub(now.Truncate(period))
	wait := phase(key, period) - since
	if wait <= 0 {
		wait += period
	}
	if wait < min(period/10, time.Minute) {
		wait += min(period, math.MaxInt64-wait)
	}
	return After(wait)
}
