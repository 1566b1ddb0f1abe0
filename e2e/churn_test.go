package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/ratelimit"
	"github.com/trimtab/trimtab/reconcile"

	"github.com/trimtab/trimtab/e2e/internal/scrape"
)

// RC14, ME05, RL06: ten thousand objects that come, fail, are polled and go leave no
// series behind, no request, no failure and no memory, though the hot ones had series.
func TestManyObjectsLeaveNothing_RC14_ME05_RL06(t *testing.T) {
	const (
		objects = 10_000
		keeps   = 256 // bytes for each object that stay, most of them the empty maps of caches
	)
	s := newScene(t)
	t.Cleanup(func() { s.deleteConfigMaps(t) })
	c := &churn{registry: prometheus.NewRegistry(), seen: map[string]bool{}}
	c.start(t, s.namespace)
	s.createConfigMaps(t, 100) // All that is made when first needed is made.
	eventually(t, func() error { return c.has(t, 100) })
	s.deleteConfigMaps(t)
	eventually(t, func() error { return c.empty(t) })
	before, heap, goroutines := gather(t, c.registry), heapInUse(), runtime.NumGoroutine()

	begin := time.Now()
	s.createConfigMaps(t, objects)
	eventually(t, func() error { return c.has(t, objects) })
	meanwhile := gather(t, c.registry)
	t.Logf("%d objects are there after %s", objects, time.Since(begin))
	require.Len(t, meanwhile["trimtab_object_requeues"], 10, "the hot objects have series")
	require.NotEmpty(t, meanwhile["trimtab_object_busy_seconds"])
	require.LessOrEqual(t, meanwhile.Len(), before.Len()+2*10)

	s.deleteConfigMaps(t)
	eventually(t, func() error { return c.empty(t) })
	t.Logf("and gone after %s", time.Since(begin))
	after := gather(t, c.registry)
	require.Empty(t, after["trimtab_object_requeues"])
	require.Empty(t, after["trimtab_object_busy_seconds"])
	require.Equal(t, names(before), names(after))
	for name := range c.seen {
		require.Zero(t, c.limiter.NumRequeues(s.request(name)), name)
	}
	require.LessOrEqual(t, runtime.NumGoroutine(), goroutines+10)
	c.forget()
	kept := heapInUse() - heap
	t.Logf("%d bytes for each object stay", kept/objects)
	require.Less(t, kept, int64(objects*keeps))
}

// churn is a reconciler for which each object fails once, and is then polled.
type churn struct {
	registry *prometheus.Registry
	loop     *trimtab.Loop
	limiter  *ratelimit.Exponential[reconcile.Request]
	client   client.Client

	mu   sync.Mutex
	seen map[string]bool
}

func (c *churn) start(t *testing.T, namespace string) {
	t.Helper()
	mgr := newManager(t, world.Config(), namespace, manager.Options{})
	c.client = mgr.GetClient()
	c.limiter = ratelimit.NewExponential[reconcile.Request](ratelimit.ExponentialOptions{})
	c.loop = trimtab.New("churn", trimtab.Options{For: &corev1.ConfigMap{}, Registerer: c.registry, RateLimiter: c.limiter})
	require.NoError(t, ctrl.NewControllerManagedBy(mgr).Named("churn").
		For(&corev1.ConfigMap{}).
		WithOptions(c.loop.ControllerOptions(controller.Options{MaxConcurrentReconciles: 4})).
		Complete(c.loop.Reconciler(c)))
	runManager(t, mgr)
}

// Reconcile implements reconcile.Reconciler.
func (c *churn) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	if err := c.client.Get(ctx, req.NamespacedName, &corev1.ConfigMap{}); err != nil {
		return reconcile.Result{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.seen[req.Name] {
		c.seen[req.Name] = true
		return reconcile.Result{}, errors.New("not the first time")
	}
	return reconcile.Result{RequeueAfter: time.Minute}, nil
}

// forget lets go of what the test itself remembers.
func (c *churn) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen = map[string]bool{}
}

// has returns an error while not all of n objects wait for their next poll.
func (c *churn) has(t *testing.T, n int) error {
	t.Helper()
	if s := c.loop.Snapshot(); s.Delayed < n || s.Running > 0 { // kube-root-ca.crt may be there, too.
		return fmt.Errorf("%d of %d objects are polled, %d run", s.Delayed, n, s.Running)
	}
	return nil
}

// empty returns an error while anything is left of the objects.
func (c *churn) empty(t *testing.T) error {
	t.Helper()
	s := c.loop.Snapshot()
	if left := s.Delayed + s.Running + sumOf(s.Depth[:]); left > 0 {
		return fmt.Errorf("%d objects are left", left)
	}
	return nil
}

func sumOf(numbers []int) int {
	sum := 0
	for _, n := range numbers {
		sum += n
	}
	return sum
}

// names returns all series, without their values.
func names(s scrape.Sample) []string {
	var all []string
	for name, series := range s {
		for _, one := range series {
			all = append(all, name+fmt.Sprint(one.Labels))
		}
	}
	slices.Sort(all)
	return all
}

// createConfigMaps creates n objects, many at once.
func (s *scene) createConfigMaps(t *testing.T, n int) {
	t.Helper()
	const creators = 32
	var wg sync.WaitGroup
	errs := make([]error, creators)
	for i := range creators {
		wg.Go(func() {
			for k := i; k < n; k += creators {
				m := &corev1.ConfigMap{ObjectMeta: s.object(fmt.Sprintf("churn-%05d", k))}
				m.Labels = map[string]string{"shard": fmt.Sprint(i % deleters)}
				errs[i] = errors.Join(errs[i], world.Create(t.Context(), m))
			}
		})
	}
	wg.Wait()
	require.NoError(t, errors.Join(errs...))
}

// deleters is how many collections are deleted at once: the API server deletes the
// objects of each one after the other.
const deleters = 8

func (s *scene) deleteConfigMaps(t *testing.T) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	var wg sync.WaitGroup
	errs := make([]error, deleters)
	for i := range deleters {
		wg.Go(func() {
			errs[i] = world.DeleteAllOf(ctx, &corev1.ConfigMap{}, client.InNamespace(s.namespace), client.MatchingLabels{"shard": fmt.Sprint(i)})
		})
	}
	wg.Wait()
	require.NoError(t, errors.Join(errs...))
}

// heapInUse returns the bytes that are in use after a collection.
func heapInUse() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // What a pool held is gone after the second.
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
