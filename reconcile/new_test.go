package reconcile_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"github.com/trimtab/trimtab/reconcile"
)

// clusterRequest is a request of a user's own.
type clusterRequest struct {
	Cluster string
	reconcile.Request
}

func TestNewRefuses(t *testing.T) {
	opts := reconcile.Options[string]{For: &corev1.Secret{}}
	r := reconcile.TypedFunc[string](func(context.Context, string) (reconcile.Result, error) { return reconcile.Result{}, nil })
	require.PanicsWithError(t, opts.Validate().Error(), func() { reconcile.New[string](r, opts) })

	const want = "reconcile: New(nil): the reconciler must not be nil"
	require.PanicsWithError(t, want, func() { reconcile.New[string](nil, reconcile.Options[string]{}) })
	require.PanicsWithError(t, want, func() { reconcile.New[string](reconcile.TypedFunc[string](nil), reconcile.Options[string]{}) })
}

func ExampleNew() {
	r := reconcile.New[reconcile.Request](
		reconcile.Func(func(_ context.Context, req reconcile.Request) (reconcile.Result, error) {
			fmt.Println("reconciling", req.Name)
			return reconcile.Result{}, nil
		}),
		reconcile.Options[reconcile.Request]{Observer: printer{}},
	)
	_, err := r.Reconcile(context.Background(), request("web"))
	fmt.Println(err)
	// Output:
	// reconciling web
	// a run of class success
	// <nil>
}
