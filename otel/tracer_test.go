package otel_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	api "go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/trimtab/trimtab/otel"
	"github.com/trimtab/trimtab/trigger"
)

// RC07: one trip round the loop is one trace, and each span is where its time went.
func TestTrip_RC07(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder()
		tracer := otel.New(otel.Options{TracerProvider: r, Name: "certificates"})
		start := time.Now()
		at := func(s int) time.Time { return start.Add(time.Duration(s) * time.Second) }
		time.Sleep(10 * time.Second)
		info := trigger.Info{
			Sources: trigger.SetOf(trigger.Watched, trigger.Retry), Attempt: 3, LastClass: "timeout", Priority: -10,
			Added: at(1), Ready: at(4), OwnRun: 2 * time.Second, Started: at(10),
		}
		trip(t.Context(), tracer, web, info, func(ctx context.Context) (trigger.Run, error) {
			call(ctx, tracer, "read", "get", "Certificate", nil)
			call(ctx, tracer, "status", "update", "Pod/status", errBoom)
			time.Sleep(time.Second)
			phases := trigger.Phases{Read: time.Second, Compute: 1500 * time.Millisecond, Status: time.Second}
			return trigger.Run{Class: "success", NoOp: true, Phases: phases}, nil
		})

		require.Len(t, r.spans.Ended(), 7)
		root, run := r.named(t, "reconcile"), r.named(t, "run")
		require.False(t, root.Parent().IsValid())
		for name, want := range map[string]struct {
			parent     sdktrace.ReadOnlySpan
			start, end int
		}{
			"delay":             {root, 1, 4},
			"own run":           {root, 4, 6},
			"wait":              {root, 6, 10},
			"run":               {root, 10, 13},
			"get Certificate":   {run, 10, 11},
			"update Pod/status": {run, 11, 12},
		} {
			span := r.named(t, name)
			require.Equal(t, want.parent.SpanContext().SpanID(), span.Parent().SpanID(), name)
			require.Equal(t, root.SpanContext().TraceID(), span.SpanContext().TraceID(), name)
			require.True(t, at(want.start).Equal(span.StartTime()), name)
			require.True(t, at(want.end).Equal(span.EndTime()), name)
		}
		require.True(t, at(1).Equal(root.StartTime()))
		require.True(t, at(13).Equal(root.EndTime()))
		require.Equal(t, map[attribute.Key]any{
			"trimtab.controller": "certificates", "trimtab.request": "shop/web", "k8s.namespace.name": "shop",
			"trimtab.trigger": []string{"watched", "retry"}, "trimtab.attempt": int64(3),
			"trimtab.last_class": "timeout", "trimtab.priority": int64(-10),
		}, attributes(root))
		require.Equal(t, map[attribute.Key]any{
			"trimtab.class": "success", "trimtab.noop": true,
			"trimtab.phase.read": 1.0, "trimtab.phase.compute": 1.5, "trimtab.phase.write": 0.0, "trimtab.phase.status": 1.0,
		}, attributes(run))
		require.Equal(t, map[attribute.Key]any{"trimtab.phase": "read"}, attributes(r.named(t, "get Certificate")))
		require.Equal(t, codes.Error, r.named(t, "update Pod/status").Status().Code)
		require.Equal(t, codes.Unset, run.Status().Code)
		require.Equal(t, codes.Unset, root.Status().Code)
	})
}

// RC07: the global provider is looked up for each run; a run stays with its own.
func TestProviderIsSwapped_RC07(t *testing.T) {
	before := api.GetTracerProvider()
	t.Cleanup(func() { api.SetTracerProvider(before) })
	first, second := newRecorder(), newRecorder()
	tracer := otel.New(otel.Options{})
	trip(t.Context(), tracer, "k", trigger.Info{}, returns("success")) // nobody listens yet
	api.SetTracerProvider(first)
	trip(t.Context(), tracer, "k", trigger.Info{}, func(ctx context.Context) (trigger.Run, error) {
		api.SetTracerProvider(second)
		_, ended := tracer.StartCall(ctx, "read", "get", "Pod")
		ended(nil)
		return trigger.Run{}, nil
	})
	require.Equal(t, []string{"get Pod", "run", "reconcile"}, first.names())
	require.Empty(t, second.names())

	trip(t.Context(), tracer, "k", trigger.Info{}, returns("success"))
	require.Len(t, first.names(), 3)
	require.Equal(t, []string{"run", "reconcile"}, second.names())
}

// A host's span is the parent of all; a span of the reconciler's own is that of its calls.
func TestSpansOfOthers(t *testing.T) {
	r := newRecorder()
	tracer := otel.New(otel.Options{TracerProvider: r})
	ctx, host := r.Tracer("host").Start(t.Context(), "host")
	trip(ctx, tracer, "k", trigger.Info{}, func(ctx context.Context) (trigger.Run, error) {
		ctx, own := trace.SpanFromContext(ctx).TracerProvider().Tracer("own").Start(ctx, "issue")
		defer own.End()
		_, ended := tracer.StartCall(ctx, "write", "create", "Secret")
		ended(nil)
		return trigger.Run{}, nil
	})
	host.End()
	require.Equal(t, host.SpanContext().SpanID(), r.named(t, "reconcile").Parent().SpanID())
	require.Equal(t, r.named(t, "run").SpanContext().SpanID(), r.named(t, "issue").Parent().SpanID())
	require.Equal(t, r.named(t, "issue").SpanContext().SpanID(), r.named(t, "create Secret").Parent().SpanID())
}

// A run that is not sampled has no spans, and what it calls learns that.
func TestNotSampled(t *testing.T) {
	r := newRecorder(sdktrace.WithSampler(sdktrace.NeverSample()))
	tracer := otel.New(otel.Options{TracerProvider: r})
	trip(t.Context(), tracer, "k", trigger.Info{}, func(ctx context.Context) (trigger.Run, error) {
		require.True(t, trace.SpanContextFromContext(ctx).IsValid())
		inner, ended := tracer.StartCall(ctx, "read", "get", "Pod")
		require.Equal(t, ctx, inner)
		ended(errBoom)
		tracer.ReadOwn(ctx, map[string]string{"traceparent": parent})
		return trigger.Run{}, errBoom
	})
	require.Empty(t, r.names())
}

// RC05: runs at once have traces of their own, and their calls are in them.
func TestParallelRuns_RC05(t *testing.T) {
	r := newRecorder()
	tracer := otel.New(otel.Options{TracerProvider: r})
	var ids sync.Map
	var wg, all sync.WaitGroup
	all.Add(8)
	for range 8 {
		wg.Go(func() {
			trip(t.Context(), tracer, web, trigger.Info{}, func(ctx context.Context) (trigger.Run, error) {
				all.Done()
				all.Wait()
				ids.Store(otel.TraceID(ctx), true)
				tracer.ReadOwn(ctx, map[string]string{"traceparent": parent})
				var calls sync.WaitGroup
				for range 4 {
					calls.Go(func() {
						inner, ended := tracer.StartCall(ctx, "read", "get", "Pod")
						defer ended(nil)
						if otel.TraceID(inner) != otel.TraceID(ctx) {
							t.Error("a call is in another trace than its run")
						}
					})
				}
				calls.Wait()
				return trigger.Run{}, nil
			})
		})
	}
	wg.Wait()
	count := 0
	ids.Range(func(id, _ any) bool {
		count++
		require.Len(t, id, 32)
		return true
	})
	require.Equal(t, 8, count)
	require.Len(t, r.spans.Ended(), 8*(2+4))
}

func TestPanicEndsTheSpans_RC07(t *testing.T) {
	r := newRecorder()
	require.Panics(t, func() {
		trip(t.Context(), otel.New(otel.Options{TracerProvider: r}), "k", trigger.Info{}, func(context.Context) (trigger.Run, error) { panic("x") })
	})
	require.Equal(t, []string{"run", "reconcile"}, r.names())
	require.Equal(t, "panic", attributes(r.named(t, "run"))["error.type"])
	require.Equal(t, codes.Error, r.named(t, "reconcile").Status().Code)
}

// RC07: what nobody records costs next to nothing: the API's own three allocations
// for a start time and a context, and none of ours.
func TestCostUnrecorded_RC07(t *testing.T) {
	tracer := otel.New(otel.Options{TracerProvider: noop.NewTracerProvider()})
	ctx, info := t.Context(), trigger.Info{Sources: trigger.All, Added: time.Now(), Started: time.Now()}
	var req any = web
	run := func() {
		ctx, ended := tracer.StartRun(ctx, req, info)
		_, called := tracer.StartCall(ctx, "read", "get", "Pod")
		tracer.ReadOwn(ctx, map[string]string(nil))
		called(nil)
		ended(trigger.Run{}, nil)
	}
	require.Equal(t, 3.0, testing.AllocsPerRun(100, run))
}
