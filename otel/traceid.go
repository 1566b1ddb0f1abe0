package otel

import (
	"context"

	"go.opentelemetry.io/otel/trace"
)

// TraceID returns the trace that ctx belongs to, in hex, for Options.TraceID of
// package reconcile, and "" if it belongs to none or to one that is not sampled,
// which nobody can look up.
func TraceID(ctx context.Context) string {
	sc := trace.SpanContextFromContext(ctx)
	if !sc.IsValid() || !sc.IsSampled() {
		return ""
	}
	return sc.TraceID().String()
}
