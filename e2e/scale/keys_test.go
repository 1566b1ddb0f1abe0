package scale_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	ctrlmetrics "sigs.k8s.io/controller-runtime/pkg/metrics"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/reconcile"
)

// keysJob is to take so many requests through a loop.
type keysJob struct{ Keys int }

// BenchmarkKeys takes requests through a controller and its queue: once each while all
// of them succeed, then so that each fails once.
func BenchmarkKeys(b *testing.B) {
	sizes := []int{1000, 10_000, 100_000, 1_000_000}
	if testing.Short() {
		sizes = []int{1000, 10_000}
	}
	for _, n := range sizes {
		for _, by := range []string{ours, stock} {
			times := 3
			if n == 1_000_000 {
				times = 1 // it is long enough
			}
			var all []measures
			for range times {
				all = append(all, do(b, job{By: by, Keys: &keysJob{Keys: n}})["keys"])
			}
			middle(all).print(b, fmt.Sprintf("keys=%d/by=%s", n, by))
		}
	}
}

// enqueue does the job.
func enqueue(ctx context.Context, by string, j keysJob) (map[string]measures, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	c := &consumer{keys: make([]reconcile.Request, j.Keys), failed: make([]atomic.Bool, j.Keys), done: make(chan struct{}, 1)}
	for i := range c.keys {
		c.keys[i] = reconcile.Request{NamespacedName: types.NamespacedName{Namespace: "fleet", Name: nameOf(i)}}
	}
	options := controller.Options{Reconciler: c, MaxConcurrentReconciles: workers}
	if by == ours {
		c.loop = trimtab.New("keys", trimtab.Options{})
		options.Reconciler = c.loop.Reconciler(c)
		options = c.loop.ControllerOptions(options)
	}
	q, stop, err := run(ctx, options)
	if err != nil {
		return nil, err
	}
	m, err := c.measure(ctx, q)
	cancel()
	return map[string]measures{"keys": m}, errors.Join(err, stop())
}

// run runs a controller, and returns its queue, and what waits for its end.
func run(ctx context.Context, options controller.Options) (q workqueue.TypedRateLimitingInterface[reconcile.Request], wait func() error, err error) {
	control, err := controller.NewUnmanaged("keys", options)
	if err != nil {
		return nil, nil, err
	}
	queues := make(chan workqueue.TypedRateLimitingInterface[reconcile.Request], 1)
	if err := control.Watch(source.Func(func(_ context.Context, q workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
		queues <- q
		return nil
	})); err != nil {
		return nil, nil, err
	}
	ended := make(chan error, 1)
	go func() { ended <- control.Start(ctx) }()
	return <-queues, func() error { return <-ended }, nil
}

// consumer is a reconciler of a child.
type consumer struct {
	loop   *trimtab.Loop // nil if the controller is stock
	keys   []reconcile.Request
	gate   sync.RWMutex // held while all are added
	fail   atomic.Bool  // whether each is to fail once
	failed []atomic.Bool
	left   atomic.Int64
	done   chan struct{}
}

var errOnce = errors.New("fails once")

// Reconcile implements reconcile.Reconciler.
func (c *consumer) Reconcile(_ context.Context, req reconcile.Request) (reconcile.Result, error) {
	c.gate.RLock()
	defer c.gate.RUnlock()
	if c.fail.Load() && c.failed[numberOf(req.Name)].CompareAndSwap(false, true) {
		return reconcile.Result{}, errOnce
	}
	if c.left.Add(-1) == 0 {
		c.done <- struct{}{}
	}
	return reconcile.Result{}, nil
}

// measure takes all keys through q, twice.
func (c *consumer) measure(ctx context.Context, q workqueue.TypedRateLimitingInterface[reconcile.Request]) (measures, error) {
	n := float64(len(c.keys))
	before := heap()
	c.gate.Lock()
	added := c.add(q)
	q.Len()
	q.Len() // controller-runtime's queue has sorted in what was added, and let go of the rest
	m := measures{"live-B/key": (heap() - before) / n, "s-add": added.Seconds()}
	if err := c.look(m); err != nil {
		return nil, err
	}
	start := time.Now()
	c.gate.Unlock()
	if err := c.wait(ctx); err != nil {
		return nil, err
	}
	m["s-runs"] = time.Since(start).Seconds()
	m["MB-peak"] = peak() / megabyte

	c.fail.Store(true)
	start = time.Now()
	c.add(q)
	if err := c.wait(ctx); err != nil {
		return nil, err
	}
	m["s-failing"] = time.Since(start).Seconds()
	m["MB-left"] = (heap() - before) / megabyte
	runtime.KeepAlive(c.keys)
	return m, c.count(m)
}

// add adds all keys, and returns how long it took.
func (c *consumer) add(q workqueue.TypedRateLimitingInterface[reconcile.Request]) time.Duration {
	c.left.Store(int64(len(c.keys)))
	start := time.Now()
	for _, key := range c.keys {
		q.Add(key)
	}
	return time.Since(start)
}

func (c *consumer) wait(ctx context.Context) error {
	select {
	case <-c.done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%d keys have not run: %w", c.left.Load(), ctx.Err())
	}
}

// look measures what a look at the full queue costs.
func (c *consumer) look(m measures) error {
	_, _, took, err := scraped(loopOnly{ctrlmetrics.Registry})
	if err != nil {
		return err
	}
	m["ms-scrape"] = milliseconds(took)
	if c.loop == nil {
		return nil
	}
	var all []time.Duration
	made, looks := allocations(), 11
	for range looks {
		start := time.Now()
		s := c.loop.Status()
		all = append(all, time.Since(start))
		if waits := s.Queue.Depth; sum(waits[:]) != len(c.keys)-workers {
			return fmt.Errorf("%v of %d requests are ready, besides %d that run", waits, len(c.keys), workers)
		}
	}
	m["allocs-status"] = (allocations() - made) / float64(looks)
	m["ms-status"] = milliseconds(median(all))
	return nil
}

// count counts what must not grow: the series, and the objects that are known by name.
func (c *consumer) count(m measures) error {
	series, _, _, err := scraped(loopOnly{ctrlmetrics.Registry})
	if err != nil {
		return err
	}
	m["series"] = float64(series)
	if c.loop != nil {
		m["named"] = float64(len(c.loop.Snapshot().Hot))
		m["status-named"] = float64(len(c.loop.Status().Hot))
	}
	return nil
}

func sum(all []int) (total int) {
	for _, n := range all {
		total += n
	}
	return total
}
