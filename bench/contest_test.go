package bench_test

import (
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/trimtab/trimtab/queue"
)

// The names of the contestants: the last part of each benchmark's name is by= and
// one of them.
const (
	ours              = "trimtab"
	controllerRuntime = "controller-runtime"
	clientGo          = "client-go"
)

type request = reconcile.Request

func TestMain(m *testing.M) {
	ctrl.SetLogger(logr.Discard()) // or it complains that nobody did
	m.Run()
}

// contestant is a queue under the name of who made it.
type contestant[T comparable] struct {
	name string
	new  func() workqueue.TypedRateLimitingInterface[T]
}

// contestants are the queues in the form in which a controller uses them, without a
// name: a queue that has one also counts for its metrics.
func contestants[T comparable]() []contestant[T] {
	return []contestant[T]{
		{ours, func() workqueue.TypedRateLimitingInterface[T] { return queue.New("", queue.Options[T]{}) }},
		{controllerRuntime, func() workqueue.TypedRateLimitingInterface[T] { return priorityqueue.New[T]("") }},
		{clientGo, func() workqueue.TypedRateLimitingInterface[T] {
			return workqueue.NewTypedRateLimitingQueue(workqueue.NewTypedItemExponentialFailureRateLimiter[T](5*time.Millisecond, 1000*time.Second))
		}},
	}
}

func ints(n int) []int {
	keys := make([]int, n)
	for i := range keys {
		keys[i] = i
	}
	return keys
}

func requests(n int) []request {
	keys := make([]request, n)
	for i := range keys {
		keys[i].Namespace, keys[i].Name = "default", "object-"+strconv.Itoa(i)
	}
	return keys
}

// size returns how many keys a benchmark has, fewer in a quick run.
func size(long, short int) int {
	if testing.Short() {
		return short
	}
	return long
}

// flush makes controller-runtime's queue take in what was added: its adds only
// leave a note. Twice, so that it lets go of the notes too.
func flush[T comparable](q workqueue.TypedInterface[T]) {
	for range 2 {
		_ = q.Len()
	}
}

// heap returns how many bytes are live.
func heap() float64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

// meter counts what is allocated between its start and stop, of every goroutine.
type meter struct{ objects, bytes uint64 }

func (m *meter) start() { m.add(-1) }
func (m *meter) stop()  { m.add(1) }

func (m *meter) add(sign int) {
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	m.objects += uint64(sign) * s.Mallocs
	m.bytes += uint64(sign) * s.TotalAlloc
}

// perKey reports the time of the benchmark, and what the meter has seen if there is
// one, for each of n keys of each turn, in place of the time of a turn.
func perKey(b *testing.B, n int, m *meter) {
	b.Helper()
	all := float64(b.N) * float64(n)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/all, "ns/key")
	if m != nil {
		b.ReportMetric(float64(m.objects)/all, "allocs/key")
		b.ReportMetric(float64(m.bytes)/all, "B/key")
	}
}
