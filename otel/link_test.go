package otel_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/otel"
	"github.com/trimtab/trimtab/trigger"
)

const (
	parentTrace = "4bf92f3577b34da6a3ce929d0e0e4736"
	parentSpan  = "00f067aa0ba902b7"
	parent      = "00-" + parentTrace + "-" + parentSpan + "-01"
)

// RC07: a good traceparent is a link, and a bad one is nothing: the run has a trace of
// its own, and no error.
func TestTraceparent_RC07(t *testing.T) {
	for name, tc := range map[string]struct {
		opts  otel.Options
		key   string
		value string
		links int
	}{
		"good":          {otel.Options{}, "traceparent", parent, 1},
		"not sampled":   {otel.Options{}, "traceparent", strings.TrimSuffix(parent, "1") + "0", 1},
		"own key":       {otel.Options{Annotation: "example.com/Parent"}, "example.com/Parent", parent, 1},
		"another key":   {otel.Options{Annotation: "example.com/Parent"}, "traceparent", parent, 0},
		"off":           {otel.Options{DisableLink: true}, "traceparent", parent, 0},
		"empty":         {otel.Options{}, "traceparent", "", 0},
		"no hex":        {otel.Options{}, "traceparent", strings.Replace(parent, "4bf9", "xyz0", 1), 0},
		"zero trace":    {otel.Options{}, "traceparent", "00-" + strings.Repeat("0", 32) + "-" + parentSpan + "-01", 0},
		"zero span":     {otel.Options{}, "traceparent", "00-" + parentTrace + "-" + strings.Repeat("0", 16) + "-01", 0},
		"too short":     {otel.Options{}, "traceparent", parent[:40], 0},
		"too long":      {otel.Options{}, "traceparent", parent + "-01", 0},
		"dashes":        {otel.Options{}, "traceparent", strings.Repeat("-", 1<<16), 0},
		"a huge number": {otel.Options{}, "traceparent", strings.Repeat("0", 1<<18), 0},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRecorder()
			tc.opts.TracerProvider = r
			tracer := otel.New(tc.opts)
			trip(t.Context(), tracer, "k", trigger.Info{}, func(ctx context.Context) (trigger.Run, error) {
				ctx, ended := tracer.StartCall(ctx, "read", "get", "Pod")
				tracer.ReadOwn(ctx, map[string]string{tc.key: tc.value, "tracestate": "x=y"})
				ended(nil)
				return trigger.Run{Class: "success"}, nil
			})
			require.Empty(t, r.named(t, "get Pod").Links())
			run := r.named(t, "run")
			require.Len(t, run.Links(), tc.links)
			require.False(t, r.named(t, "reconcile").Parent().IsValid())
			require.Empty(t, run.Events())
			if tc.links > 0 {
				linked := run.Links()[0].SpanContext
				require.Equal(t, parentTrace, linked.TraceID().String())
				require.Equal(t, parentSpan, linked.SpanID().String())
				require.True(t, linked.IsRemote())
			}
		})
	}
}

// A context that is no run's, or whose run is over, is no panic.
func TestReadOwnOutsideARun(t *testing.T) {
	r := newRecorder()
	tracer := otel.New(otel.Options{TracerProvider: r})
	annotations := map[string]string{"traceparent": parent}
	tracer.ReadOwn(t.Context(), annotations)
	var late context.Context
	trip(t.Context(), tracer, "k", trigger.Info{}, func(ctx context.Context) (trigger.Run, error) {
		late = ctx
		tracer.ReadOwn(ctx, nil)
		return trigger.Run{}, nil
	})
	tracer.ReadOwn(late, annotations)
	require.Empty(t, r.named(t, "run").Links())
}
