package ratelimit

import (
	"time"

	"k8s.io/client-go/util/workqueue"
)

// ErrorAware is a rate limiter that is told why a request failed. Package queue
// calls WhenError, once and in place of When, where it knows that: for the retry of
// a run that the chain of package reconcile has reported. For any other rate
// limited add it calls When.
type ErrorAware[T comparable] interface {
	workqueue.TypedRateLimiter[T]

	// WhenError counts one failure of item and returns how long it should wait.
	// err is what the controller was given, or stands for a panic; class is its
	// class, as package reconcile lists them. For a run that asked for a retry
	// without an error, by Result.Requeue, err is nil and class is "requeue".
	//
	// The rules of When hold: many goroutines call it at once, Forget ends the row
	// of failures, and a call that takes its time delays only its own item.
	WhenError(item T, err error, class string) time.Duration
}
