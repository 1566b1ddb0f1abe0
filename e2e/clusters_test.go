package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlcluster "sigs.k8s.io/controller-runtime/pkg/cluster"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/source"

	certv1 "github.com/trimtab/trimtab/examples/certrotator/api/v1"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/handler"
	"github.com/trimtab/trimtab/predicate"
	"github.com/trimtab/trimtab/queue"
	"github.com/trimtab/trimtab/ratelimit"
	"github.com/trimtab/trimtab/reconcile"
	"github.com/trimtab/trimtab/trigger"

	"github.com/trimtab/trimtab/e2e/internal/scrape"
)

// clusterRequest is a request of an operator that serves several clusters.
type clusterRequest struct {
	Cluster string
	reconcile.Request
}

// A controller of two clusters, whose objects have the same names, has all of a loop
// that does not need For: sources, classes, deadline, giving up, groups, phases, calls,
// and hot objects that tell the clusters apart.
func TestRequestsOfTwoClusters(t *testing.T) {
	east, west := newScene(t), newSceneNamed(t, "west")
	f := &fleet{registry: prometheus.NewRegistry(), namespaces: map[string]string{"east": east.namespace, "west": west.namespace}}
	f.start(t)
	for _, name := range []string{"hung", "fine", "flaky", "broken"} { // West's first hangs while east's others run.
		for _, s := range []*scene{west, east} {
			s.createConfigMap(t, name) // A run writes to it.
			s.create(t, name)
		}
	}
	f.ended(t, "success", 7) // Each but west's broken one.
	eventually(t, func() error { return f.gaveUp("west/fleet/broken after 4") })
	owned := &corev1.Secret{ObjectMeta: east.object("fine")}
	require.NoError(t, world.Create(t.Context(), owned))
	f.ended(t, "success", 8)
	east.createConfigMap(t, "all-of-them")
	f.ended(t, "success", 12)

	m := gather(t, f.registry)
	runs := func(labels ...string) float64 { return m.Sum("trimtab_runs_total", labels...) }
	require.InDelta(t, 1, runs("trigger", "watched"), 0)
	require.InDelta(t, 4, runs("trigger", "resync"), 0, "the bulk change concerns one cluster")
	require.InDelta(t, 2*3+1+4, runs("class", "flaky"), 0, "east's twice, west's once, and what was given up")
	require.InDelta(t, 1, runs("class", "timeout"), 0, "west's hung one")
	require.InDelta(t, 1, m.Sum("trimtab_overruns_total"), 0)
	require.Zero(t, m.Sum("trimtab_runs_overdue"))
	require.InDelta(t, 1, m.Sum("trimtab_given_up_total"), 0)
	require.Equal(t, map[string]float64{
		"east/fleet/flaky": 6, "west/fleet/flaky": 1, "west/fleet/hung": 1, "west/fleet/broken": 3,
	}, hot(m["trimtab_object_requeues"]))
	require.Contains(t, hot(m["trimtab_object_busy_seconds"]), "west/fleet/hung")
	for _, phase := range []string{"read", "compute", "write", "status"} {
		require.Positive(t, m.Sum("trimtab_phase_seconds_total", "phase", phase), phase)
	}
	require.InDelta(t, runs(), m.Sum("trimtab_api_calls_total", "verb", "get", "kind", "Certificate"), 0)
	require.InDelta(t, 13, m.Sum("trimtab_api_calls_total", "kind", "Certificate/status"), 0, "one for each success, and a last one")
	f.mu.Lock()
	defer f.mu.Unlock()
	require.Equal(t, map[string]int{"east": 1, "west": 1, "all": 2}, f.most, "runs at once, by cluster")
	require.Equal(t, "its time was up", f.reason(t, west, "hung"), "written after the deadline")
}

// newSceneNamed makes a scene beside that of the test.
func newSceneNamed(t *testing.T, name string) *scene {
	t.Helper()
	s := &scene{namespace: strings.ToLower(t.Name()) + "-" + name}
	require.NoError(t, world.CreateNamespace(t.Context(), s.namespace))
	t.Cleanup(func() { s.clear(t) })
	return s
}

// hot returns the values by object.
func hot(series []scrape.Series) map[string]float64 {
	values := map[string]float64{}
	for _, s := range series {
		values[s.Labels["object"]] = s.Value
	}
	return values
}

// fleet is a reconciler of Certificates in several clusters, which are namespaces
// here. In its requests all are in the namespace "fleet".
type fleet struct {
	registry   *prometheus.Registry
	namespaces map[string]string
	clients    map[string]client.Client

	mu       sync.Mutex
	given    []string
	inFlight map[string]int
	most     map[string]int
}

var errFlaky = errors.New("flaky")

// Reconcile implements reconcile.TypedReconciler.
func (f *fleet) Reconcile(ctx context.Context, req clusterRequest) (reconcile.Result, error) {
	f.enter(req.Cluster, 1)
	defer f.enter(req.Cluster, -1)
	cert, c := &certv1.Certificate{}, f.clients[req.Cluster]
	if err := c.Get(ctx, types.NamespacedName{Namespace: f.namespaces[req.Cluster], Name: req.Name}, cert); err != nil {
		return reconcile.Result{}, err
	}
	info, _ := trigger.FromContext(ctx)
	last := map[string]int{"east/flaky": 3, "west/flaky": 1, "west/broken": 100}[req.Cluster+"/"+req.Name]
	switch {
	case info.Attempt <= last:
		return reconcile.Result{}, errFlaky
	case req.Cluster == "west" && req.Name == "hung" && info.Attempt == 1:
		<-ctx.Done()
		last, cancel := reconcile.LastWrite(ctx)
		defer cancel()
		return reconcile.Result{}, errors.Join(ctx.Err(), say(last, c, cert, "its time was up"))
	}
	if err := touch(ctx, c, cert); err != nil {
		return reconcile.Result{}, err
	}
	return reconcile.Result{}, stamp(ctx, c, cert)
}

// say writes a message into the status of a certificate.
func say(ctx context.Context, c client.Client, cert *certv1.Certificate, message string) error {
	named := &certv1.Certificate{ObjectMeta: metav1.ObjectMeta{Namespace: cert.Namespace, Name: cert.Name}}
	body := fmt.Sprintf(`{"status":{"serialNumber":%q}}`, message)
	return c.Status().Patch(ctx, named, client.RawPatch(types.MergePatchType, []byte(body)))
}

func (f *fleet) enter(cluster string, n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, group := range []string{cluster, "all"} {
		f.inFlight[group] += n
		f.most[group] = max(f.most[group], f.inFlight[group])
	}
}

// start runs the controller until the test ends.
func (f *fleet) start(t *testing.T) {
	t.Helper()
	f.clients, f.inFlight, f.most = map[string]client.Client{}, map[string]int{}, map[string]int{}
	loop := trimtab.NewTyped("fleet", trimtab.TypedOptions[clusterRequest]{
		Registerer:  f.registry,
		RateLimiter: ratelimit.NewExponential[clusterRequest](ratelimit.ExponentialOptions{BaseDelay: 10 * time.Millisecond}),
		Queue: queue.Options[clusterRequest]{
			Group:       func(r clusterRequest) string { return r.Cluster },
			MaxPerGroup: 1,
			GiveUp:      3,
			OnGiveUp: func(r clusterRequest, failures int, _ error) {
				f.mu.Lock()
				defer f.mu.Unlock()
				f.given = append(f.given, fmt.Sprintf("%s/%s after %d", r.Cluster, r, failures))
			},
		},
		Reconcile: reconcile.Options[clusterRequest]{
			Deadline: reconcile.DeadlineOptions{Timeout: time.Second},
			Class: func(err error) string {
				if errors.Is(err, errFlaky) {
					return "flaky"
				}
				return ""
			},
		},
	})
	mgr := newManager(t, world.Config(), f.namespaces["east"], manager.Options{})
	b := builder.TypedControllerManagedBy[clusterRequest](mgr).Named("fleet").
		WithOptions(loop.ControllerOptions(controller.TypedOptions[clusterRequest]{MaxConcurrentReconciles: 4}))
	for name, namespace := range f.namespaces {
		c, err := ctrlcluster.New(world.Config(), func(o *ctrlcluster.Options) {
			o.Scheme = mgr.GetScheme()
			o.Cache.DefaultNamespaces = map[string]cache.Config{namespace: {}}
		})
		require.NoError(t, err)
		require.NoError(t, mgr.Add(c))
		f.clients[name] = loop.Client(c.GetClient())
		b = f.watch(b, c.GetCache(), name)
	}
	require.NoError(t, b.Complete(loop.Reconciler(f)))
	runManager(t, mgr)
	eventually(t, func() error { // Else what is created next may be of the initial list.
		if loop.Snapshot().Workers == 0 {
			return errors.New("no worker has come for work")
		}
		return nil
	})
}

// watch adds the watches of a cluster.
func (f *fleet) watch(b *builder.TypedBuilder[clusterRequest], from cache.Cache, cluster string) *builder.TypedBuilder[clusterRequest] {
	named := func(o client.Object) []clusterRequest {
		return []clusterRequest{{cluster, reconcile.Request{NamespacedName: types.NamespacedName{Namespace: "fleet", Name: o.GetName()}}}}
	}
	certificates := handler.TypedEnqueueRequestsFromMapFunc(func(_ context.Context, c *certv1.Certificate) []clusterRequest { return named(c) })
	secrets := handler.TypedEnqueueRequestsFromMapFunc(func(_ context.Context, s *corev1.Secret) []clusterRequest { return named(s) })
	all := handler.TypedEnqueueRequestsFromMapFunc(func(ctx context.Context, _ *corev1.ConfigMap) (requests []clusterRequest) {
		list := &certv1.CertificateList{}
		if err := from.List(ctx, list); err != nil {
			return nil
		}
		for i := range list.Items {
			requests = append(requests, named(&list.Items[i])...)
		}
		return requests
	})
	bulk := predicate.NewTypedPredicateFuncs(func(m *corev1.ConfigMap) bool { return m.Name == "all-of-them" })
	return b.
		WatchesRawSource(source.TypedKind(from, &certv1.Certificate{}, handler.As(trigger.Primary, certificates), predicate.Typed[*certv1.Certificate](predicate.SpecChanged()))).
		WatchesRawSource(source.TypedKind(from, &corev1.Secret{}, handler.As(trigger.Watched, secrets), predicate.Typed[*corev1.Secret](predicate.DataChanged()))).
		WatchesRawSource(source.TypedKind(from, &corev1.ConfigMap{}, handler.Spread(100*time.Millisecond, all), bulk))
}

// ended waits for so many runs of that class.
func (f *fleet) ended(t *testing.T, class string, n int) {
	t.Helper()
	eventually(t, func() error {
		if got := gather(t, f.registry).Sum("trimtab_runs_total", "class", class); int(got) != n {
			return fmt.Errorf("%.0f runs of class %s, not %d", got, class, n)
		}
		return nil
	})
}

func (f *fleet) gaveUp(line string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.given) != 1 || f.given[0] != line {
		return fmt.Errorf("given up: %q", f.given)
	}
	return nil
}

// reason returns what the status of a certificate says.
func (f *fleet) reason(t *testing.T, s *scene, name string) string {
	t.Helper()
	cert := certificate(s, name)
	_, err := read(t, cert)
	require.NoError(t, client.IgnoreNotFound(err))
	return cert.Status.SerialNumber
}
