package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	certv1 "github.com/trimtab/trimtab/examples/certrotator/api/v1"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/predicate"
	"github.com/trimtab/trimtab/queue"
	"github.com/trimtab/trimtab/reconcile"
	"github.com/trimtab/trimtab/trigger"

	"github.com/trimtab/trimtab/e2e/internal/cluster"
	"github.com/trimtab/trimtab/e2e/internal/slow"
)

// Where the time of a run went is what a transport that slows reads, writes and
// status writes down has measured of the same calls, one after the other and side by
// side; and with the time before the run it adds up to all the time since the event.
func TestPhasesAgreeWithTheTransport(t *testing.T) {
	// A phase that is taken for another, or a call that is forgotten, is off by 20 ms
	// and more.
	const lax = 10 * time.Millisecond
	for name, calls := range callers() {
		t.Run(name, func(t *testing.T) {
			for phase, median := range timePhases(t, calls) {
				require.Less(t, median, lax, phase)
			}
		})
	}
}

// BenchmarkPhases reports by how much the two records of a run differ.
func BenchmarkPhases(b *testing.B) {
	for name, calls := range callers() {
		b.Run("calls="+name+"/by=trimtab", func(b *testing.B) {
			for phase, median := range timePhases(b, calls) {
				b.ReportMetric(median.Seconds()*1000, "ms-"+phase+"-off")
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// caller is the calls of a run.
type caller func(context.Context, client.Client, *certv1.Certificate) error

func callers() map[string]caller {
	return map[string]caller{"in-sequence": inSequence, "in-parallel": inParallel}
}

// timePhases returns the median differences by phase, of 15 runs.
func timePhases(tb testing.TB, calls caller) map[string]time.Duration {
	tb.Helper()
	const runs = 15
	s := newScene(tb)
	w := &stopwatch{calls: calls, added: map[string]time.Time{}}
	w.start(tb, s.namespace)
	for i := range 1 + runs {
		name := fmt.Sprint("c", i)
		configMap := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: name}}
		require.NoError(tb, world.Create(tb.Context(), configMap))
		s.create(tb, name)
		if i == 0 { // What comes before the first worker waits for that, too.
			eventually(tb, func() error { return w.seen(1) })
		}
	}
	eventually(tb, func() error { return w.seen(1 + runs) })
	return w.compare(tb)
}

// stopwatch is a reconciler whose runs are measured twice.
type stopwatch struct {
	client client.Client
	calls  caller

	mu      sync.Mutex
	added   map[string]time.Time // when the event came, by name
	records []measured
	runs    []ran
	errs    []error
}

// measured is a run as the transport has seen it.
type measured struct {
	name  string
	times [slow.Phases]time.Duration
}

// ran is a run as its chain has seen it.
type ran struct {
	info   trigger.Info
	phases trigger.Phases
	end    time.Time
}

// Reconcile implements reconcile.Reconciler.
func (w *stopwatch) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	ctx, record := slow.WithRecord(ctx)
	cert := &certv1.Certificate{ObjectMeta: metav1.ObjectMeta{Namespace: req.Namespace, Name: req.Name}}
	err := w.calls(ctx, w.client, cert)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.records = append(w.records, measured{name: req.Name, times: record.Times()})
	w.errs = append(w.errs, err)
	return reconcile.Result{}, nil
}

// Ran implements reconcile.Observer. There is one worker, so that runs and records
// are in the same order.
func (w *stopwatch) Ran(run trigger.Run) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.runs = append(w.runs, ran{info: run.Info, phases: run.Phases, end: time.Now()})
}

func (*stopwatch) Called(trigger.Set, string, string) {}
func (*stopwatch) Panicked()                          {}
func (*stopwatch) Overdue(int)                        {}
func (*stopwatch) WorkerLost()                        {}

// start runs a controller of one worker until the test ends.
func (w *stopwatch) start(tb testing.TB, namespace string) {
	tb.Helper()
	kinds, err := cluster.Scheme()
	require.NoError(tb, err)
	mgr, err := ctrl.NewManager(world.Config(), manager.Options{
		Scheme:  kinds,
		Cache:   cache.Options{DefaultNamespaces: map[string]cache.Config{namespace: {}}},
		Metrics: metricsserver.Options{BindAddress: "0"},
	})
	require.NoError(tb, err)
	config := rest.CopyConfig(world.Config())
	config.QPS = -1
	config.Wrap(func(rt http.RoundTripper) http.RoundTripper {
		return &slow.Transport{RoundTripper: rt, Read: 20 * time.Millisecond, Write: 30 * time.Millisecond, Status: 40 * time.Millisecond}
	})
	w.client, err = trimtab.NewClient(config, client.Options{Scheme: kinds})
	require.NoError(tb, err)

	q := queue.New("stopwatch", queue.Options[reconcile.Request]{})
	options := controller.Options{
		MaxConcurrentReconciles: 1,
		SkipNameValidation:      new(true),
		NewQueue: func(string, workqueue.TypedRateLimiter[reconcile.Request]) workqueue.TypedRateLimitingInterface[reconcile.Request] {
			return q
		},
	}
	chain := reconcile.New[reconcile.Request](w, reconcile.Options[reconcile.Request]{
		Queue: q, Observer: w, For: &certv1.Certificate{},
	})
	require.NoError(tb, ctrl.NewControllerManagedBy(mgr).Named("stopwatch").
		For(&certv1.Certificate{}).
		WithEventFilter(predicate.NewPredicateFuncs(w.admit)).
		WithOptions(options).Complete(chain))

	ctx, cancel := context.WithCancel(tb.Context())
	done := make(chan error, 1)
	go func() { done <- mgr.Start(ctx) }()
	tb.Cleanup(func() {
		cancel()
		require.NoError(tb, <-done)
	})
	require.True(tb, mgr.GetCache().WaitForCacheSync(ctx))
}

// admit lets the first event of each object pass.
func (w *stopwatch) admit(o client.Object) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, ok := w.added[o.GetName()]; ok {
		return false
	}
	w.added[o.GetName()] = time.Now()
	return true
}

func (w *stopwatch) seen(runs int) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := errors.Join(w.errs...); err != nil {
		return err
	}
	if len(w.runs) != runs {
		return fmt.Errorf("%d runs, not %d", len(w.runs), runs)
	}
	return nil
}

// compare holds the two records of each run against each other, and returns the median
// differences.
func (w *stopwatch) compare(tb testing.TB) map[string]time.Duration {
	tb.Helper()
	off := map[string][]time.Duration{}
	for i, run := range w.runs {
		if i == 0 {
			continue
		}
		got, want := run.phases, w.records[i].times
		off["read"] = append(off["read"], (got.Read - want[slow.Read]).Abs())
		off["write"] = append(off["write"], (got.Write - want[slow.Write]).Abs())
		off["status"] = append(off["status"], (got.Status - want[slow.Status]).Abs())
		sum := run.info.Delay() + run.info.Wait() + run.info.OwnRun + got.Total()
		off["sum"] = append(off["sum"], (run.end.Sub(w.added[w.records[i].name]) - sum).Abs())
	}
	medians := map[string]time.Duration{}
	for phase, differences := range off {
		slices.Sort(differences)
		medians[phase] = differences[len(differences)/2]
		tb.Logf("%s: median difference %s, greatest %s", phase, medians[phase], differences[len(differences)-1])
	}
	return medians
}

// inSequence reads, writes and writes a status, one after the other.
func inSequence(ctx context.Context, c client.Client, cert *certv1.Certificate) error {
	if err := c.Get(ctx, client.ObjectKeyFromObject(cert), cert); err != nil {
		return err
	}
	if err := touch(ctx, c, cert); err != nil {
		return err
	}
	return stamp(ctx, c, cert)
}

// inParallel reads three times, and meanwhile writes and writes a status.
func inParallel(ctx context.Context, c client.Client, cert *certv1.Certificate) error {
	var reads, writes, statuses error
	var wg sync.WaitGroup
	wg.Go(func() {
		for range 3 {
			reads = errors.Join(reads, c.Get(ctx, client.ObjectKeyFromObject(cert), &certv1.Certificate{}))
		}
	})
	wg.Go(func() { writes = touch(ctx, c, cert) })
	wg.Go(func() { statuses = stamp(ctx, c, cert) })
	wg.Wait()
	return errors.Join(reads, writes, statuses)
}

// touch writes the ConfigMap that has the certificate's name.
func touch(ctx context.Context, c client.Client, cert *certv1.Certificate) error {
	m := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: cert.Namespace, Name: cert.Name}}
	return c.Patch(ctx, m, client.RawPatch(types.MergePatchType, []byte(`{"data":{"touched":"true"}}`)))
}

// stamp writes the status of the certificate, of which it needs the name only.
func stamp(ctx context.Context, c client.Client, cert *certv1.Certificate) error {
	named := &certv1.Certificate{ObjectMeta: metav1.ObjectMeta{Namespace: cert.Namespace, Name: cert.Name}}
	return c.Status().Patch(ctx, named, client.RawPatch(types.MergePatchType, []byte(`{"status":{"observedGeneration":1}}`)))
}
