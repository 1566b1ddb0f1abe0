package otel_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/trimtab/trimtab/otel"
	"github.com/trimtab/trimtab/trigger"
)

// RC07, RC08: the error of a run is told; its class says whether anything is broken.
func TestRunFails_RC07_RC08(t *testing.T) {
	for class, failed := range map[string]bool{
		"success": false, "requeue": false, "conflict": false, "canceled": false,
		"throttled": true, "notfound": true, "invalid": true, "timeout": true, "terminal": true,
		"panic": true, "error": true, "my-own": true,
	} {
		r := newRecorder()
		traced(otel.Options{TracerProvider: r}, "k", trigger.Info{}, trigger.Run{Class: class}, errBoom)
		run, root := r.named(t, "run"), r.named(t, "reconcile")
		require.Equal(t, "boom", message(t, run))
		require.Empty(t, root.Events(), "once is enough")
		for _, span := range []sdktrace.ReadOnlySpan{run, root} {
			if failed {
				require.Equal(t, sdktrace.Status{Code: codes.Error, Description: "boom"}, span.Status(), class)
				require.Equal(t, class, attributes(span)["error.type"])
			} else {
				require.Equal(t, codes.Unset, span.Status().Code, class)
				require.NotContains(t, attributes(span), "error.type", class)
			}
		}
	}
}

// RC07: an error whose methods panic is told, and leaves no span open.
func TestBrokenError_RC07(t *testing.T) {
	r := newRecorder()
	tracer := otel.New(otel.Options{TracerProvider: r})
	traced(otel.Options{TracerProvider: r}, "k", trigger.Info{}, trigger.Run{Class: "error"}, broken{})
	require.Equal(t, "otel_test.broken, whose Error panics: no words", message(t, r.named(t, "run")))
	require.Equal(t, codes.Error, r.named(t, "reconcile").Status().Code)
	trip(t.Context(), tracer, "k", trigger.Info{}, func(ctx context.Context) (trigger.Run, error) {
		_, ended := tracer.StartCall(ctx, "read", "get", "Pod")
		require.Panics(t, func() { ended((*apierrors.StatusError)(nil)) })
		return trigger.Run{}, nil
	})
	require.Len(t, r.names(), 5)
}

type broken struct{}

func (broken) Error() string { panic("no words") }

// RC07: each span that was begun has an end, also one that nobody records.
func TestSpansEnd_RC07(t *testing.T) {
	p := &counting{}
	traced(otel.Options{TracerProvider: p}, "k", trigger.Info{Added: time.Now()}, trigger.Run{}, nil)
	require.Equal(t, 1, p.begun)
	require.Equal(t, 1, p.ended)
}

// counting is a provider whose spans are not recorded; it counts them.
type counting struct {
	noop.TracerProvider
	begun, ended int
}

func (c *counting) Tracer(string, ...trace.TracerOption) trace.Tracer {
	return countingTracer{counting: c}
}

type countingTracer struct {
	noop.Tracer
	counting *counting
}

func (c countingTracer) Start(ctx context.Context, _ string, _ ...trace.SpanStartOption) (context.Context, trace.Span) {
	c.counting.begun++
	return ctx, countingSpan{counting: c.counting}
}

type countingSpan struct {
	noop.Span
	counting *counting
}

func (c countingSpan) End(...trace.SpanEndOption) { c.counting.ended++ }

// What a reconciler reckons with is told, and is no failure of the call.
func TestCallFails_RC07(t *testing.T) {
	pods := schema.GroupResource{Resource: "pods"}
	for name, tc := range map[string]struct {
		err  error
		kind any // nil for no failure
	}{
		"none":      {nil, nil},
		"notfound":  {apierrors.NewNotFound(pods, "a"), nil},
		"wrapped":   {fmt.Errorf("get: %w", apierrors.NewNotFound(pods, "a")), nil},
		"conflict":  {apierrors.NewConflict(pods, "a", errBoom), nil},
		"exists":    {apierrors.NewAlreadyExists(pods, "a"), nil},
		"canceled":  {context.Canceled, nil},
		"deadline":  {context.DeadlineExceeded, "_OTHER"},
		"forbidden": {apierrors.NewForbidden(pods, "a", errBoom), "Forbidden"},
		"other":     {errBoom, "_OTHER"},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := newRecorder()
			tracer := otel.New(otel.Options{TracerProvider: r})
			trip(t.Context(), tracer, "k", trigger.Info{}, func(ctx context.Context) (trigger.Run, error) {
				call(ctx, tracer, "read", "get", "Pod", tc.err)
				return trigger.Run{Class: "success"}, nil
			})
			span := r.named(t, "get Pod")
			require.Equal(t, tc.kind, attributes(span)["error.type"], name)
			require.Equal(t, tc.kind != nil, span.Status().Code == codes.Error, name)
			require.Equal(t, codes.Unset, r.named(t, "run").Status().Code, name)
			if tc.err == nil {
				require.Empty(t, span.Events(), name)
			} else {
				require.Equal(t, tc.err.Error(), message(t, span), name)
			}
		})
	}
}

// No text is too long for an exporter, nor not UTF-8, which would cost it the batch.
func TestTexts(t *testing.T) {
	odd := "a\xff" + strings.Repeat("ö", 1<<20)
	r := newRecorder()
	tracer := otel.New(otel.Options{TracerProvider: r, Name: odd})
	info := trigger.Info{LastClass: odd, Added: time.Now()}
	trip(t.Context(), tracer, odd, info, func(ctx context.Context) (trigger.Run, error) {
		_, ended := tracer.StartCall(ctx, "write", "create", odd)
		ended(errors.New(odd))
		return trigger.Run{Class: odd}, errors.New(odd)
	})
	texts := []string{}
	for _, span := range r.spans.Ended() {
		texts = append(texts, span.Name(), span.Status().Description)
		for _, a := range span.Attributes() {
			texts = append(texts, a.Value.Emit())
		}
		for range span.Events() {
			texts = append(texts, message(t, span))
		}
	}
	require.Greater(t, len(texts), 12)
	for _, s := range texts {
		require.LessOrEqual(t, len(s), 1024+2*len("\uFFFD"))
		require.True(t, utf8.ValidString(s))
	}
	name, _ := attributes(r.named(t, "reconcile"))["trimtab.controller"].(string)
	require.True(t, strings.HasPrefix(name, "a\uFFFDöö"))
}

// message is that of the one error that a span has as an event.
func message(t *testing.T, span sdktrace.ReadOnlySpan) string {
	t.Helper()
	require.Len(t, span.Events(), 1)
	require.Equal(t, "exception", span.Events()[0].Name)
	for _, a := range span.Events()[0].Attributes {
		if a.Key == "exception.message" {
			return a.Value.AsString()
		}
	}
	return ""
}
