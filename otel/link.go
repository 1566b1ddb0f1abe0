package otel

import (
	"context"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// traceparent is the name of the W3C header, and the default of Options.Annotation.
const traceparent = "traceparent"

// ReadOwn implements [reconcile.Tracer]: it links the run to the span that the
// annotations name. A bad traceparent names none.
func (t *Tracer) ReadOwn(ctx context.Context, annotations map[string]string) {
	parent := annotations[t.opts.Annotation]
	span, ok := ctx.Value(runKey{}).(trace.Span)
	if parent == "" || !ok || t.opts.DisableLink {
		return
	}
	remote := propagation.TraceContext{}.Extract(context.Background(), carrier(parent))
	if sc := trace.SpanContextFromContext(remote); sc.IsValid() {
		span.AddLink(trace.Link{SpanContext: sc})
	}
}

// carrier is a traceparent as headers.
type carrier string

// Get implements [propagation.TextMapCarrier].
func (c carrier) Get(key string) string {
	if key == traceparent {
		return string(c)
	}
	return ""
}

// Set implements [propagation.TextMapCarrier]. Nothing is sent with it.
func (carrier) Set(string, string) {}

// Keys implements [propagation.TextMapCarrier].
func (carrier) Keys() []string { return []string{traceparent} }
