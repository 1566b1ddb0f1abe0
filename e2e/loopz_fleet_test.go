package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/loopz"
	"github.com/trimtab/trimtab/predicate"
	"github.com/trimtab/trimtab/ratelimit"
	"github.com/trimtab/trimtab/reconcile"
	"github.com/trimtab/trimtab/trigger"

	"github.com/trimtab/trimtab/e2e/internal/cluster"
	"github.com/trimtab/trimtab/e2e/internal/slow"
)

// shopFleet is an operator in the test's process, on the real API server: its objects are
// ConfigMaps of a namespace. It is calm until there is a storm.
type shopFleet struct {
	client.Client
	namespace string
	storm     atomic.Bool // runs are slow, and half of them fail
}

// hotOne is the object that no run gets right.
const hotOne = "checkout"

// Reconcile implements reconcile.Reconciler.
func (f *shopFleet) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	object := &corev1.ConfigMap{}
	if err := f.Get(ctx, req.NamespacedName, object); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if req.Name == hotOne {
		spend(ctx, 5*time.Millisecond)
		return reconcile.Result{}, apierrors.NewInvalid(schema.GroupKind{Kind: "ConfigMap"}, req.Name, nil)
	}
	if f.storm.Load() {
		spend(ctx, time.Duration(100+rand.IntN(200))*time.Millisecond)
		if rand.IntN(2) == 0 {
			return reconcile.Result{}, context.DeadlineExceeded
		}
	} else {
		spend(ctx, time.Duration(2+rand.IntN(20))*time.Millisecond)
	}
	if rand.IntN(3) == 0 {
		before := object.DeepCopy()
		metav1.SetMetaDataAnnotation(&object.ObjectMeta, "seen", time.Now().Format(time.RFC3339Nano))
		if err := f.Patch(ctx, object, client.MergeFrom(before)); err != nil {
			return reconcile.Result{}, err
		}
	}
	return reconcile.Result{RequeueAfter: time.Duration(20+rand.IntN(20)) * time.Second}, nil
}

// spend is work that ends with ctx.
func spend(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// startFleet starts a fleet of so many objects, and returns the address of its metrics
// server. More loops are on its page, too.
func startFleet(t *testing.T, namespace string, objects int, more ...loopz.Loop) (f *shopFleet, address string) {
	t.Helper()
	ctx := t.Context()
	require.NoError(t, client.IgnoreAlreadyExists(world.CreateNamespace(ctx, namespace)))
	names := []string{"web", "cart", "search", "billing", "mail", "stock", "login", "feed"}
	create := func(name string) {
		require.NoError(t, world.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}))
	}
	create(hotOne)
	for i := range objects {
		create(fmt.Sprintf("%s-%d", names[i%len(names)], i/len(names)))
	}

	kinds, err := cluster.Scheme()
	require.NoError(t, err)
	address = freeAddress(t)
	mgr, err := ctrl.NewManager(slowed(slow.Transport{Write: 30 * time.Millisecond}), ctrl.Options{
		Scheme: kinds, NewClient: trimtab.NewClient, Metrics: metricsserver.Options{BindAddress: address},
		Cache: cache.Options{DefaultNamespaces: map[string]cache.Config{namespace: {}}},
	})
	require.NoError(t, err)
	f = &shopFleet{Client: mgr.GetClient(), namespace: namespace}
	loop := trimtab.New(namespace, trimtab.Options{
		For: &corev1.ConfigMap{}, Registerer: prometheus.NewRegistry(),
		RateLimiter: ratelimit.NewExponential[reconcile.Request](ratelimit.ExponentialOptions{BaseDelay: 20 * time.Millisecond, MaxDelay: 500 * time.Millisecond, Jitter: 0.2}),
		Reconcile:   reconcile.Options[reconcile.Request]{Deadline: reconcile.DeadlineOptions{Timeout: 30 * time.Second}},
	})
	require.NoError(t, ctrl.NewControllerManagedBy(mgr).Named(namespace).
		For(&corev1.ConfigMap{}, builder.WithPredicates(loop.Observe(trigger.Primary, "DataChanged", predicate.DataChanged()))).
		WatchesRawSource(source.Func(func(ctx context.Context, q workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
			go f.live(ctx, q)
			return nil
		})).
		WithOptions(loop.ControllerOptions(controller.Options{MaxConcurrentReconciles: 4})).
		Complete(loop.Reconciler(f)))
	require.NoError(t, loopz.AddTo(mgr, append([]loopz.Loop{loop}, more...)...))
	runManager(t, mgr)
	t.Cleanup(func() {
		_ = world.DeleteAllOf(context.WithoutCancel(ctx), &corev1.ConfigMap{}, client.InNamespace(namespace))
	})
	eventually(t, func() error {
		answer, err := http.Get("http://" + address + loopz.Path) //nolint:noctx // It is on loopback.
		if err == nil {
			err = answer.Body.Close()
		}
		return err
	})
	return f, address
}

// live brings events until ctx ends: of the objects themselves, and of what they own.
func (f *shopFleet) live(ctx context.Context, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) {
	q, ok := queue.(interface {
		AddWithSource(source trigger.Source, o priorityqueue.AddOpts, requests ...reconcile.Request)
	})
	if !ok {
		panic(errors.New("not the loop's queue"))
	}
	for ctx.Err() == nil {
		name := types.NamespacedName{Namespace: f.namespace, Name: fmt.Sprintf("web-%d", rand.IntN(10))}
		source, pause := trigger.Primary, 150*time.Millisecond
		if rand.IntN(6) > 0 {
			source = trigger.Watched
		}
		if f.storm.Load() {
			pause = 20 * time.Millisecond
			name.Name = []string{"cart", "search", "mail", "stock", "login", "feed"}[rand.IntN(6)] + fmt.Sprint("-", rand.IntN(10))
		}
		q.AddWithSource(source, priorityqueue.AddOpts{}, reconcile.Request{NamespacedName: name})
		spend(ctx, pause)
	}
}

// freeAddress returns an address on loopback that nobody listens at.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // It is on loopback.
	require.NoError(t, err)
	defer func() { require.NoError(t, l.Close()) }()
	return l.Addr().String()
}
