package otel_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"k8s.io/apimachinery/pkg/types"

	"github.com/trimtab/trimtab/otel"
	"github.com/trimtab/trimtab/reconcile"
	"github.com/trimtab/trimtab/trigger"
)

var (
	errBoom = errors.New("boom")
	web     = reconcile.Request{NamespacedName: types.NamespacedName{Namespace: "shop", Name: "web"}}
)

// recorder is a provider that keeps the spans it made.
type recorder struct {
	*sdktrace.TracerProvider
	spans *tracetest.SpanRecorder
}

func newRecorder(opts ...sdktrace.TracerProviderOption) *recorder {
	spans := tracetest.NewSpanRecorder()
	opts = append(opts, sdktrace.WithSpanProcessor(spans), sdktrace.WithResource(resource.Empty()))
	return &recorder{TracerProvider: sdktrace.NewTracerProvider(opts...), spans: spans}
}

// named returns the one span of that name, which has ended.
func (r *recorder) named(t *testing.T, name string) sdktrace.ReadOnlySpan {
	t.Helper()
	var found []sdktrace.ReadOnlySpan
	for _, span := range r.spans.Ended() {
		if span.Name() == name {
			found = append(found, span)
		}
	}
	require.Len(t, found, 1, name)
	return found[0]
}

// names returns the names of the spans that have ended, in that order.
func (r *recorder) names() []string {
	names := []string{}
	for _, span := range r.spans.Ended() {
		names = append(names, span.Name())
	}
	return names
}

func attributes(span sdktrace.ReadOnlySpan) map[attribute.Key]any {
	all := map[attribute.Key]any{}
	for _, a := range span.Attributes() {
		all[a.Key] = a.Value.AsInterface()
	}
	return all
}

// trip is a small chain: it traces one run, also if that panics.
func trip(ctx context.Context, tracer reconcile.Tracer, req any, info trigger.Info, f func(context.Context) (trigger.Run, error)) {
	run, err := trigger.Run{Class: "panic"}, errBoom
	ctx, ended := tracer.StartRun(ctx, req, info)
	defer func() { ended(run, err) }()
	run, err = f(ctx)
}

// call is a traced client call that takes a second and returns err.
func call(ctx context.Context, tracer reconcile.Tracer, phase, verb, kind string, err error) {
	_, ended := tracer.StartCall(ctx, phase, verb, kind)
	time.Sleep(time.Second)
	ended(err)
}

func traced(opts otel.Options, req any, info trigger.Info, run trigger.Run, err error) {
	trip(context.Background(), otel.New(opts), req, info, func(context.Context) (trigger.Run, error) { return run, err })
}

func returns(class string) func(context.Context) (trigger.Run, error) {
	return func(context.Context) (trigger.Run, error) { return trigger.Run{Class: class}, nil }
}
