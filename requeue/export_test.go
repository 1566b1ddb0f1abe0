package requeue

import (
	"time"

	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// EveryAt is Every at another time than now: a synctest bubble begins in 2000
// and cannot reach the years where integers end.
func EveryAt(now time.Time, period time.Duration, key string) reconcile.Result {
	return every(now, period, key)
}

// BeforeExpiryAt is BeforeExpiry at another time than now.
func BeforeExpiryAt(now time.Time, e Expiry) (Renewal, error) {
	return beforeExpiry(now, e)
}

// ScheduleAt is Schedule at another time than now.
func ScheduleAt(now time.Time, p Plan) (Turn, error) { return schedule(now, p) }

// WindowAt is Window at another time than now.
func WindowAt(now time.Time, h Hours) (Opening, error) { return window(now, &h) }
