package scale_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	certv1 "github.com/trimtab/trimtab/examples/certrotator/api/v1"
)

// everything measures the first start of the largest fleet, too.
var everything = flag.Bool("everything", false, "measure what takes longest, too")

// fleetSize is how many objects there are, and what is asked of them: the period of a
// cache is so short that many resyncs fit, and so long that one does.
type fleetSize struct {
	objects int
	starts  int // of which the median counts
	resync  time.Duration
	resyncs int
	ticker  time.Duration
	users   time.Duration
}

func fleetSizes() []fleetSize {
	if testing.Short() {
		return []fleetSize{
			{1000, 2, time.Second, 3, time.Second, 3 * time.Second},
			{3000, 2, 2 * time.Second, 1, time.Second, 3 * time.Second},
		}
	}
	return []fleetSize{
		{1000, 3, time.Second, 5, time.Second, 8 * time.Second},
		{10_000, 3, 3 * time.Second, 3, 3 * time.Second, 8 * time.Second},
		{100_000, 2, 10 * time.Second, 1, 15 * time.Second, 15 * time.Second},
	}
}

// BenchmarkObjects runs operators of each size of fleet, which find nothing to do when
// they start. The last one is the first to write each status.
func BenchmarkObjects(b *testing.B) {
	for _, size := range fleetSizes() {
		b.Run(fmt.Sprint("objects=", size.objects), size.measure)
	}
}

func (s fleetSize) measure(b *testing.B) {
	create(b, s.objects)
	for _, by := range []string{ours, stock} {
		s.serve(b, by)
	}
	s.forms(b)
	s.ticks(b)
	if s.objects < 100_000 || *everything {
		s.first(b)
	}
}

// first measures a start that writes each status. What it takes is mostly the API
// server's, and who comes second would write over what is there: there is one only.
func (s fleetSize) first(b *testing.B) {
	b.Helper()
	m := do(b, job{By: ours, Objects: s.job(full, func(j *objectsJob) { j.Mark = mark() })})["start"]
	measures{"s-all": m["s-all"], "s-cpu": m["s-cpu"], "calls": m["calls"]}.print(b, name("first", full, ours))
}

// serve measures starts, users, resyncs and the metrics.
func (s fleetSize) serve(b *testing.B, by string) {
	b.Helper()
	alone := do(b, job{By: by, Objects: s.job(full, func(j *objectsJob) { j.Users = aloneFor })})
	found := do(b, job{By: by, Objects: s.job(full, func(j *objectsJob) {
		j.Resync, j.Resyncs, j.Users = s.resync, s.resyncs, s.users
	})})
	s.start(b, full, by, alone["start"], found["start"])
	measures{"B/object": sizeOf(b, s.objects)}.print(b, name("size", full, by))
	alone["users"].print(b, name("alone", full, by))
	found["dropped"].print(b, name("dropped", full, by))
	found["queued"].print(b, name("queued", full, by))
	found["users-resync"].print(b, name("resync", full, by))
	found["metrics"].print(b, name("metrics", full, by))
}

// start measures starts, beside those that were measured already.
func (s fleetSize) start(b *testing.B, form, by string, all ...measures) {
	b.Helper()
	for len(all) < s.starts {
		all = append(all, do(b, job{By: by, Objects: s.job(form, nil)})["start"])
	}
	middle(all).print(b, name("start", form, by))
}

// forms measures starts with other forms of objects in the cache.
func (s fleetSize) forms(b *testing.B) {
	b.Helper()
	for _, form := range []string{stripped, metadata, least} {
		s.start(b, form, ours)
	}
}

// ticks measures users while a ticker goes through the fleet.
func (s fleetSize) ticks(b *testing.B) {
	b.Helper()
	found := do(b, job{By: ours, Objects: s.job(full, func(j *objectsJob) { j.Ticker, j.Users = s.ticker, s.users })})
	found["users-ticker"].print(b, name("ticker", full, ours))
}

// aloneFor is how long users change objects while nothing else is going on.
const aloneFor = 5 * time.Second

func name(at, form, by string) string {
	return fmt.Sprintf("at=%s/form=%s/by=%s", at, form, by)
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

// sizeOf returns how many bytes the first object of a fleet has as JSON.
func sizeOf(b *testing.B, objects int) float64 {
	b.Helper()
	cert := &certv1.Certificate{}
	require.NoError(b, world.Get(b.Context(), client.ObjectKey{Namespace: namespaceOf(objects), Name: nameOf(0)}, cert))
	text, err := json.Marshal(cert)
	require.NoError(b, err)
	return float64(len(text))
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
	start := time.Now()
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
	fmt.Fprintf(os.Stderr, "%d objects created in %s\n", objects, time.Since(start).Round(time.Second))
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
