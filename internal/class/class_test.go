package class_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"

	"github.com/trimtab/trimtab/internal/class"
)

// ME06: a few classes, whatever the texts. RL23: a limiter that says only in words
// that time ran out.
func TestOf_ME06_RL23(t *testing.T) {
	secrets := schema.GroupResource{Resource: "secrets"}
	conflict := apierrors.NewConflict(secrets, "a", errors.New("old"))
	forbidden := apierrors.NewForbidden(secrets, "a", errors.New("no"))
	for name, tc := range map[string]struct {
		err  error
		want string
	}{
		"nil":                {nil, class.Success},
		"plain":              {errors.New("boom"), class.Error},
		"conflict":           {conflict, class.Conflict},
		"exists":             {apierrors.NewAlreadyExists(secrets, "a"), class.Conflict},
		"wrapped":            {fmt.Errorf("status: %w", conflict), class.Conflict},
		"wrapped twice":      {fmt.Errorf("a: %w", fmt.Errorf("b: %w", conflict)), class.Conflict},
		"joined, both known": {errors.Join(conflict, forbidden), class.Error},
		"joined, one":        {errors.Join(nil, conflict), class.Conflict},
		"joined by %w":       {fmt.Errorf("%w and %w", context.Canceled, conflict), class.Conflict},
		"aggregate":          {utilerrors.NewAggregate([]error{conflict, context.Canceled}), class.Conflict},
		"aggregate, wrapped": {fmt.Errorf("a: %w", utilerrors.NewAggregate([]error{conflict, forbidden})), class.Error},
		"not found":          {apierrors.NewNotFound(secrets, "a"), class.NotFound},
		"429":                {apierrors.NewTooManyRequests("slow down", 1), class.Throttled},
		"invalid":            {apierrors.NewBadRequest("no"), class.Invalid},
		"forbidden":          {forbidden, class.Error},
		"server timeout":     {apierrors.NewServerTimeout(secrets, "get", 1), class.Timeout},
		"deadline":           {fmt.Errorf("get: %w", context.DeadlineExceeded), class.Timeout},
		"url timeout":        {&url.Error{Op: "Get", URL: "x", Err: context.DeadlineExceeded}, class.Timeout},
		"canceled":           {&url.Error{Op: "Get", URL: "x", Err: context.Canceled}, class.Canceled},
		"limiter":            {errors.New("client rate limiter: rate: Wait(n=1) would exceed context deadline"), class.Timeout},
		"limiter, wrapped":   {fmt.Errorf("list: %w", errors.New("rate: Wait(n=1) would exceed context deadline")), class.Timeout},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, tc.want, class.Of(tc.err)) })
	}
	for i := range 1000 {
		require.Equal(t, class.Error, class.Of(fmt.Errorf("random %d", i)))
	}
}

// ME13: each reason of apimachinery has its class, and a status without one has that
// of its code, as package apierrors tells them.
func TestOfStatus_ME13(t *testing.T) {
	for reason, want := range map[metav1.StatusReason]string{
		metav1.StatusReasonUnknown:               class.Error,
		metav1.StatusReasonUnauthorized:          class.Error,
		metav1.StatusReasonForbidden:             class.Error,
		metav1.StatusReasonNotFound:              class.NotFound,
		metav1.StatusReasonAlreadyExists:         class.Conflict,
		metav1.StatusReasonConflict:              class.Conflict,
		metav1.StatusReasonGone:                  class.NotFound,
		metav1.StatusReasonInvalid:               class.Invalid,
		metav1.StatusReasonServerTimeout:         class.Timeout,
		metav1.StatusReasonStoreReadError:        class.Error,
		metav1.StatusReasonTimeout:               class.Timeout,
		metav1.StatusReasonTooManyRequests:       class.Throttled,
		metav1.StatusReasonBadRequest:            class.Invalid,
		metav1.StatusReasonMethodNotAllowed:      class.Invalid,
		metav1.StatusReasonNotAcceptable:         class.Invalid,
		metav1.StatusReasonRequestEntityTooLarge: class.Invalid,
		metav1.StatusReasonUnsupportedMediaType:  class.Invalid,
		metav1.StatusReasonInternalError:         class.Error,
		metav1.StatusReasonExpired:               class.Error,
		metav1.StatusReasonServiceUnavailable:    class.Error,
	} {
		require.Equal(t, want, class.Of(status(reason, 0)), reason)
		if reason != metav1.StatusReasonUnknown {
			require.Equal(t, want, class.Of(status(reason, http.StatusConflict)), "the reason counts")
		}
	}
	for code, want := range map[int32]string{
		400: class.Invalid, 403: class.Error, 404: class.NotFound, 409: class.Conflict, 410: class.NotFound,
		422: class.Invalid, 429: class.Throttled, 500: class.Error, 503: class.Error, 504: class.Timeout,
	} {
		for _, reason := range []metav1.StatusReason{"", "MyWebhookSaysNo"} {
			require.Equal(t, want, class.Of(fmt.Errorf("patch: %w", status(reason, code))), code)
		}
	}
	require.Equal(t, class.Throttled, class.Of(status(metav1.StatusReasonTimeout, 429)))
}

func status(reason metav1.StatusReason, code int32) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{Reason: reason, Code: code}}
}

// RC03, RL23: what stopped a dial, a call of gRPC or an error without %w is known
// though it wraps nothing.
func TestOfLeaves_RC03_RL23(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, dial := (&net.Dialer{}).DialContext(ctx, "tcp", "127.0.0.1:1")
	for want, errs := range map[string][]error{
		class.Canceled: {dial, errors.New("rpc error: code = Canceled desc = context canceled"), fmt.Errorf("list: %v", context.Canceled)},                 //nolint:errorlint // That is the case.
		class.Timeout:  {errors.New("rpc error: code = DeadlineExceeded desc = context deadline exceeded"), fmt.Errorf("a: %v", context.DeadlineExceeded)}, //nolint:errorlint // As above.
		class.Error:    {errors.New("context canceled by nobody"), fmt.Errorf("context canceled: %w", errors.New("x"))},
	} {
		for _, err := range errs {
			require.Equal(t, want, class.Of(err), err)
		}
	}
}

// An error may be a nil pointer, or join others in its own way.
func TestOfOddErrors(t *testing.T) {
	conflict := status(metav1.StatusReasonConflict, 409)
	require.Equal(t, class.Error, class.Of((*apierrors.StatusError)(nil)))
	require.Equal(t, class.Conflict, class.Of(multi{nil, conflict}))
	require.Equal(t, class.Conflict, class.Of(multi{conflict}))
	require.Equal(t, class.Error, class.Of(multi{conflict, errors.New("x")}))
}

// multi joins errors as go-multierror does: Unwrap leads past the first.
type multi []error

func (multi) Error() string            { return "many" }
func (m multi) WrappedErrors() []error { return m }

func (m multi) Unwrap() error {
	if len(m) < 2 {
		return nil
	}
	return m[1:]
}
