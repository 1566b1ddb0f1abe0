package scale_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	ctrlmetrics "sigs.k8s.io/controller-runtime/pkg/metrics"

	certv1 "github.com/trimtab/trimtab/examples/certrotator/api/v1"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/reconcile"
	"github.com/trimtab/trimtab/requeue"
	"github.com/trimtab/trimtab/trigger"

	"github.com/trimtab/trimtab/e2e/internal/cluster"
)

// objectsJob is to serve all Certificates of a namespace. What is zero is not done.
type objectsJob struct {
	Kubeconfig string
	Namespace  string
	Objects    int
	Form       string        // in which the cache has them
	Mark       string        // to write into each status
	Users      time.Duration // how long they change objects, in all that follows, too
	Resync     time.Duration // the period of the cache
	Resyncs    int           // how many to follow
	Ticker     time.Duration // the period
}

// The forms of objects in a cache.
const (
	full     = "full"
	stripped = "without-managedFields"
	metadata = "metadata"
	least    = "metadata-without-managedFields"
)

const (
	workers = 16
	service = 2 * time.Millisecond  // of a run, while users look
	pace    = 10 * time.Millisecond // of the users' changes

	// patience bounds each step of a child.
	patience = 10 * time.Minute
)

// serve does the job.
func serve(ctx context.Context, by string, j objectsJob) (found map[string]measures, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	o := &operator{by: by, job: j, fleet: newFleet(j.Objects, j.Form == metadata || j.Form == least, j.Mark), found: map[string]measures{}}
	before, start, used := heap(), time.Now(), processors()
	ended, err := o.start(ctx)
	if err != nil {
		return nil, err
	}
	defer func() {
		cancel()
		err = errors.Join(err, <-ended)
	}()
	select {
	case <-o.fleet.all:
	case <-ctx.Done():
		return nil, fmt.Errorf("%d objects have not run: %w", o.fleet.left.Load(), o.fleet.failure)
	}
	m := measures{"s-all": time.Since(start).Seconds(), "s-cpu": (processors() - used).Seconds(), "calls": o.calls()}
	m["MB-peak"] = peak() / megabyte
	live := heap() - before
	m["MB-live"], m["live-B/object"] = live/megabyte, live/float64(j.Objects)
	o.found["start"] = m
	return o.found, o.follow(ctx)
}

// operator is the manager of a child.
type operator struct {
	by    string
	job   objectsJob
	fleet *fleet
	made  atomic.Int64 // calls of the API server
	user  client.Client
	found map[string]measures
}

func (o *operator) calls() float64 { return float64(o.made.Load()) }

// follow measures what the job wants to know besides.
func (o *operator) follow(ctx context.Context) error {
	steps := []struct {
		name string
		do   func(context.Context) (measures, error)
		want bool
	}{
		{"users", o.usersAlone, o.job.Users > 0 && o.job.Ticker == 0 && o.job.Resync == 0},
		{"dropped", o.dropped, o.job.Resyncs > 0},
		{"queued", o.queued, o.job.Resyncs > 0},
		{"users-resync", o.usersInResync, o.job.Users > 0 && o.job.Resync > 0},
		{"users-ticker", o.usersAlone, o.job.Users > 0 && o.job.Ticker > 0},
		{"metrics", o.metrics, true},
	}
	for _, step := range steps {
		if !step.want {
			continue
		}
		m, err := step.do(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
		o.found[step.name] = m
	}
	return nil
}

func (o *operator) dropped(ctx context.Context) (measures, error) {
	o.fleet.resyncs.admitted.Store(false)
	return o.fleet.resyncs.measure(ctx, o.job.Resyncs, o.calls)
}

func (o *operator) queued(ctx context.Context) (measures, error) {
	o.fleet.resyncs.admitted.Store(true)
	return o.fleet.resyncs.measure(ctx, o.job.Resyncs, o.calls)
}

func (o *operator) usersInResync(ctx context.Context) (measures, error) {
	o.fleet.resyncs.admitted.Store(true)
	return o.users(ctx, o.fleet.resyncs.going)
}

func (o *operator) usersAlone(ctx context.Context) (measures, error) {
	return o.users(ctx, func() bool { return true })
}

func (o *operator) users(ctx context.Context, counts func() bool) (measures, error) {
	o.fleet.service.Store(int64(service))
	defer o.fleet.service.Store(0)
	return o.fleet.users(ctx, o.user, o.job.Namespace, o.job.Users, pace, counts)
}

// metrics counts the series that a scrape shows, those of Go and of the API client, whose
// number has other reasons, aside.
func (o *operator) metrics(context.Context) (measures, error) {
	series, size, took, err := scraped(loopOnly{ctrlmetrics.Registry})
	return measures{"series": float64(series), "B/scrape": float64(size), "ms-scrape": milliseconds(took)}, err
}

// start starts the operator, and returns where it says how it ended.
func (o *operator) start(ctx context.Context) (ended <-chan error, err error) {
	config, err := clientcmd.BuildConfigFromFlags("", o.job.Kubeconfig)
	if err != nil {
		return nil, err
	}
	config.QPS = -1
	kinds, err := cluster.Scheme()
	if err != nil {
		return nil, err
	}
	if o.user, err = client.New(rest.CopyConfig(config), client.Options{Scheme: kinds}); err != nil {
		return nil, err
	}
	config.Wrap(func(rt http.RoundTripper) http.RoundTripper { return counted{rt, &o.made} })
	options := manager.Options{Scheme: kinds, Cache: o.cache()}
	options.Metrics.BindAddress = "0"
	if o.by == ours {
		options.NewClient = trimtab.NewClient
	}
	mgr, err := ctrl.NewManager(config, options)
	if err != nil {
		return nil, err
	}
	o.fleet.client = mgr.GetClient()
	if err := o.control(mgr); err != nil {
		return nil, err
	}
	errs := make(chan error, 1)
	go func() { errs <- mgr.Start(ctx) }()
	return errs, nil
}

func (o *operator) cache() cache.Options {
	c := cache.Options{DefaultNamespaces: map[string]cache.Config{o.job.Namespace: {}}}
	if o.job.Resync > 0 {
		c.SyncPeriod = &o.job.Resync
	}
	if o.job.Form == stripped || o.job.Form == least {
		c.DefaultTransform = cache.TransformStripManagedFields()
	}
	return c
}

// control adds the controller.
func (o *operator) control(mgr ctrl.Manager) error {
	options := controller.Options{MaxConcurrentReconciles: workers}
	var r reconcile.Reconciler = o.fleet
	admit := o.fleet.admit(o.by)
	if o.by == ours {
		loop := trimtab.New("certificate", trimtab.Options{For: &certv1.Certificate{}})
		options, r = loop.ControllerOptions(options), loop.Reconciler(r)
		admit = loop.Observe(trigger.Primary, "admit", admit)
	}
	of := []builder.ForOption{builder.WithPredicates(admit)}
	if o.fleet.metadata {
		of = append(of, builder.OnlyMetadata)
	}
	b := ctrl.NewControllerManagedBy(mgr).Named("certificate").For(&certv1.Certificate{}, of...).WithOptions(options)
	if o.job.Ticker > 0 {
		b.WatchesRawSource(requeue.NewTicker(requeue.TickerOptions[reconcile.Request]{
			Period: o.job.Ticker,
			List:   requeue.Objects(mgr.GetCache(), &certv1.CertificateList{}),
		}))
	}
	return b.Complete(r)
}

// counted is a transport that counts its calls.
type counted struct {
	http.RoundTripper
	calls *atomic.Int64
}

func (c counted) RoundTrip(r *http.Request) (*http.Response, error) {
	c.calls.Add(1)
	return c.RoundTripper.RoundTrip(r)
}

// isLoops tells whether a family of metrics is of loops, queues and controllers.
func isLoops(name string) bool {
	for _, prefix := range []string{"trimtab_", "workqueue_", "controller_runtime_"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}
