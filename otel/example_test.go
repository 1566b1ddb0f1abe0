package otel_test

import (
	"context"
	"fmt"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/trimtab/trimtab/otel"
	"github.com/trimtab/trimtab/reconcile"
	"github.com/trimtab/trimtab/trigger"
)

func ExampleNew() {
	spans := tracetest.NewSpanRecorder() // an operator has an exporter here
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans))

	var tracer reconcile.Tracer = otel.New(otel.Options{TracerProvider: provider, Name: "certificates"})

	// The chain of package reconcile does this for each run.
	ctx, ended := tracer.StartRun(context.Background(), "web", trigger.Info{})
	_, called := tracer.StartCall(ctx, "read", "get", "Certificate")
	called(nil)
	ended(trigger.Run{Class: "success"}, nil)

	for _, span := range spans.Ended() {
		fmt.Println(span.Name())
	}
	// Output:
	// get Certificate
	// run
	// reconcile
}

func ExampleTraceID() {
	provider := sdktrace.NewTracerProvider()
	ctx, span := provider.Tracer("example").Start(context.Background(), "run")
	defer span.End()

	fmt.Println(otel.TraceID(ctx) == span.SpanContext().TraceID().String())
	fmt.Printf("%q\n", otel.TraceID(context.Background()))
	// Output:
	// true
	// ""
}
