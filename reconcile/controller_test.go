package reconcile_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	ctrlmetrics "sigs.k8s.io/controller-runtime/pkg/metrics"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/trimtab/trimtab/queue"
	"github.com/trimtab/trimtab/ratelimit"
	"github.com/trimtab/trimtab/reconcile"
	"github.com/trimtab/trimtab/trigger"
)

// host is controller-runtime's own controller with a queue of Trimtab's, in a bubble
// of fake time. Its retries wait 10 ms, 20 ms, 40 ms and so on.
type host[T comparable] struct {
	book
	name   string
	queue  *queue.Queue[T]
	stop   context.CancelFunc // the manager's end
	errors []string           // what was logged as an error
	before map[string]float64 // what the counters stood at, which outlive a controller
}

// Running implements reconcile.Queue.
func (h *host[T]) Running(request T) (trigger.Info, bool) { return h.queue.Running(request) }

// Report implements reconcile.Queue.
func (h *host[T]) Report(request T, o queue.Outcome) {
	h.queue.Report(request, o)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.outcome = o
}

// start runs r in the usual chain. It ends with the test, and leaves no goroutine.
func start[T comparable](t *testing.T, workers int, opts reconcile.Options[T], r reconcile.TypedFunc[T]) *host[T] {
	t.Helper()
	h := &host[T]{name: t.Name()}
	opts.Queue, opts.Observer = h, h
	skip := true
	c, err := controller.NewTypedUnmanaged(h.name, controller.TypedOptions[T]{
		SkipNameValidation:      &skip,
		MaxConcurrentReconciles: workers,
		Reconciler:              reconcile.New(r, opts),
		LogConstructor:          func(*T) logr.Logger { return h.logger() },
		NewQueue: func(name string, _ workqueue.TypedRateLimiter[T]) workqueue.TypedRateLimitingInterface[T] {
			h.queue = queue.New(name, queue.Options[T]{RateLimiter: ratelimit.NewExponential[T](ratelimit.ExponentialOptions{
				BaseDelay: 10 * time.Millisecond, MaxDelay: time.Hour,
			})})
			return h.queue
		},
	})
	require.NoError(t, err)
	require.NoError(t, c.Watch(source.TypedFunc[T](func(context.Context, workqueue.TypedRateLimitingInterface[T]) error { return nil })))
	ctx, stop := context.WithCancel(t.Context())
	h.stop = stop
	ended := make(chan error, 1)
	go func() { ended <- c.Start(ctx) }()
	t.Cleanup(func() {
		stop()
		require.NoError(t, <-ended)
	})
	synctest.Wait()
	h.before = map[string]float64{errorsTotal: h.count(t, errorsTotal), panicsTotal: h.count(t, panicsTotal)}
	return h
}

func (h *host[T]) logger() logr.Logger {
	return funcr.New(func(_, args string) {
		h.mu.Lock()
		defer h.mu.Unlock()
		if !logLevel.MatchString(args) {
			h.errors = append(h.errors, args)
		}
	}, funcr.Options{Verbosity: 1})
}

// total returns by how much a counter of controller-runtime's has risen.
func (h *host[T]) total(t *testing.T, metric string) float64 {
	t.Helper()
	return h.count(t, metric) - h.before[metric]
}

func (h *host[T]) count(t *testing.T, metric string) float64 {
	t.Helper()
	families, err := ctrlmetrics.Registry.Gather()
	require.NoError(t, err)
	for _, family := range families {
		if family.GetName() != metric {
			continue
		}
		for _, m := range family.GetMetric() {
			for _, label := range m.GetLabel() {
				if label.GetName() == "controller" && label.GetValue() == h.name {
					return m.GetCounter().GetValue()
				}
			}
		}
	}
	require.Fail(t, "no such counter", metric)
	return 0
}

const (
	errorsTotal = "controller_runtime_reconcile_errors_total"
	panicsTotal = "controller_runtime_reconcile_panics_total"
)

// sleep lets d pass, and what was due then happen.
func sleep(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}
