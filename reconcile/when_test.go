package reconcile_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/reconcile"
)

// When builds its middleware once, so that what that remembers stays, and chooses
// for each run.
func TestWhen(t *testing.T) {
	built, inside, runs := 0, 0, 0
	m := reconcile.When(
		func(_ context.Context, req clusterRequest) bool { return req.Cluster == "far" },
		func(next reconcile.TypedReconciler[clusterRequest]) reconcile.TypedReconciler[clusterRequest] {
			built++
			return reconcile.TypedFunc[clusterRequest](func(ctx context.Context, req clusterRequest) (reconcile.Result, error) {
				inside++
				return next.Reconcile(ctx, req)
			})
		})
	r := reconcile.Chain[clusterRequest](reconcile.TypedFunc[clusterRequest](func(context.Context, clusterRequest) (reconcile.Result, error) {
		runs++
		return reconcile.Result{}, errBoom
	}), m)
	for _, cluster := range []string{"near", "far", "near", "far", "far"} {
		_, err := r.Reconcile(t.Context(), clusterRequest{Cluster: cluster})
		require.ErrorIs(t, err, errBoom)
	}
	require.Equal(t, []int{1, 3, 5}, []int{built, inside, runs})
}

func TestWhenRefusesNil(t *testing.T) {
	const want = "reconcile: When(nil): neither the condition nor the middleware must be nil"
	require.PanicsWithError(t, want, func() { reconcile.When[string](nil, reconcile.Recover[string]) })
	require.PanicsWithError(t, want, func() { reconcile.When(func(context.Context, string) bool { return true }, nil) })
}

func ExampleWhen() {
	far := func(_ context.Context, req reconcile.Request) bool { return req.Namespace == "far" }
	says := func(next reconcile.Reconciler) reconcile.Reconciler {
		return reconcile.Func(func(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
			fmt.Println("far:", req.Name)
			return next.Reconcile(ctx, req)
		})
	}
	r := reconcile.Chain[reconcile.Request](returns(reconcile.Result{}, nil), reconcile.When(far, says))
	for _, namespace := range []string{"near", "far"} {
		req := request("web")
		req.Namespace = namespace
		_, _ = r.Reconcile(context.Background(), req)
	}
	// Output: far: web
}
