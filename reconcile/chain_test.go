package reconcile_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/reconcile"
)

// says is middleware that writes its name on the way in and out.
func says(log *[]string, name string) reconcile.Middleware[string] {
	return func(next reconcile.TypedReconciler[string]) reconcile.TypedReconciler[string] {
		return reconcile.TypedFunc[string](func(ctx context.Context, req string) (reconcile.Result, error) {
			*log = append(*log, name+" in")
			defer func() { *log = append(*log, name+" out") }()
			return next.Reconcile(ctx, req)
		})
	}
}

func TestChainOrder(t *testing.T) {
	var log []string
	r := reconcile.Chain[string](reconcile.TypedFunc[string](func(context.Context, string) (reconcile.Result, error) {
		log = append(log, "run")
		return reconcile.Result{}, errBoom
	}), says(&log, "a"), says(&log, "b"))

	_, err := r.Reconcile(t.Context(), "x")
	require.ErrorIs(t, err, errBoom)
	require.Equal(t, []string{"a in", "b in", "run", "b out", "a out"}, log)
}

func TestChainOfNone(t *testing.T) {
	ran := false
	r := reconcile.Chain[string](reconcile.TypedFunc[string](func(context.Context, string) (reconcile.Result, error) {
		ran = true
		return reconcile.Result{}, nil
	}))
	_, err := r.Reconcile(t.Context(), "x")
	require.NoError(t, err)
	require.True(t, ran)
}

// The middleware works alone: without Instrument it changes nothing.
func TestWithoutInstrument(t *testing.T) {
	inner := reconcile.TypedFunc[string](func(context.Context, string) (reconcile.Result, error) {
		return reconcile.Result{RequeueAfter: 7}, nil
	})
	r := reconcile.Chain[string](inner, reconcile.Classify, reconcile.Recover)
	result, err := r.Reconcile(t.Context(), "x")
	require.NoError(t, err)
	require.Equal(t, reconcile.Result{RequeueAfter: 7}, result)

	panics := reconcile.TypedFunc[string](func(context.Context, string) (reconcile.Result, error) { panic("x") })
	require.PanicsWithValue(t, "x", func() {
		_, _ = reconcile.Chain[string](panics, reconcile.Recover).Reconcile(t.Context(), "x")
	})
}

func TestChainRefuses(t *testing.T) {
	r := reconcile.TypedFunc[string](func(context.Context, string) (reconcile.Result, error) { return reconcile.Result{}, nil })
	none := func(reconcile.TypedReconciler[string]) reconcile.TypedReconciler[string] { return nil }
	for want, f := range map[string]func(){
		"reconcile: Chain(nil): the reconciler must not be nil":                      func() { reconcile.Chain[string](nil, reconcile.Recover) },
		"reconcile: Chain: middleware[1] nil: must be a func":                        func() { reconcile.Chain[string](r, reconcile.Recover, nil) },
		"reconcile: Chain: middleware[0] has returned nil: must return a reconciler": func() { reconcile.Chain[string](r, none) },
	} {
		require.PanicsWithError(t, want, f)
	}
}

func ExampleChain() {
	r := reconcile.Func(func(_ context.Context, req reconcile.Request) (reconcile.Result, error) {
		fmt.Println("reconciling", req.Name)
		return reconcile.Result{}, nil
	})
	chained := reconcile.Chain[reconcile.Request](r, reconcile.Classify, reconcile.Recover)

	_, err := chained.Reconcile(context.Background(), request("web"))
	fmt.Println(err)
	// Output:
	// reconciling web
	// <nil>
}
