package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	ctrlevent "sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/handler"
	"github.com/trimtab/trimtab/predicate"
	"github.com/trimtab/trimtab/ratelimit"
	"github.com/trimtab/trimtab/reconcile"
	"github.com/trimtab/trimtab/trigger"

	"github.com/trimtab/trimtab/e2e/internal/scrape"
	"github.com/trimtab/trimtab/e2e/internal/slow"
)

// ME08: the percentiles of the latency for each trigger, as Prometheus makes them of
// the classic and of the native buckets, are those of a log that somebody else has
// kept of the same runs, or in the bucket beside.
func TestPercentilesAgreeWithALog_ME08(t *testing.T) {
	const each, calm = 40, 6 // requests for each trigger, and how many of them come alone
	s := newScene(t)
	for i := range each {
		s.createConfigMap(t, fmt.Sprint("resync-", i))
	}
	j := newJournal()
	j.start(t, s.namespace)
	eventually(t, func() error { return j.logged("resync", each) })

	for i := range each {
		s.createConfigMap(t, fmt.Sprint("primary-", i))
		s.createConfigMap(t, fmt.Sprint("retry-", i))
		s.createConfigMap(t, fmt.Sprint("periodic-", i))
		s.createSecret(t, fmt.Sprint("watched-", i))
		j.events <- ctrlevent.GenericEvent{Object: &corev1.ConfigMap{ObjectMeta: s.object(fmt.Sprint("external-", i))}}
		if i >= each-calm { // Until then they are more than the workers can do at once.
			eventually(t, func() error { return j.allLogged(i + 1) })
		}
	}
	s.createMerged(t, j, each)
	eventually(t, func() error {
		return errors.Join(j.logged("watched", 2*each), j.logged("primary", 4*each+journalWorkers))
	})

	for _, name := range []string{"primary", "external", "watched", "retry", "periodic", "resync"} {
		j.compare(t, name)
	}
}

// createMerged makes n requests with several events of one source, and n with events
// of two, while all workers are held.
func (s *scene) createMerged(t *testing.T, j *journal, n int) {
	t.Helper()
	for i := range journalWorkers {
		s.createConfigMap(t, fmt.Sprint("held-", i))
	}
	eventually(t, func() error { return j.logged("held", journalWorkers) })
	seen := j.count("events")
	for i := range n {
		s.createSecret(t, fmt.Sprint("primary-late-", i))
	}
	for i := range n {
		secret := s.createSecret(t, fmt.Sprint("watched-twice-", i))
		secret.StringData = map[string]string{"more": "data"}
		require.NoError(t, world.Update(t.Context(), secret))
	}
	for i := range n {
		s.createConfigMap(t, fmt.Sprint("primary-late-", i))
	}
	eventually(t, func() error { return j.logged("events", seen+4*n) })
	close(j.held)
}

func (s *scene) createSecret(t *testing.T, name string) *corev1.Secret {
	t.Helper()
	secret := &corev1.Secret{ObjectMeta: s.object(name)}
	require.NoError(t, world.Create(t.Context(), secret))
	return secret
}

const (
	journalWorkers = 4
	journalBackoff = 500 * time.Millisecond
	journalPeriod  = 100 * time.Millisecond
)

// journal is a reconciler that keeps a log of its own: when each request was caused,
// and when its run returned. What caused a run it knows from the events that it saw
// and from what it returned.
type journal struct {
	registry *prometheus.Registry
	client   client.Client
	events   chan ctrlevent.GenericEvent
	held     chan struct{} // holds the runs for some objects until it is closed

	mu     sync.Mutex
	begun  time.Time        // the first run: before that there were no workers
	next   map[string]cause // by object, what its next run will be for
	took   map[string][]float64
	counts map[string]int // of runs by trigger, of events, and of runs that are held
}

// cause is what caused a run, and since when it could have begun.
type cause struct {
	trigger string
	since   time.Time
}

func newJournal() *journal {
	return &journal{
		registry: prometheus.NewRegistry(),
		events:   make(chan ctrlevent.GenericEvent),
		held:     make(chan struct{}),
		next:     map[string]cause{},
		took:     map[string][]float64{},
		counts:   map[string]int{},
	}
}

// start runs the journal's controller until the test ends.
func (j *journal) start(t *testing.T, namespace string) {
	t.Helper()
	mgr := newManager(t, world.Config(), namespace, manager.Options{})
	var err error
	j.client, err = client.New(slowed(slow.Transport{Read: 5 * time.Millisecond}), client.Options{Scheme: mgr.GetScheme()})
	require.NoError(t, err)

	loop := trimtab.New("journal", trimtab.Options{
		Registerer:  j.registry,
		RateLimiter: ratelimit.NewExponential[reconcile.Request](ratelimit.ExponentialOptions{BaseDelay: journalBackoff, MaxDelay: journalBackoff}),
	})
	admit := predicate.Funcs{
		CreateFunc: func(e ctrlevent.CreateEvent) bool { return j.see(e.Object, e.IsInInitialList) },
		UpdateFunc: func(e ctrlevent.UpdateEvent) bool { return j.see(e.ObjectNew, false) },
		DeleteFunc: func(ctrlevent.DeleteEvent) bool { return false },
	}
	channel := source.Channel(j.events, handler.As(trigger.External, handler.EventHandler(&handler.EnqueueRequestForObject{})),
		source.WithPredicates[client.Object, reconcile.Request](predicate.NewPredicateFuncs(func(o client.Object) bool { return j.see(o, false) })))
	require.NoError(t, ctrl.NewControllerManagedBy(mgr).Named("journal").
		For(&corev1.ConfigMap{}).
		Watches(&corev1.Secret{}, handler.As(trigger.Watched, handler.EventHandler(&handler.EnqueueRequestForObject{}))).
		WatchesRawSource(channel).
		WithEventFilter(admit).
		WithOptions(loop.ControllerOptions(controller.Options{MaxConcurrentReconciles: journalWorkers})).
		Complete(loop.Reconciler(j)))
	runManager(t, mgr)
}

// see logs an event, unless the next run is for one as strong already.
func (j *journal) see(o client.Object, initial bool) bool {
	now := time.Now()
	kind, _, _ := strings.Cut(o.GetName(), "-")
	if kind == "kube" || initial && kind != "resync" {
		return false // kube-root-ca.crt
	}
	by := "primary"
	if _, ok := o.(*corev1.Secret); ok {
		by = "watched"
	} else if kind == "resync" || kind == "external" {
		by = kind
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.counts["events"]++
	if was, ok := j.next[o.GetName()]; !ok || was.trigger == "watched" && by == "primary" {
		j.next[o.GetName()] = cause{by, now}
	}
	return true
}

// Reconcile implements reconcile.Reconciler.
func (j *journal) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	why := j.begin(req.Name)
	number := 0
	kind, _, _ := strings.Cut(req.Name, "-")
	_, _ = fmt.Sscan(req.Name[strings.LastIndex(req.Name, "-")+1:], &number)
	var result reconcile.Result
	var err error
	switch {
	case kind == "held":
		<-j.held
	case why.trigger == "primary" && kind == "retry":
		err = errors.New("once more")
	case why.trigger == "primary" && kind == "periodic":
		result.RequeueAfter = time.Duration(1+number%5) * journalPeriod // They are not due all at once.
	default: // From 1 to 16 reads, so that the times spread.
		for range 1 << (number % 5) {
			err = errors.Join(err, j.client.Get(ctx, client.ObjectKey{Name: req.Namespace}, &corev1.Namespace{}))
		}
	}
	j.end(req.Name, why, result, err)
	return result, err
}

func (j *journal) begin(name string) cause {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.begun.IsZero() {
		j.begun = time.Now()
	}
	if strings.HasPrefix(name, "held") {
		j.counts["held"]++
	}
	why := j.next[name]
	delete(j.next, name)
	return why
}

func (j *journal) end(name string, why cause, result reconcile.Result, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	now := time.Now()
	since := why.since
	if since.Before(j.begun) {
		since = j.begun
	}
	j.took[why.trigger] = append(j.took[why.trigger], now.Sub(since).Seconds())
	j.counts[why.trigger]++
	switch {
	case err != nil:
		j.next[name] = cause{"retry", now.Add(journalBackoff)}
	case result.RequeueAfter > 0:
		j.next[name] = cause{"periodic", now.Add(result.RequeueAfter)}
	}
}

func (j *journal) logged(what string, n int) error {
	if got := j.count(what); got < n {
		return fmt.Errorf("%d of %d for %s", got, n, what)
	}
	return nil
}

func (j *journal) count(what string) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.counts[what]
}

// allLogged returns an error while there were fewer than n requests for each trigger.
func (j *journal) allLogged(n int) error {
	return errors.Join(j.logged("primary", 3*n), j.logged("retry", n), j.logged("periodic", n), j.logged("watched", n), j.logged("external", n))
}

// compare holds the histogram of a trigger against the log.
func (j *journal) compare(t *testing.T, name string) {
	t.Helper()
	j.mu.Lock()
	log := slices.Sorted(slices.Values(j.took[name]))
	j.mu.Unlock()
	var h scrape.Series
	eventually(t, func() error { // The last run is counted after the log has it.
		h = gather(t, j.registry).Max("trimtab_latency_seconds", "trigger", name)
		if n := h.Buckets.Count(); int(n) != len(log) {
			return fmt.Errorf("%.0f runs for %s are counted, %d logged", n, name, len(log))
		}
		return nil
	})
	require.Greater(t, h.Buckets.Index(log[len(log)-1])-h.Buckets.Index(log[0]), 1, "the times for %s do not spread", name)
	for _, q := range []float64{0.50, 0.95, 0.99} {
		exact := log[int(math.Ceil(q*float64(len(log))))-1]
		for kind, buckets := range map[string]scrape.Buckets{"classic": h.Buckets, "native": h.Native} {
			got := buckets.Quantile(q)
			t.Logf("%s P%.0f: %.4f s, by the %s histogram %.4f s", name, 100*q, exact, kind, got)
			require.InDelta(t, buckets.Index(exact), buckets.Index(got), 1, "%s P%.0f: %.4f s, by the %s histogram %.4f s", name, 100*q, exact, kind, got)
		}
	}
}
