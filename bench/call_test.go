package bench_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"

	"github.com/trimtab/trimtab/reconcile"
)

// nothing is a client that does nothing.
type nothing struct{ client.Client }

// Get implements client.Reader.
func (nothing) Get(context.Context, client.ObjectKey, client.Object, ...client.GetOption) error {
	return nil
}

// BenchmarkCall reads an object by a client that does nothing, bare and as a loop's
// client, in a run of that loop.
func BenchmarkCall(b *testing.B) {
	keys, ctx := requests(2), controllerContext(b)
	for i, op := range []string{"own-object", "another-object"} {
		benchmarkCall(b, op+",-in-a-run", keys[i], func(measure func(context.Context)) {
			r, q := join("bench", reconcile.Func(func(ctx context.Context, _ request) (reconcile.Result, error) {
				measure(ctx)
				return reconcile.Result{}, nil
			}), prometheus.NewRegistry(), controller.Options{})
			q.Add(keys[0])
			q.Get()
			_, err := r.Reconcile(ctx, keys[0])
			require.NoError(b, err)
		})
	}
	benchmarkCall(b, "an-object,-in-no-run", keys[0], func(measure func(context.Context)) { measure(ctx) })
}

func benchmarkCall(b *testing.B, op string, key request, in func(measure func(context.Context))) {
	b.Helper()
	for _, c := range []struct {
		name string
		client.Client
	}{{ours, reconcile.Client(nothing{})}, {bare, nothing{}}} {
		b.Run(fmt.Sprintf("op=%s/by=%s", op, c.name), func(b *testing.B) {
			in(func(ctx context.Context) {
				obj := &corev1.ConfigMap{}
				b.ReportAllocs()
				for b.Loop() {
					_ = c.Get(ctx, key.NamespacedName, obj)
				}
			})
		})
	}
}
