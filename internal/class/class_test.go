package class_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
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
