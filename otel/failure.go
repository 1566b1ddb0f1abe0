package otel

import (
	"context"
	"errors"
	"fmt"

	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// recordError makes err an event of the first span. Unless it was to be expected, all
// of the spans, which have the error's type, have failed.
func recordError(err error, kind string, expected bool, spans ...trace.Span) {
	if err == nil {
		return
	}
	description, whole := describe(err)
	if !whole {
		err = errors.New(description)
	}
	spans[0].RecordError(err)
	if expected {
		return
	}
	for _, span := range spans {
		span.SetAttributes(errorTypeKey.String(text(kind)))
		span.SetStatus(codes.Error, description)
	}
}

// describe returns what err says, as an attribute can have it, and whether that is
// all.
func describe(err error) (description string, whole bool) {
	defer func() {
		if p := recover(); p != nil {
			description, whole = text(fmt.Sprintf("%T, whose Error panics: %v", err, p)), false
		}
	}()
	full := err.Error()
	description = text(full)
	return description, description == full
}

// isExpected reports whether a run of that class breaks nothing; see package
// reconcile for the classes.
func isExpected(class string) bool {
	switch class {
	case "success", "requeue", "conflict", "canceled":
		return true
	default:
		return false
	}
}

// isAnswer reports whether a call failed in a way that a reconciler reckons with.
func isAnswer(err error) bool {
	return apierrors.IsNotFound(err) || apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) ||
		errors.Is(err, context.Canceled)
}

// reason is the API server's word for err, or what the conventions have for others.
func reason(err error) string {
	if r := apierrors.ReasonForError(err); r != "" {
		return string(r)
	}
	return "_OTHER"
}
