package reconcile_test

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trimtab/trimtab/reconcile"
	"github.com/trimtab/trimtab/trigger"
)

// span is in the context of what is traced.
type span struct{}

// spans is a Tracer that writes down what it is told.
type spans struct{ book }

func (s *spans) StartRun(ctx context.Context, req any, info trigger.Info) (context.Context, func(trigger.Run, error)) {
	s.write("run %v %s", req, info.Sources)
	return context.WithValue(ctx, span{}, "run"), func(run trigger.Run, err error) {
		s.write("ran %s %s: %v", run.Class, run.TraceID, err)
	}
}

func (s *spans) StartCall(ctx context.Context, phase, verb, kind string) (context.Context, func(error)) {
	s.write("call in %v: %s %s %s", ctx.Value(span{}), phase, verb, kind)
	return context.WithValue(ctx, span{}, "call"), func(err error) { s.write("called: %v", err) }
}

func (s *spans) ReadOwn(ctx context.Context, annotations map[string]string) {
	s.write("own in %v: %v", ctx.Value(span{}), annotations)
}

func traced(s *spans, f reconcile.Func) reconcile.Reconciler {
	return reconcile.New[reconcile.Request](f, reconcile.Options[reconcile.Request]{
		Tracer:  s,
		TraceID: func(ctx context.Context) string { return ctx.Value(span{}).(string) + "-id" },
		For:     configMap(""),
	})
}

// RC07: a run and its calls are traced, each within the other, and the tracer sees
// the annotations of the own object once.
func TestTracer_RC07(t *testing.T) {
	s := &spans{}
	c := reconcile.Client(spanned{})
	_, err := traced(s, func(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
		require.Equal(t, "run", ctx.Value(span{}))
		obj := configMap("a")
		for range 2 {
			require.NoError(t, c.Get(ctx, req.NamespacedName, obj))
		}
		require.NoError(t, c.Get(ctx, client.ObjectKey{Name: "other"}, obj))
		return reconcile.Result{}, c.Update(ctx, configMap("b"))
	}).Reconcile(t.Context(), request("a"))
	require.ErrorIs(t, err, errBoom)
	require.Equal(t, []string{
		"run ns/a unknown",
		"call in run: read get ConfigMap", "own in run: map[parent:call]", "called: <nil>",
		"call in run: read get ConfigMap", "called: <nil>",
		"call in run: read get ConfigMap", "called: <nil>",
		"call in run: write update ConfigMap", "called: boom",
		"ran error run-id: boom",
	}, s.lines)
}

// spanned is a client that tells in which span it is called.
type spanned struct{ client.WithWatch }

func (spanned) Get(ctx context.Context, _ client.ObjectKey, obj client.Object, _ ...client.GetOption) error {
	obj.SetAnnotations(map[string]string{"parent": ctx.Value(span{}).(string)})
	return nil
}

func (spanned) Update(context.Context, client.Object, ...client.UpdateOption) error { return errBoom }

// RC07: a status write, and what is written of it by Apply, is in the phase of status.
func TestTracedPhases_RC07(t *testing.T) {
	s := &spans{}
	c := reconcile.Client(&slow{})
	_, err := traced(s, func(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
		return reconcile.Result{}, c.Status().Update(ctx, configMap("b"))
	}).Reconcile(t.Context(), request("a"))
	require.NoError(t, err)
	require.Equal(t, "call in run: status update ConfigMap/status", s.lines[1])
}

// RC07: the trace of a run ends once, however the run does, with the error that it
// had, even if the controller does not see that.
func TestTraceEnds_RC07(t *testing.T) {
	for name, tc := range map[string]struct {
		f    reconcile.Func
		want string
	}{
		"success": {returns(reconcile.Result{}, nil), "ran success run-id: <nil>"},
		"panic":   {does(func() { panic("x") }), "ran panic run-id: reconcile: panic: x"},
		"canceled": {func(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
			return reconcile.Result{}, ctx.Err()
		}, "ran canceled run-id: context canceled"},
		"goexit": {does(runtime.Goexit), "ran panic run-id: reconcile: the reconciler called runtime.Goexit, and a worker of the controller is lost"},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			s := &spans{}
			var wg sync.WaitGroup
			wg.Go(func() {
				defer func() { _ = recover() }()
				_, _ = traced(s, tc.f).Reconcile(ctx, request("a"))
			})
			wg.Wait()
			require.Equal(t, []string{"run ns/a unknown", tc.want}, s.lines)
		})
	}
}

// The trace of a quiet failure has its error.
func TestTraceOfAQuietFailure_RC07(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &spans{}
		runs := 0
		h := start(t, 1, reconcile.Options[string]{Tracer: s}, func(context.Context, string) (reconcile.Result, error) {
			if runs++; runs == 1 {
				return reconcile.Result{}, conflict
			}
			return reconcile.Result{}, nil
		})
		h.queue.Add("k")
		synctest.Wait()
		require.Equal(t, 1, count(s.lines, "ran conflict : "+conflict.Error()))
	})
}

func TestTracerOfNil(t *testing.T) {
	opts := reconcile.Options[string]{Tracer: (*spans)(nil)}
	require.EqualError(t, opts.Validate(), "reconcile: Tracer (*reconcile_test.spans)(nil): must point to a tracer")
}
