package reconcile

import (
	"context"
	"fmt"
	"time"
)

// DeadlineError is the cause with which Deadline cancels the context of a run; get
// it by [context.Cause]. It wraps [context.DeadlineExceeded].
type DeadlineError struct {
	// Timeout is how long the run could have taken.
	Timeout time.Duration
}

// Error implements error.
func (e *DeadlineError) Error() string {
	return fmt.Sprintf("reconcile: the run has taken longer than %s", e.Timeout)
}

// Unwrap returns [context.DeadlineExceeded].
func (*DeadlineError) Unwrap() error { return context.DeadlineExceeded }
