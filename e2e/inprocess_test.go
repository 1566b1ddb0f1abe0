package e2e_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	ctrlmetrics "sigs.k8s.io/controller-runtime/pkg/metrics"

	certv1 "github.com/trimtab/trimtab/examples/certrotator/api/v1"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/predicate"
	"github.com/trimtab/trimtab/reconcile"

	"github.com/trimtab/trimtab/e2e/internal/cluster"
	"github.com/trimtab/trimtab/e2e/internal/scrape"
	"github.com/trimtab/trimtab/e2e/internal/slow"
)

// What follows is for tests whose controller runs in their own process, where they
// can hold a run in the middle, and read its registry.

// newManager returns a manager that sees only one namespace, and whose client tells
// the runs of its calls unless opts has another.
func newManager(t *testing.T, config *rest.Config, namespace string, opts manager.Options) ctrl.Manager {
	t.Helper()
	kinds, err := cluster.Scheme()
	require.NoError(t, err)
	opts.Scheme = kinds
	opts.Cache.DefaultNamespaces = map[string]cache.Config{namespace: {}}
	opts.Metrics.BindAddress = "0"
	opts.Controller.SkipNameValidation = new(true)
	if opts.NewClient == nil {
		opts.NewClient = trimtab.NewClient
	}
	mgr, err := ctrl.NewManager(config, opts)
	require.NoError(t, err)
	return mgr
}

// runManager runs mgr until the test ends or stop is called.
func runManager(t *testing.T, mgr ctrl.Manager) (stop func()) {
	t.Helper()
	cancel, ended := startManager(t, mgr)
	stop = sync.OnceFunc(func() {
		cancel()
		assert.NoError(t, <-ended) // A test that fails already can't fail now in a cleanup.
	})
	t.Cleanup(stop)
	return stop
}

// startManager starts mgr, and returns what stops it and the error with which it ends.
func startManager(t *testing.T, mgr ctrl.Manager) (cancel func(), ended <-chan error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context())) // that one is done before a cleanup
	errs := make(chan error, 1)
	go func() { errs <- mgr.Start(ctx) }()
	require.True(t, mgr.GetCache().WaitForCacheSync(ctx))
	return cancel, errs
}

// control adds a controller of Certificates to mgr: on a loop for them, with a
// registry of its own.
func control(t *testing.T, mgr ctrl.Manager, name string, opts trimtab.Options, r reconcile.Reconciler) *prometheus.Registry {
	t.Helper()
	reg := prometheus.NewRegistry()
	opts.For, opts.Registerer = &certv1.Certificate{}, reg
	loop := trimtab.New(name, opts)
	require.NoError(t, ctrl.NewControllerManagedBy(mgr).Named(name).
		For(&certv1.Certificate{}, builder.WithPredicates(predicate.SpecChanged())).
		WithOptions(loop.ControllerOptions(controller.Options{MaxConcurrentReconciles: 4})).
		Complete(loop.Reconciler(r)))
	return reg
}

// errorsOf returns how many errors controller-runtime has counted for a controller.
func errorsOf(t *testing.T, name string) float64 {
	t.Helper()
	return gather(t, ctrlmetrics.Registry).Sum("controller_runtime_reconcile_errors_total", "controller", name)
}

// errorLog returns a logger, and what gives the errors that were logged.
func errorLog() (log logr.Logger, lines func() []string) {
	var mu sync.Mutex
	var logged []string
	log = funcr.New(func(_, args string) {
		if !strings.HasPrefix(args, `"level"=`) {
			mu.Lock()
			defer mu.Unlock()
			logged = append(logged, args)
		}
	}, funcr.Options{})
	return log, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(logged)
	}
}

// reconciler is a reconciler of the usual requests.
type reconciler = reconcile.TypedFunc[reconcile.Request]

// gather reads a registry of the test's own process.
func gather(t *testing.T, reg prometheus.Gatherer) scrape.Sample {
	t.Helper()
	s, err := scrape.Gather(reg)
	require.NoError(t, err)
	return s
}

// object names a ConfigMap or Secret of the scene.
func (s *scene) object(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: s.namespace, Name: name}
}

// createConfigMap creates an empty ConfigMap.
func (s *scene) createConfigMap(t *testing.T, name string) *corev1.ConfigMap {
	t.Helper()
	m := &corev1.ConfigMap{ObjectMeta: s.object(name)}
	require.NoError(t, world.Create(t.Context(), m))
	return m
}

// request is the request for an object of the scene.
func (s *scene) request(name string) reconcile.Request {
	return reconcile.Request{NamespacedName: types.NamespacedName{Namespace: s.namespace, Name: name}}
}

// slowed returns how to reach the API server by a transport that is slow.
func slowed(t slow.Transport) *rest.Config {
	config := rest.CopyConfig(world.Config())
	config.Wrap(func(rt http.RoundTripper) http.RoundTripper {
		return &slow.Transport{RoundTripper: rt, Read: t.Read, Write: t.Write, Status: t.Status}
	})
	return config
}

// ranAs returns an error while there were fewer runs of a class.
func ranAs(t *testing.T, reg prometheus.Gatherer, class string, atLeast int) error {
	t.Helper()
	if n := gather(t, reg).Sum("trimtab_runs_total", "class", class); n < float64(atLeast) {
		return fmt.Errorf("%.0f runs of class %s, not %d", n, class, atLeast)
	}
	return nil
}

// certificate is a Certificate of the scene of which only the name is known.
func certificate(s *scene, name string) *certv1.Certificate {
	return &certv1.Certificate{ObjectMeta: s.object(name)}
}
