package class

import (
	"context"
	"net/http"
	"reflect"
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
	if v := reflect.ValueOf(err); v.Kind() == reflect.Pointer && v.IsNil() {
		return Error // A nil pointer that became an error: its methods may panic.
	}
	if c := own(err); c != "" {
		return c
	}
	if c := gravest(Inner(err)); c != "" {
		return c
	}
	return ofLeaf(err)
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
		return ofStatus(status.Status())
	}
	if t, ok := err.(interface{ Timeout() bool }); ok && t.Timeout() {
		return Timeout
	}
	return ""
}

// ofLeaf returns the class of an error in which there is no other, and Error if
// nothing is known of it.
func ofLeaf(err error) string {
	// Package net's error of a cancelled dial wraps none, and is one.
	if is, ok := err.(interface{ Is(error) bool }); ok && is.Is(context.Canceled) {
		return Canceled
	}
	if c := ofWords(err.Error()); c != "" {
		return c
	}
	return Error
}

// Inner returns the errors that are wrapped or joined in err itself.
func Inner(err error) []error {
	switch e := err.(type) { //nolint:errorlint // It looks at one node of the tree.
	case interface{ WrappedErrors() []error }: // of go-multierror, whose Unwrap hides the first
		return e.WrappedErrors()
	case interface{ Unwrap() error }:
		return []error{e.Unwrap()}
	case interface{ Unwrap() []error }:
		return e.Unwrap()
	case interface{ Errors() []error }: // an Aggregate of apimachinery, which does not unwrap
		return e.Errors()
	default:
		return nil
	}
}

// ofWords returns the class of what is said in words only. The limiters of client-go
// and x/time do so, gRPC does, and so does who formats an error without %w.
func ofWords(text string) string {
	switch {
	case strings.HasSuffix(text, context.Canceled.Error()):
		return Canceled
	case strings.HasSuffix(text, context.DeadlineExceeded.Error()), strings.HasSuffix(text, "would exceed context deadline"):
		return Timeout
	default:
		return ""
	}
}

// ofStatus goes by the reason, or else, as package apierrors does, by the code: a
// server that is not Kubernetes', or a webhook, may have no reason, or its own.
func ofStatus(status metav1.Status) string {
	if status.Code == http.StatusTooManyRequests {
		return Throttled
	}
	if c := ofReason(status.Reason); c != "" {
		return c
	}
	switch status.Code {
	case http.StatusConflict:
		return Conflict
	case http.StatusNotFound, http.StatusGone:
		return NotFound
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		return Invalid
	case http.StatusGatewayTimeout:
		return Timeout
	default:
		return Error
	}
}

// ofReason returns "" for a reason that apimachinery does not know.
func ofReason(reason metav1.StatusReason) string {
	switch reason {
	case metav1.StatusReasonConflict, metav1.StatusReasonAlreadyExists:
		return Conflict
	case metav1.StatusReasonTooManyRequests:
		return Throttled
	case metav1.StatusReasonNotFound, metav1.StatusReasonGone:
		return NotFound
	case metav1.StatusReasonInvalid, metav1.StatusReasonBadRequest, metav1.StatusReasonRequestEntityTooLarge,
		metav1.StatusReasonMethodNotAllowed, metav1.StatusReasonNotAcceptable, metav1.StatusReasonUnsupportedMediaType:
		return Invalid
	case metav1.StatusReasonTimeout, metav1.StatusReasonServerTimeout:
		return Timeout
	case metav1.StatusReasonUnauthorized, metav1.StatusReasonForbidden, metav1.StatusReasonStoreReadError,
		metav1.StatusReasonInternalError, metav1.StatusReasonExpired, metav1.StatusReasonServiceUnavailable:
		return Error
	default:
		return ""
	}
}
