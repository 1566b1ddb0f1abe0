package reconcile_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trimtab/trimtab/reconcile"
)

// allocations returns those of a run of a chain that does nothing.
func allocations(ctx context.Context, opts reconcile.Options[reconcile.Request]) float64 {
	b := &silent{}
	opts.Observer = b
	r, req := reconcile.New[reconcile.Request](returns(reconcile.Result{}, nil), opts), request("a")
	return testing.AllocsPerRun(1000, func() { _, _ = r.Reconcile(ctx, req) })
}

// The default chain costs two allocations for each run: the run, and the context
// that carries its trigger.Info. What is turned off costs nothing.
func TestChainAllocations(t *testing.T) {
	require.LessOrEqual(t, allocations(t.Context(), reconcile.Options[reconcile.Request]{}), 2.0)
	require.LessOrEqual(t, allocations(t.Context(), reconcile.Options[reconcile.Request]{
		Class:         func(error) string { return "" },
		ConvertPanics: true,
		TraceID:       func(context.Context) string { return "" },
	}), 2.0)
}

// It is the same in a context of controller-runtime's, which has an id and a logger.
func TestChainAllocationsInController(t *testing.T) {
	var got float64
	synctest.Test(t, func(t *testing.T) {
		h := start(t, 1, reconcile.Options[string]{}, func(ctx context.Context, _ string) (reconcile.Result, error) {
			got = allocations(ctx, reconcile.Options[reconcile.Request]{})
			return reconcile.Result{}, nil
		})
		h.queue.Add("k")
		synctest.Wait()
	})
	require.LessOrEqual(t, got, 2.0)
}

// A deadline costs seven more: the four of context.WithTimeoutCause, the context
// that knows of it, and the timer and the func that tell of a run that overstays.
func TestDeadlineAllocations(t *testing.T) {
	opts := reconcile.Options[reconcile.Request]{Deadline: reconcile.DeadlineOptions{Timeout: time.Hour}}
	require.LessOrEqual(t, allocations(t.Context(), opts), 2+7.0)
}

// The accounting client costs at most one allocation for each call, which is the
// wrapper of a subresource's client.
func TestClientAllocations(t *testing.T) {
	obj, list, key, config := configMap("b"), list(), client.ObjectKey{Namespace: "ns", Name: "b"}, corev1ac.ConfigMap("b", "ns")
	patch := client.RawPatch("", nil)
	_, err := silently(func(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
		for name, do := range map[string]func(c client.Client){
			"get":    func(c client.Client) { _ = c.Get(ctx, key, obj) },
			"list":   func(c client.Client) { _ = c.List(ctx, list) },
			"create": func(c client.Client) { _ = c.Create(ctx, obj) },
			"update": func(c client.Client) { _ = c.Update(ctx, obj) },
			"patch":  func(c client.Client) { _ = c.Patch(ctx, obj, patch) },
			"apply":  func(c client.Client) { _ = c.Apply(ctx, config) },
			"delete": func(c client.Client) { _ = c.Delete(ctx, obj) },
			"all":    func(c client.Client) { _ = c.DeleteAllOf(ctx, obj) },
			"status": func(c client.Client) { _ = c.Status().Update(ctx, obj) },
			"scale":  func(c client.Client) { _ = c.SubResource("scale").Get(ctx, obj, obj) },
		} {
			bare, accounting := client.Client(&slow{}), reconcile.Client(&slow{})
			base := testing.AllocsPerRun(100, func() { do(bare) })
			require.LessOrEqual(t, testing.AllocsPerRun(100, func() { do(accounting) })-base, 1.0, name)
		}
		return reconcile.Result{}, nil
	}).Reconcile(t.Context(), request("a"))
	require.NoError(t, err)
}

// silently is the usual chain around f, for which nobody writes a book.
func silently(f reconcile.Func) reconcile.Reconciler {
	return reconcile.New[reconcile.Request](f, reconcile.Options[reconcile.Request]{Observer: &silent{}, For: configMap("")})
}
