package class

import (
	"context"
	"errors"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The classes. All but Success and Requeue are classes of errors.
const (
	Success   = "success"   // no error, and nothing more to do
	Requeue   = "requeue"   // no error, and it asked to come back
	Conflict  = "conflict"  // an optimistic lock failed, or the object exists already
	Throttled = "throttled" // a server asks to be called less
	NotFound  = "notfound"  // an object is not there
	Invalid   = "invalid"   // a server finds the request wrong
	Timeout   = "timeout"   // something took too long
	Canceled  = "canceled"  // the manager is stopping
	Terminal  = "terminal"  // the reconciler says that a retry is no use
	Panic     = "panic"     // the reconciler panicked
	Error     = "error"     // anything else
)

// grave orders the classes of errors: of several joined ones the gravest counts,
// so that an expected conflict does not hide an error beside it.
func grave(class string) int {
	switch class {
	case Panic:
		return 9
	case Terminal:
		return 8
	case Error:
		return 7
	case Invalid:
		return 6
	case NotFound:
		return 5
	case Timeout:
		return 4
	case Throttled:
		return 3
	case Conflict:
		return 2
	case Canceled:
		return 1
	default:
		return 0
	}
}

// Of returns the class of err, which may be wrapped or joined, and Success for
// nil. It knows nothing of Terminal and Panic: those are the reconciler's.
func Of(err error) string {
	if err == nil {
		return Success
	}
	if c := own(err); c != "" {
		return c
	}
	switch e := err.(type) { //nolint:errorlint // The tree is walked here, node by node.
	case interface{ Unwrap() error }:
		if inner := e.Unwrap(); inner != nil {
			return Of(inner)
		}
	case interface{ Unwrap() []error }:
		if c := gravest(e.Unwrap()); c != "" {
			return c
		}
	case interface{ Errors() []error }: // an Aggregate of apimachinery, which does not unwrap
		if c := gravest(e.Errors()); c != "" {
			return c
		}
	}
	return Error
}

func gravest(errs []error) string {
	worst := ""
	for _, err := range errs {
		if err == nil {
			continue
		}
		if c := Of(err); grave(c) > grave(worst) {
			worst = c
		}
	}
	return worst
}

// own returns the class that err itself has, whatever it wraps, and "" if none.
func own(err error) string {
	switch err { //nolint:errorlint // The tree is walked by Of.
	case context.Canceled:
		return Canceled
	case context.DeadlineExceeded:
		return Timeout
	}
	if status, ok := err.(apierrors.APIStatus); ok {
		return ofReason(status.Status().Reason)
	}
	if t, ok := err.(interface{ Timeout() bool }); ok && t.Timeout() {
		return Timeout
	}
	// client-go's and x/time's limiters say this in words only: the error wraps
	// no context.DeadlineExceeded.
	if errors.Unwrap(err) == nil && strings.HasSuffix(err.Error(), "would exceed context deadline") {
		return Timeout
	}
	return ""
}

func ofReason(reason metav1.StatusReason) string {
	switch reason {
	case metav1.StatusReasonConflict, metav1.StatusReasonAlreadyExists:
		return Conflict
	case metav1.StatusReasonTooManyRequests:
		return Throttled
	case metav1.StatusReasonNotFound, metav1.StatusReasonGone:
		return NotFound
	case metav1.StatusReasonInvalid, metav1.StatusReasonBadRequest:
		return Invalid
	case metav1.StatusReasonTimeout, metav1.StatusReasonServerTimeout:
		return Timeout
	default:
		return Error
	}
}
