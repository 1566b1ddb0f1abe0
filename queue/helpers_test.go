package queue_test

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/trimtab/trimtab/queue"
	"github.com/trimtab/trimtab/ratelimit"
	"github.com/trimtab/trimtab/trigger"
)

const ms = time.Millisecond

// newQueue returns a queue whose retries wait 10 ms, 20 ms, 40 ms and so on.
func newQueue() *queue.Queue[string] {
	return queue.New("test", queue.Options[string]{RateLimiter: doubling()})
}

func doubling() workqueue.TypedRateLimiter[string] {
	return ratelimit.NewExponential[string](ratelimit.ExponentialOptions{BaseDelay: 10 * ms, MaxDelay: time.Hour, TTL: 10_000 * time.Hour})
}

// sleep lets d pass, and what was due then happen.
func sleep(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// standing returns how many requests a worker could take now.
func standing(q *queue.Queue[string]) int {
	n := 0
	for _, depth := range q.Snapshot().Depth {
		n += depth
	}
	return n
}

// take takes the next request, which must be ready.
func take(t *testing.T, q *queue.Queue[string]) (key string, priority int) {
	t.Helper()
	require.Positive(t, standing(q), "nothing is ready")
	key, priority, shutdown := q.GetWithPriority()
	require.False(t, shutdown)
	return key, priority
}

// takeKey takes the next request, which must be key, and returns its priority.
func takeKey(t *testing.T, q *queue.Queue[string], key string) int {
	t.Helper()
	got, priority := take(t, q)
	require.Equal(t, key, got)
	return priority
}

// drain takes and finishes what is ready: "key@priority" in the order of delivery.
func drain(t *testing.T, q *queue.Queue[string]) []string {
	t.Helper()
	order := []string{}
	for standing(q) > 0 {
		key, priority := take(t, q)
		order = append(order, fmt.Sprintf("%s@%d", key, priority))
		q.Done(key)
	}
	return order
}

// at returns options for an add at that priority.
func at(priority int) priorityqueue.AddOpts { return priorityqueue.AddOpts{Priority: &priority} }

// answer does what a controller does with the outcome of a run of key that was
// taken at the priority popped, Done aside.
func answer(q *queue.Queue[string], key string, popped int, result reconcile.Result, err error) {
	if result.Priority != nil {
		popped = *result.Priority
	}
	switch {
	case err != nil:
		q.AddWithOpts(priorityqueue.AddOpts{RateLimited: true, Priority: &popped}, key)
	case result.RequeueAfter > 0:
		q.Forget(key)
		q.AddWithOpts(priorityqueue.AddOpts{After: result.RequeueAfter, Priority: &popped}, key)
	case result.Requeue: //nolint:staticcheck // Deprecated, and still in use.
		q.AddWithOpts(priorityqueue.AddOpts{RateLimited: true, Priority: &popped}, key)
	default:
		q.Forget(key)
	}
}

// recorder is an Observer that remembers everything.
type recorder struct {
	mu        sync.Mutex
	added     []string // "source", or "source merged"
	limited   []string // "class delay"
	requeued  []trigger.Source
	delivered []trigger.Info
	panicked  []trigger.Source
	hotLoops  int
	resets    int
	gaveUp    int
}

func (r *recorder) Added(source trigger.Source, merged bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := source.String()
	if merged {
		s += " merged"
	}
	r.added = append(r.added, s)
}

func (r *recorder) Requeued(source trigger.Source) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requeued = append(r.requeued, source)
}

func (r *recorder) Limited(class string, delay time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.limited = append(r.limited, fmt.Sprintf("%s %s", class, delay))
}

func (r *recorder) FailuresReset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.resets++
}

func (r *recorder) HotLoop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.hotLoops++
}

func (r *recorder) GaveUp() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.gaveUp++
}

func (r *recorder) Delivered(info trigger.Info) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.delivered = append(r.delivered, info)
}

func (r *recorder) HandlerPanicked(source trigger.Source) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.panicked = append(r.panicked, source)
}

// last returns what the observer was told of the last delivery.
func (r *recorder) last(t *testing.T) trigger.Info {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	require.NotEmpty(t, r.delivered)
	return r.delivered[len(r.delivered)-1]
}

// observed returns a queue as newQueue does, and what observes it.
func observed() (*queue.Queue[string], *recorder) {
	r := &recorder{}
	return queue.New("test", queue.Options[string]{RateLimiter: doubling(), Observer: r}), r
}
