package bench_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/go-logr/logr"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/reconcile"
)

type (
	queueInterface = workqueue.TypedRateLimitingInterface[request]
	optionsFunc    = func(reconcile.Reconciler) controller.Options
)

// contender is the options of a controller under the name of whose queue it has.
type contender struct {
	name    string
	options optionsFunc
}

// controllers are controller-runtime's controller with our loop, with its own
// defaults, and with client-go's plain queue. All have a name and metrics.
func controllers(loop trimtab.Options) []contender {
	plain := false
	return []contender{
		{ours, func(r reconcile.Reconciler) controller.Options {
			l := trimtab.New("bench", loop)
			return l.ControllerOptions(controller.Options{Reconciler: l.Reconciler(r)})
		}},
		{controllerRuntime, func(r reconcile.Reconciler) controller.Options {
			return controller.Options{Reconciler: r}
		}},
		{clientGo, func(r reconcile.Reconciler) controller.Options {
			return controller.Options{Reconciler: r, UsePriorityQueue: &plain}
		}},
	}
}

// startController starts a controller that has the queue filled before its workers come, and
// returns its queue and what ends it.
func startController(tb testing.TB, opts controller.Options, workers int, fill func(queueInterface)) (queueInterface, func()) {
	tb.Helper()
	skip := true
	opts.SkipNameValidation, opts.MaxConcurrentReconciles, opts.Logger = &skip, workers, logr.Discard()
	c, err := controller.NewUnmanaged("bench", opts)
	require.NoError(tb, err)
	ready := make(chan queueInterface, 1)
	require.NoError(tb, c.Watch(source.Func(func(_ context.Context, q queueInterface) error {
		fill(q)
		ready <- q
		return nil
	})))
	ctx, cancel := context.WithCancel(tb.Context())
	ended := make(chan error, 1)
	go func() { ended <- c.Start(ctx) }()
	return <-ready, func() {
		cancel()
		require.NoError(tb, <-ended)
	}
}

// BenchmarkReconcile measures a reconcile that does nothing, with its add. Either the
// workers wait until all is added, or they work meanwhile.
func BenchmarkReconcile(b *testing.B) {
	n := size(100_000, 10_000)
	keys := requests(n)
	for _, mode := range []string{"before", "meanwhile"} {
		for _, workers := range []int{1, 8} {
			for _, c := range controllers(trimtab.Options{For: &corev1.ConfigMap{}}) {
				b.Run(fmt.Sprintf("keys=%d/workers=%d/adds=%s/by=%s", n, workers, mode, c.name), func(b *testing.B) {
					r := &runs{done: make(chan struct{})}
					q, stop := startController(b, c.options(r), workers, func(queueInterface) {})
					var m meter
					r.all(q, keys, mode == "before")
					m.start()
					for b.Loop() {
						r.all(q, keys, mode == "before")
					}
					m.stop()
					perKey(b, n, &m)
					stop()
				})
			}
		}
	}
}

// runs is a reconciler that counts.
type runs struct {
	gate atomic.Pointer[chan struct{}] // closed when the workers may go on; nil means at once
	left atomic.Int64
	done chan struct{}
}

// all adds the keys and waits until all have run.
func (r *runs) all(q queueInterface, keys []request, before bool) {
	r.left.Store(int64(len(keys)))
	gate := make(chan struct{})
	if before {
		r.gate.Store(&gate)
	}
	for _, key := range keys {
		q.Add(key)
	}
	r.gate.Store(nil)
	close(gate)
	<-r.done
}

func (r *runs) Reconcile(context.Context, reconcile.Request) (reconcile.Result, error) {
	if gate := r.gate.Load(); gate != nil {
		<-*gate
	}
	if r.left.Add(-1) == 0 {
		r.done <- struct{}{}
	}
	return reconcile.Result{}, nil
}
