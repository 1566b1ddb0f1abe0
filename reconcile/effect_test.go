package reconcile_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trimtab/trimtab/reconcile"
	"github.com/trimtab/trimtab/trigger"
)

// EE04: a run that wrote nothing is told apart, since many of them are a storm
// without a cause. What was tried counts, a dry run does not.
func TestNoOp_EE04(t *testing.T) {
	obj, patch, dry := configMap("b"), client.RawPatch("", nil), client.DryRunAll
	config := corev1ac.ConfigMap("b", "ns")
	type do = func(context.Context, client.Client) error
	for name, tc := range map[string]struct {
		do   do
		noOp bool
	}{
		"nothing": {func(context.Context, client.Client) error { return nil }, true},
		"get": {func(ctx context.Context, c client.Client) error {
			return c.Get(ctx, client.ObjectKeyFromObject(obj), obj)
		}, true},
		"get of a subresource": {func(ctx context.Context, c client.Client) error { return c.SubResource("scale").Get(ctx, obj, obj) }, true},
		"effect":               {func(ctx context.Context, _ client.Client) error { reconcile.Effect(ctx); return nil }, false},

		"create": {func(ctx context.Context, c client.Client) error { return c.Create(ctx, obj) }, false},
		"update": {func(ctx context.Context, c client.Client) error { return c.Update(ctx, obj) }, false},
		"patch":  {func(ctx context.Context, c client.Client) error { return c.Patch(ctx, obj, patch) }, false},
		"apply":  {func(ctx context.Context, c client.Client) error { return c.Apply(ctx, config) }, false},
		"delete": {func(ctx context.Context, c client.Client) error { return c.Delete(ctx, obj) }, false},
		"all":    {func(ctx context.Context, c client.Client) error { return c.DeleteAllOf(ctx, obj) }, false},
		"status": {func(ctx context.Context, c client.Client) error { return c.Status().Update(ctx, obj) }, false},
		"evict": {func(ctx context.Context, c client.Client) error {
			return c.SubResource("eviction").Create(ctx, obj, obj)
		}, false},
		"owner": {func(ctx context.Context, c client.Client) error { return c.Update(ctx, obj, client.FieldOwner("x")) }, false},

		"dry create": {func(ctx context.Context, c client.Client) error { return c.Create(ctx, obj, dry) }, true},
		"dry update": {func(ctx context.Context, c client.Client) error { return c.Update(ctx, obj, dry) }, true},
		"dry patch":  {func(ctx context.Context, c client.Client) error { return c.Patch(ctx, obj, patch, dry) }, true},
		"dry apply":  {func(ctx context.Context, c client.Client) error { return c.Apply(ctx, config, dry) }, true},
		"dry delete": {func(ctx context.Context, c client.Client) error { return c.Delete(ctx, obj, dry) }, true},
		"dry all":    {func(ctx context.Context, c client.Client) error { return c.DeleteAllOf(ctx, obj, dry) }, true},
		"dry evict": {func(ctx context.Context, c client.Client) error {
			return c.SubResource("eviction").Create(ctx, obj, obj, dry)
		}, true},
		"dry status":          {func(ctx context.Context, c client.Client) error { return c.Status().Update(ctx, obj, dry) }, true},
		"dry patch of status": {func(ctx context.Context, c client.Client) error { return c.Status().Patch(ctx, obj, patch, dry) }, true},
		"dry apply of status": {func(ctx context.Context, c client.Client) error { return c.Status().Apply(ctx, config, dryApply{}) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			b := run(t, &slow{}, func(ctx context.Context, c client.Client) error {
				require.NoError(t, c.List(ctx, list()))
				return tc.do(ctx, c)
			})
			require.Equal(t, tc.noOp, b.ran.NoOp)
			require.True(t, b.ran.Converged)
		})
	}
}

// A failed write may have changed something all the same.
func TestFailedWriteIsNoNoOp(t *testing.T) {
	b := run(t, &slow{err: errBoom}, func(ctx context.Context, c client.Client) error {
		_ = c.Update(ctx, configMap("b"))
		return nil
	})
	require.False(t, b.ran.NoOp)
}

// Whether a run changed something is unknown until some run has used the client.
func TestNoOpUnknownWithoutClient(t *testing.T) {
	b := &book{}
	c := reconcile.Client(&slow{})
	reads := false
	r := chain(b, func(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
		if !reads {
			return reconcile.Result{}, nil
		}
		return reconcile.Result{}, c.List(ctx, list())
	})
	for _, want := range []bool{false, true} {
		_, err := r.Reconcile(t.Context(), request("a"))
		require.NoError(t, err)
		require.Equal(t, want, b.ran.NoOp)
		reads = true
	}
	reads = false
	_, err := r.Reconcile(t.Context(), request("a"))
	require.NoError(t, err)
	require.True(t, b.ran.NoOp)
}

// A run has converged if it needs no further attempt.
func TestConverged(t *testing.T) {
	for name, tc := range map[string]struct {
		result reconcile.Result
		err    error
		want   bool
	}{
		"done":    {reconcile.Result{}, nil, true},
		"later":   {reconcile.Result{RequeueAfter: 1}, nil, true},
		"requeue": {reconcile.Result{Requeue: true}, nil, false}, //nolint:staticcheck // Deprecated, and still in use.
		"error":   {reconcile.Result{}, errBoom, false},
	} {
		t.Run(name, func(t *testing.T) {
			b := &book{}
			_, _ = chain(b, returns(tc.result, tc.err)).Reconcile(t.Context(), request("a"))
			require.Equal(t, tc.want, b.ran.Converged)
			require.False(t, b.ran.NoOp)
		})
	}
}

func TestEffectOutsideARun(*testing.T) { reconcile.Effect(context.Background()) }

func ExampleEffect() {
	c := reconcile.Client(&slow{})
	r := reconcile.New[reconcile.Request](
		reconcile.Func(func(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
			if req.Name == "new" {
				reconcile.Effect(ctx) // A DNS record was made.
			}
			return reconcile.Result{}, c.List(ctx, list())
		}),
		reconcile.Options[reconcile.Request]{Observer: noOpPrinter{}},
	)
	for _, name := range []string{"new", "old"} {
		_, _ = r.Reconcile(context.Background(), request(name))
	}
	// Output:
	// no-op: false
	// no-op: true
}

type noOpPrinter struct{ printer }

func (noOpPrinter) Ran(run trigger.Run) { fmt.Println("no-op:", run.NoOp) }

// dryApply is an option of a user's own.
type dryApply struct{}

func (dryApply) ApplyToSubResourceApply(o *client.SubResourceApplyOptions) {
	o.DryRun = []string{"All"}
}
