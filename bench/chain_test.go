package bench_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/controller"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/metrics"
	"github.com/trimtab/trimtab/reconcile"
)

// wrapper puts a reconciler into what its maker has for that, with all of it or with
// the least that still counts. The keys are those that will run.
type wrapper struct {
	name string
	wrap func(r reconcile.Reconciler, all bool, keys []request) reconcile.Reconciler
}

func wrappers() []wrapper {
	return []wrapper{
		{ours, func(r reconcile.Reconciler, all bool, keys []request) reconcile.Reconciler {
			if all {
				return inFlight(r, keys)
			}
			counts := metrics.New(metrics.Options{}).Controller("bench")
			return reconcile.New(r, reconcile.Options[request]{Observer: counts})
		}},
		{bare, func(r reconcile.Reconciler, _ bool, _ []request) reconcile.Reconciler { return r }},
		{flux, func(r reconcile.Reconciler, all bool, _ []request) reconcile.Reconciler { return newFlux(r, all) }},
		{operatorpkg, func(r reconcile.Reconciler, all bool, _ []request) reconcile.Reconciler {
			return newOperatorpkg(r, all)
		}},
	}
}

// join returns r in a new loop and the queue of that, as a controller of that name
// would have them.
func join(name string, r reconcile.Reconciler, reg prometheus.Registerer, base controller.Options) (reconcile.Reconciler, queueInterface) {
	return joinLoop(newLoop(name, reg), name, r, base)
}

func newLoop(name string, reg prometheus.Registerer) *trimtab.Loop {
	return trimtab.New(name, trimtab.Options{For: &corev1.ConfigMap{}, Registerer: reg})
}

func joinLoop(l *trimtab.Loop, name string, r reconcile.Reconciler, base controller.Options) (reconcile.Reconciler, queueInterface) {
	wrapped, opts := l.Reconciler(r), l.ControllerOptions(base)
	return wrapped, opts.NewQueue(name, opts.RateLimiter)
}

// inFlight returns r in a loop whose queue has handed out the keys, as it would have
// to workers: their runs can be measured without the queue's own part.
func inFlight(r reconcile.Reconciler, keys []request) reconcile.Reconciler {
	wrapped, q := join("bench", r, prometheus.NewRegistry(), controller.Options{})
	for _, key := range keys {
		q.Add(key)
	}
	for range keys {
		q.Get()
	}
	return wrapped
}

// idle is a reconciler that does nothing.
type idle struct{}

func (idle) Reconcile(context.Context, reconcile.Request) (reconcile.Result, error) {
	return reconcile.Result{}, nil
}

// caught is a reconciler that lets go of the context it is called with.
type caught chan context.Context

func (c caught) Reconcile(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
	c <- ctx
	return reconcile.Result{}, nil
}

// controllerContext returns a context such as controller-runtime gives to a run: with
// a logger and an id. The controller idles until the benchmark ends.
func controllerContext(b *testing.B) context.Context {
	b.Helper()
	contexts := make(caught, 1)
	_, stop := startController(b, controller.Options{Reconciler: contexts}, 1, func(q queueInterface) { q.Add(request{}) })
	b.Cleanup(stop)
	return <-contexts
}

// BenchmarkChain runs a reconciler that does nothing, in what libraries put around one.
func BenchmarkChain(b *testing.B) {
	keys := requests(1000)
	ctx := controllerContext(b)
	for _, op := range []string{"all-of-it", "without-queue-and-conditions"} {
		for _, w := range wrappers() {
			r := w.wrap(idle{}, op == "all-of-it", keys)
			b.Run(fmt.Sprintf("op=%s/by=%s", op, w.name), func(b *testing.B) {
				for _, key := range keys { // so that what stays is there
					_, err := r.Reconcile(ctx, key)
					require.NoError(b, err)
				}
				b.ReportAllocs()
				i := 0
				for b.Loop() {
					_, _ = r.Reconcile(ctx, keys[i%len(keys)])
					i++
				}
			})
		}
	}
}
