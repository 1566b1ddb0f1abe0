package otel

import (
	"context"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/trace"

	"github.com/trimtab/trimtab/reconcile"
	"github.com/trimtab/trimtab/trigger"
)

// scope is the name under which the spans are made.
const scope = "github.com/trimtab/trimtab/otel"

// Tracer is a [reconcile.Tracer] that makes spans of OpenTelemetry. It is safe for
// concurrent use.
type Tracer struct {
	opts Options
}

var _ reconcile.Tracer = (*Tracer)(nil)

// New returns a tracer. It panics with the error of Validate if an option is
// impossible.
func New(opts Options) *Tracer {
	if err := opts.Validate(); err != nil {
		panic(err)
	}
	if opts.Annotation == "" {
		opts.Annotation = traceparent
	}
	return &Tracer{opts: opts}
}

// StartRun implements [reconcile.Tracer]. If ctx has a span, that is the parent of
// all. A run whose first span is not recorded has no others.
func (t *Tracer) StartRun(ctx context.Context, request any, info trigger.Info) (inner context.Context, ended func(trigger.Run, error)) {
	tracer := t.provider().Tracer(scope)
	times := timesOf(info)
	ctx, root := tracer.Start(ctx, "reconcile", trace.WithTimestamp(times.added))
	if !root.IsRecording() {
		root.End() // That nothing is recorded does not mean that nobody waits for it.
		return ctx, unrecordedRun
	}
	root.SetAttributes(t.causes(request, info)...)
	times.addSpans(ctx, tracer)
	ctx, span := tracer.Start(ctx, "run", trace.WithTimestamp(times.started))
	return context.WithValue(ctx, runKey{}, span), func(run trigger.Run, err error) {
		end := trace.WithTimestamp(latest(time.Now(), times.started))
		defer root.End(end) // Also if a method of err panics.
		defer span.End(end)
		span.SetAttributes(results(run)...)
		recordError(err, run.Class, isExpected(run.Class), span, root)
	}
}

// StartCall implements [reconcile.Tracer]. A call outside a recorded span has none.
func (*Tracer) StartCall(ctx context.Context, phase, verb, kind string) (inner context.Context, ended func(error)) {
	parent := trace.SpanFromContext(ctx)
	if !parent.IsRecording() {
		return ctx, unrecordedCall
	}
	// The provider may have been replaced since the run began: stay with its own.
	tracer := parent.TracerProvider().Tracer(scope)
	ctx, span := tracer.Start(ctx, text(verb+" "+kind), trace.WithAttributes(phaseKey.String(phase)))
	return ctx, func(err error) {
		defer span.End()
		recordError(err, reason(err), isAnswer(err), span)
	}
}

func (t *Tracer) provider() trace.TracerProvider {
	if t.opts.TracerProvider != nil {
		return t.opts.TracerProvider
	}
	return otel.GetTracerProvider()
}

// runKey is the key of a run's span in its context.
type runKey struct{}

func unrecordedRun(trigger.Run, error) {}

func unrecordedCall(error) {}
