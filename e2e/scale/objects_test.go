package scale_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	certv1 "github.com/trimtab/trimtab/examples/certrotator/api/v1"
)

// fleetSize is how many objects there are, and what is asked of them: the period of a
// cache is so short that many resyncs fit, and so long that one does.
type fleetSize struct {
	objects int
	resync  time.Duration
	resyncs int
	ticker  time.Duration
	users   time.Duration
}

func fleetSizes() []fleetSize {
	if testing.Short() {
		return []fleetSize{
			{1000, time.Second, 3, time.Second, 3 * time.Second},
			{3000, 2 * time.Second, 1, time.Second, 3 * time.Second},
		}
	}
	return []fleetSize{
		{1000, time.Second, 5, time.Second, 15 * time.Second},
		{10_000, 3 * time.Second, 3, 3 * time.Second, 15 * time.Second},
		{100_000, 12 * time.Second, 1, 15 * time.Second, 25 * time.Second},
	}
}

// BenchmarkObjects runs operators of each size of fleet. A first start writes each
// status once; the later ones find all of it done.
func BenchmarkObjects(b *testing.B) {
	for _, size := range fleetSizes() {
		create(b, size.objects)
		for _, by := range []string{ours, stock} {
			size.first(b, by)
		}
		for _, by := range []string{ours, stock} {
			size.serve(b, by)
		}
		size.forms(b)
		size.ticks(b)
	}
	limited(b, 1000)
}

// starts is how often an operator is started, for the median.
const starts = 3

// first measures a first start.
func (s fleetSize) first(b *testing.B, by string) {
	b.Helper()
	m := do(b, job{By: by, Objects: s.job(full, func(j *objectsJob) { j.Mark = mark() })})["start"]
	measures{"s-all": m["s-all"], "s-cpu": m["s-cpu"], "calls": m["calls"]}.print(b, s.name("first", full, by))
}

// serve measures later starts, users, resyncs and the metrics.
func (s fleetSize) serve(b *testing.B, by string) {
	b.Helper()
	var all []measures
	for range starts - 1 {
		all = append(all, do(b, job{By: by, Objects: s.job(full, nil)})["start"])
	}
	quiet := do(b, job{By: by, Objects: s.job(full, func(j *objectsJob) { j.Users = 5 * time.Second })})
	middle(append(all, quiet["start"])).print(b, s.name("start", full, by))
	quiet["users"].print(b, s.name("alone", full, by))
	found := do(b, job{By: by, Objects: s.job(full, func(j *objectsJob) {
		j.Resync, j.Resyncs, j.Users = s.resync, s.resyncs, s.users
	})})
	found["dropped"].print(b, s.name("dropped", full, by))
	found["queued"].print(b, s.name("queued", full, by))
	found["users-resync"].print(b, s.name("resync", full, by))
	found["metrics"].print(b, s.name("metrics", full, by))
}

// forms measures starts with other forms of objects in the cache.
func (s fleetSize) forms(b *testing.B) {
	b.Helper()
	for _, form := range []string{stripped, metadata} {
		var all []measures
		for range starts {
			all = append(all, do(b, job{By: ours, Objects: s.job(form, nil)})["start"])
		}
		middle(all).print(b, s.name("start", form, ours))
	}
}

// ticks measures users while a ticker goes through the fleet.
func (s fleetSize) ticks(b *testing.B) {
	b.Helper()
	found := do(b, job{By: ours, Objects: s.job(full, func(j *objectsJob) { j.Ticker, j.Users = s.ticker, s.users })})
	found["users-ticker"].print(b, s.name("ticker", full, ours))
}

// limited measures a first start with the limit that a client has by default.
func limited(b *testing.B, objects int) {
	b.Helper()
	const qps = 20
	s := fleetSize{objects: objects}
	m := do(b, job{By: ours, Objects: s.job(full, func(j *objectsJob) { j.Mark, j.QPS = mark(), qps })})["start"]
	measures{"s-all": m["s-all"], "calls": m["calls"]}.print(b, s.name("limited", full, ours))
}

func (s fleetSize) name(at, form, by string) string {
	return fmt.Sprintf("at=%s/objects=%d/form=%s/by=%s", at, s.objects, form, by)
}

func (s fleetSize) job(form string, edit func(*objectsJob)) *objectsJob {
	j := &objectsJob{Kubeconfig: world.Kubeconfig(), Namespace: namespaceOf(s.objects), Objects: s.objects, Form: form}
	if edit != nil {
		edit(j)
	}
	return j
}

// marks are what is written into statuses: each time something else.
var marks atomic.Int64

func mark() string { return fmt.Sprintf("%032x", marks.Add(1)) }

// middle returns the median of each unit.
func middle(all []measures) measures {
	m := measures{}
	for unit := range all[0] {
		var values []float64
		for _, one := range all {
			values = append(values, one[unit])
		}
		m[unit] = median(values)
	}
	return m
}

func namespaceOf(objects int) string { return fmt.Sprint("fleet-", objects) }

// created are the sizes of the fleets that are there.
var created = map[int]bool{}

// create creates a fleet, unless it is there.
func create(tb testing.TB, objects int) {
	tb.Helper()
	if created[objects] {
		return
	}
	created[objects] = true
	require.NoError(tb, world.CreateNamespace(tb.Context(), namespaceOf(objects)))
	const at = 32
	var next atomic.Int64
	errs := make([]error, at)
	var all sync.WaitGroup
	for worker := range at {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < objects && errs[worker] == nil; i = int(next.Add(1)) - 1 {
				errs[worker] = createOne(tb.Context(), namespaceOf(objects), i)
			}
		})
	}
	all.Wait()
	for _, err := range errs {
		require.NoError(tb, err)
	}
}

// createOne creates a certificate such as kubectl or a Helm chart makes them.
func createOne(ctx context.Context, namespace string, i int) error {
	name := nameOf(i)
	return world.Create(ctx, &certv1.Certificate{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace,
			Name:      name,
			Labels: map[string]string{
				"app.kubernetes.io/name":       name,
				"app.kubernetes.io/instance":   namespace,
				"app.kubernetes.io/managed-by": "Helm",
			},
			Annotations: map[string]string{
				"meta.helm.sh/release-name":      name,
				"meta.helm.sh/release-namespace": namespace,
			},
		},
		Spec: certv1.CertificateSpec{
			DNSNames:   []string{name + ".example"},
			Duration:   metav1.Duration{Duration: time.Hour},
			SecretName: name + "-tls",
		},
	}, client.FieldOwner("helm"))
}
