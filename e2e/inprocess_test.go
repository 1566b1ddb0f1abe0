package e2e_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/reconcile"

	"github.com/trimtab/trimtab/e2e/internal/cluster"
	"github.com/trimtab/trimtab/e2e/internal/scrape"
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
	opts.Cache = cache.Options{DefaultNamespaces: map[string]cache.Config{namespace: {}}}
	opts.Metrics.BindAddress = "0"
	opts.Controller.SkipNameValidation = new(true)
	if opts.NewClient == nil {
		opts.NewClient = trimtab.NewClient
	}
	mgr, err := ctrl.NewManager(config, opts)
	require.NoError(t, err)
	return mgr
}

// runManager runs mgr until the test ends or stop is called, which returns what
// Start has returned.
func runManager(t *testing.T, mgr ctrl.Manager) (stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- mgr.Start(ctx) }()
	stop = sync.OnceValue(func() error {
		cancel()
		select {
		case err := <-ended:
			return err
		case <-time.After(patience):
			return errors.New("the manager does not end")
		}
	})
	t.Cleanup(func() { require.NoError(t, stop()) })
	require.True(t, mgr.GetCache().WaitForCacheSync(ctx))
	return stop
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
