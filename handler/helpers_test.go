package handler_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/trimtab/trimtab/queue"
	"github.com/trimtab/trimtab/trigger"
)

// observed is an Observer that counts handler panics and remembers deliveries.
type observed struct {
	mu       sync.Mutex
	last     trigger.Info
	panicked []trigger.Source
}

func (*observed) Added(trigger.Source, bool)    {}
func (*observed) Requeued(trigger.Source)       {}
func (*observed) FailuresReset()                {}
func (*observed) Limited(string, time.Duration) {}
func (*observed) GaveUp()                       {}
func (*observed) HotLoop()                      {}

func (o *observed) Delivered(info trigger.Info) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.last = info
}

func (o *observed) HandlerPanicked(source trigger.Source) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.panicked = append(o.panicked, source)
}

func newQueue[T comparable](t *testing.T) (*queue.Queue[T], *observed) {
	t.Helper()
	o := &observed{}
	q := queue.New("test", queue.Options[T]{Observer: o})
	t.Cleanup(q.ShutDown)
	return q, o
}

// delivery is a request with what the queue knows of it.
type delivery[T comparable] struct {
	request  T
	sources  string
	priority int
}

// deliveries takes and finishes everything that is ready.
func deliveries[T comparable](t *testing.T, q *queue.Queue[T], o *observed) []delivery[T] {
	t.Helper()
	got := []delivery[T]{}
	for q.Len() > 0 {
		r, priority, shutdown := q.GetWithPriority()
		require.False(t, shutdown)
		got = append(got, delivery[T]{r, o.last.Sources.String(), priority})
		q.Done(r)
	}
	return got
}

func request(name string) reconcile.Request {
	r := reconcile.Request{}
	r.Namespace, r.Name = "ns", name
	return r
}

// foreign is a priority queue that is not Trimtab's. It remembers what was added.
type foreign struct {
	priorityqueue.PriorityQueue[reconcile.Request]
	calls []string
}

func (f *foreign) Add(r reconcile.Request) { f.calls = append(f.calls, "Add "+r.Name) }

func (f *foreign) AddAfter(r reconcile.Request, after time.Duration) {
	f.calls = append(f.calls, "AddAfter "+r.Name+" "+after.String())
}

func (f *foreign) AddRateLimited(r reconcile.Request) {
	f.calls = append(f.calls, "AddRateLimited "+r.Name)
}

func (f *foreign) AddWithOpts(o priorityqueue.AddOpts, requests ...reconcile.Request) {
	for _, r := range requests {
		s := "AddWithOpts " + r.Name
		if o.Priority != nil && *o.Priority == -100 {
			s += " low"
		}
		f.calls = append(f.calls, s)
	}
}

var _ workqueue.TypedRateLimitingInterface[reconcile.Request] = (*foreign)(nil)
