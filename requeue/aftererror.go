package requeue

import (
	"fmt"
	"time"
)

// AfterError is an error that says when to try again:
//
//	return requeue.Done(), requeue.AfterError{After: time.Minute, Err: err}
//
// Package reconcile's chain reads it, in front of Trimtab's queue, also where it is
// wrapped or joined: the retry waits for just After, whatever the rate limiter
// says. It counts as a failure like others, and goes to the limiter, so that a
// plain error afterwards has the backoff of its place in the row. Its class is that
// of Err; a terminal error is not retried at all.
//
// Of errors that are joined each has its own time: the retry waits for the
// limiter's if one of them has no other, and no longer than the soonest After.
// Of one within another the outer counts.
//
// Without the chain the limiter alone says how long a retry waits.
type AfterError struct {
	// After is how long the retry waits. Zero or less leaves it to the limiter: an
	// error whose time has come is no reason to forget the backoff.
	After time.Duration

	// Err is what has failed. It may be nil.
	Err error
}

// Error implements error: it is that of Err, if there is one.
func (e AfterError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("requeue: try again after %v", e.After)
	}
	return e.Err.Error()
}

// Unwrap returns Err.
func (e AfterError) Unwrap() error { return e.Err }
