package requeue_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr/funcr"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/trimtab/trimtab/queue"
	"github.com/trimtab/trimtab/requeue"
	"github.com/trimtab/trimtab/trigger"
)

var (
	_ source.Source              = (*requeue.Ticker[reconcile.Request])(nil)
	_ source.TypedSource[string] = (*requeue.Ticker[string])(nil)
)

// world is objects that come and go, and when each was enqueued.
type world struct {
	workqueue.TypedRateLimitingInterface[string] // nothing else is called

	mu    sync.Mutex
	born  map[string]time.Time // of those that are there
	adds  map[string][]time.Time
	fails error
	calls int
	gate  chan struct{} // until it is closed, Add hangs
}

func newWorld(n int) *world {
	w := &world{born: map[string]time.Time{}, adds: map[string][]time.Time{}}
	for i := range n {
		w.born[fmt.Sprint("o-", i)] = time.Now()
	}
	return w
}

func (w *world) Add(key string) {
	w.mu.Lock()
	gate := w.gate
	w.mu.Unlock()
	if gate != nil {
		<-gate
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.adds[key] = append(w.adds[key], time.Now())
}

func (w *world) list(context.Context) (all []string, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls++
	for key := range w.born { // in no order, as from a cache
		all = append(all, key)
	}
	return all, w.fails
}

func (w *world) change(f func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f()
}

// tick starts a Ticker for the world, which ends with the bubble.
func (w *world) tick(t *testing.T, period time.Duration) *requeue.Ticker[string] {
	t.Helper()
	ticker := requeue.NewTicker(requeue.TickerOptions[string]{Period: period, List: w.list})
	require.NoError(t, ticker.Start(quiet(t.Context()), w))
	return ticker
}

func quiet(ctx context.Context) context.Context {
	return log.IntoContext(ctx, funcr.New(func(string, string) {}, funcr.Options{}))
}

// sleep lets d pass, and what was due then happen.
func sleep(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// longest returns the longest that a key had to wait until end, from its birth on.
func (w *world) longest(key string, end time.Time) (longest time.Duration) {
	last := w.born[key]
	for _, at := range append(slices.Clone(w.adds[key]), end) {
		longest, last = max(longest, at.Sub(last)), at
	}
	return longest
}

// JT01: a whole fleet once per period, at equal distances, from the start on.
func TestTickerEven_JT01(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const fleet, period, periods = 10_000, 10 * time.Minute, 3
		w := newWorld(fleet)
		w.tick(t, period)
		sleep(periods * period)
		seconds := map[int64]int{}
		for key := range w.born {
			require.InDelta(t, periods, len(w.adds[key]), 1)
			require.LessOrEqual(t, w.longest(key, time.Now()), period)
			for _, at := range w.adds[key] {
				seconds[at.Unix()]++
			}
		}
		for second, n := range seconds {
			require.LessOrEqual(t, float64(n), 1.1*fleet/period.Seconds(), second)
		}
		require.InDelta(t, periods*period.Seconds(), len(seconds), 1)
		require.InDelta(t, 8*periods, w.calls, 1)
	})
}

// JT04: tickers of the same period that start together do not tick together.
func TestTickersDiffer_JT04(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first := map[time.Duration]bool{}
		for range 3 {
			w, start := newWorld(1), time.Now()
			w.tick(t, time.Hour)
			sleep(time.Hour)
			first[w.adds["o-0"][0].Sub(start)] = true
		}
		require.Len(t, first, 3)
	})
}

// Nothing waits for longer than a period, whatever comes and goes.
func TestTickerChurn(t *testing.T) {
	for name, churn := range map[string]func(w *world, r *rand.Rand){
		"one by one": func(w *world, _ *rand.Rand) { w.swap(3, 3) },
		"growing":    func(w *world, _ *rand.Rand) { w.swap(0, 20) },
		"shrinking":  func(w *world, _ *rand.Rand) { w.swap(1, 0) },
		"in bursts": func(w *world, r *rand.Rand) {
			switch r.IntN(30) {
			case 0:
				w.swap(0, 300)
			case 1:
				w.swap(200, 0)
			}
		},
		"all at once": func(w *world, r *rand.Rand) {
			if r.IntN(50) == 0 {
				w.swap(10_000, 500)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const period = 10 * time.Minute
				r := rand.New(rand.NewPCG(1, 2))
				w := newWorld(500)
				w.tick(t, period)
				for range 300 {
					sleep(time.Duration(r.IntN(30_000)) * time.Millisecond)
					w.change(func() { churn(w, r) })
				}
				for key := range w.born {
					require.LessOrEqual(t, w.longest(key, time.Now()), period, key)
				}
			})
		})
	}
}

// swap removes and adds so many.
func (w *world) swap(gone, added int) {
	for key := range w.born {
		if gone--; gone < 0 {
			break
		}
		delete(w.born, key)
	}
	for range added {
		w.born[fmt.Sprint("new-", len(w.born), "-", time.Now())] = time.Now()
	}
}

// What is gone is enqueued no more, once the next List has told.
func TestTickerGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(10)
		w.tick(t, 8*time.Minute)
		sleep(20 * time.Minute)
		w.change(func() { delete(w.born, "o-3") })
		sleep(time.Minute)
		var before int
		w.change(func() { before = len(w.adds["o-3"]) })
		sleep(time.Hour)
		w.change(func() {
			require.Len(t, w.adds["o-3"], before)
			clear(w.born)
		})
		sleep(time.Minute)
		w.change(func() { clear(w.adds) })
		sleep(time.Hour)
		require.Empty(t, w.adds)
		w.change(func() { w.born["late"] = time.Now() })
		sleep(8 * time.Minute)
		require.NotEmpty(t, w.adds["late"], "an empty fleet fills again")
	})
}

// A new period counts at once; nothing waits for longer than it, nor do all come at
// once.
func TestTickerPeriodChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const fleet = 600
		w := newWorld(fleet)
		ticker := w.tick(t, 10*time.Hour)
		sleep(3 * time.Hour)
		for _, period := range []time.Duration{10 * time.Minute, time.Minute, time.Hour, 10 * time.Minute} {
			require.NoError(t, ticker.SetPeriod(period))
			w.change(func() {
				clear(w.adds)
				for key := range w.born {
					w.born[key] = time.Now()
				}
			})
			sleep(2 * period)
			peak := map[int64]int{}
			for key := range w.born {
				require.LessOrEqual(t, w.longest(key, time.Now()), period, "%v", period)
				for _, at := range w.adds[key] {
					peak[at.Unix()]++
				}
			}
			for _, n := range peak {
				require.LessOrEqual(t, n, int(2*fleet/period.Seconds())+1, "%v", period)
			}
		}
		for _, period := range []time.Duration{0, -1, math.MinInt64, time.Second - 1} {
			require.EqualError(t, ticker.SetPeriod(period), fmt.Sprintf("requeue: Period is %v, want at least 1s", period))
		}
	})
}

// While List fails, or panics, the fleet of the last time goes on; the log says so once.
func TestTickerListFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const period = 8 * time.Minute
		w := newWorld(60)
		var lines []string
		ctx := log.IntoContext(t.Context(), funcr.New(func(_, args string) {
			w.change(func() { lines = append(lines, args) })
		}, funcr.Options{}))
		broken := false
		ticker := requeue.NewTicker(requeue.TickerOptions[string]{Period: period, List: func(ctx context.Context) ([]string, error) {
			if broken {
				panic("broken")
			}
			return w.list(ctx)
		}})
		w.fails = errors.New("no such cache")
		require.NoError(t, ticker.Start(ctx, w))
		sleep(time.Hour)
		require.Empty(t, w.adds)
		require.Len(t, lines, 1)
		require.Contains(t, lines[0], "no such cache")
		w.change(func() { w.fails = nil })
		sleep(10*time.Second + period)
		require.Len(t, w.adds, 60, "within a period of the first answer")

		w.change(func() { broken, w.adds = true, map[string][]time.Time{} })
		sleep(3 * period)
		require.Len(t, w.adds, 60)
		for key, adds := range w.adds {
			require.GreaterOrEqual(t, len(adds), 2, key)
		}
		require.Len(t, lines, 2)
		require.Contains(t, lines[1], "List panicked: broken")
	})
}

// When the process was held up, what is late comes at twice the pace, not all at once.
func TestTickerHeldUp(t *testing.T) {
	for _, hang := range []time.Duration{time.Minute, 7 * time.Minute} { // List is called or not
		synctest.Test(t, func(t *testing.T) { heldUp(t, hang) })
	}
}

func heldUp(t *testing.T, hang time.Duration) {
	t.Helper()
	const fleet, period = 600, 10 * time.Minute
	w := newWorld(fleet)
	w.tick(t, period)
	sleep(15 * time.Minute)
	gate := make(chan struct{})
	w.change(func() { w.gate = gate })
	sleep(hang)
	w.change(func() { w.gate, w.adds = nil, map[string][]time.Time{} })
	close(gate)
	since := time.Now()
	sleep(period)
	seconds := map[int64]int{}
	for key := range w.born {
		require.NotEmpty(t, w.adds[key])
		for _, at := range w.adds[key] {
			seconds[int64(at.Sub(since)/time.Second)]++
		}
	}
	for second, n := range seconds {
		require.LessOrEqual(t, n, 3, "second %d", second)
	}
}

// Many new ones at once, just after a List, are enqueued within a period, too.
func TestTickerManyNew(t *testing.T) {
	for _, old := range []int{1, 100} {
		synctest.Test(t, func(t *testing.T) {
			const period = 8 * time.Minute
			w := newWorld(old)
			w.tick(t, period)
			sleep(20*time.Minute + time.Second)
			w.change(func() { w.swap(0, 500) })
			sleep(2 * period)
			require.Len(t, w.born, old+500)
			for key := range w.born {
				require.LessOrEqual(t, w.longest(key, time.Now()), period, key)
			}
		})
	}
}

// So is one that has come while List failed, in place of another.
func TestTickerNewUnseen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const period = 8 * time.Minute
		w := newWorld(1)
		w.tick(t, period)
		sleep(20 * time.Minute)
		var last time.Time
		w.change(func() { last = w.adds["o-0"][len(w.adds["o-0"])-1] })
		sleep(time.Until(last.Add(period - 30*time.Second)))
		w.change(func() {
			w.fails = errors.New("no such cache")
			w.swap(1, 1)
		})
		sleep(3 * time.Minute)
		w.change(func() { w.fails = nil })
		sleep(2 * period)
		for key := range w.born {
			require.LessOrEqual(t, w.longest(key, time.Now()), period, key)
		}
	})
}

// The end of the context is that of the goroutine, whatever it is about to do.
func TestTickerEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(quiet(t.Context()))
		w := newWorld(10)
		ticker := requeue.NewTicker(requeue.TickerOptions[string]{Period: time.Hour, List: w.list})
		for range 3 {
			require.NoError(t, ticker.Start(ctx, w)) // each controller has its own
		}
		hanging := requeue.NewTicker(requeue.TickerOptions[string]{Period: time.Hour, List: func(ctx context.Context) ([]string, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}})
		require.NoError(t, hanging.Start(ctx, w))
		sleep(time.Hour)
		for key := range w.born {
			require.InDelta(t, 3, len(w.adds[key]), 3)
		}
		cancel()
		synctest.Wait()
		w.change(func() { clear(w.adds) })
		sleep(3 * time.Hour)
		require.Empty(t, w.adds) // and the bubble ends, so all goroutines have
	})
}

// What a Ticker adds is Periodic in Trimtab's queue, at low priority in any other
// that knows one, and nothing else in client-go's.
func TestTickerQueues(t *testing.T) {
	run := func(t *testing.T, q workqueue.TypedRateLimitingInterface[string]) string {
		t.Helper()
		ticker := requeue.NewTicker(requeue.TickerOptions[string]{Period: time.Second, List: func(context.Context) ([]string, error) {
			return []string{"k", "k"}, nil
		}})
		ctx, cancel := context.WithCancel(t.Context())
		require.NoError(t, ticker.Start(ctx, q))
		sleep(1500 * time.Millisecond)
		cancel()
		key, _ := q.Get()
		q.Done(key)
		q.ShutDown()
		sleep(time.Hour)
		return key
	}
	t.Run("trimtab", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			q := &known{Queue: queue.New("", queue.Options[string]{})}
			require.Equal(t, "k", run(t, q))
			require.Equal(t, trigger.SetOf(trigger.Periodic), q.info.Sources)
			require.Equal(t, -100, q.info.Priority)
		})
	})
	t.Run("another priority queue", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			q := &prioritized{PriorityQueue: queue.New("", queue.Options[string]{})}
			require.Equal(t, "k", run(t, q))
			require.Equal(t, -100, q.priority)
		})
	})
	t.Run("client-go", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			require.Equal(t, "k", run(t, workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]())))
		})
	})
}

// known notes what the queue knows of the run.
type known struct {
	*queue.Queue[string]
	info trigger.Info
}

func (k *known) Get() (string, bool) {
	key, down := k.Queue.Get()
	k.info, _ = k.Running(key)
	return key, down
}

// prioritized hides all but a PriorityQueue.
type prioritized struct {
	priorityqueue.PriorityQueue[string]
	priority int
}

func (p *prioritized) Get() (string, bool) {
	key, priority, down := p.GetWithPriority()
	p.priority = priority
	return key, down
}

func TestTickerOptionsValidate(t *testing.T) {
	list := func(context.Context) ([]string, error) { return nil, nil }
	for want, opts := range map[string]requeue.TickerOptions[string]{
		"requeue: Period is 0s, want at least 1s":           {List: list},
		"requeue: Period is -1s, want at least 1s":          {Period: -time.Second, List: list},
		"requeue: Period is 999.999999ms, want at least 1s": {Period: time.Second - 1, List: list},
		"requeue: List is nil, want a function":             {Period: time.Second},
	} {
		require.EqualError(t, opts.Validate(), want)
		require.PanicsWithError(t, want, func() { requeue.NewTicker(opts) })
	}
	require.NoError(t, requeue.TickerOptions[string]{Period: time.Second, List: list}.Validate())
}

// Objects returns a request for each object within the options, and no copy of them.
func TestObjects(t *testing.T) {
	reader := &asked{}
	like := &corev1.ConfigMapList{}
	for range 2 {
		got, err := requeue.Objects(reader, like)(t.Context())
		require.NoError(t, err)
		require.ElementsMatch(t, []reconcile.Request{request("a", "x"), request("a", "y"), request("b", "x")}, got)
	}
	require.True(t, *reader.opts.UnsafeDisableDeepCopy)
	require.Empty(t, like.Items, "what was given stays as it is")

	got, err := requeue.Objects(reader, like, client.InNamespace("b"))(t.Context())
	require.NoError(t, err)
	require.Equal(t, []reconcile.Request{request("b", "x")}, got)

	reader.fails = errors.New("no cache")
	_, err = requeue.Objects(reader, like)(t.Context())
	require.EqualError(t, err, "requeue: list *v1.ConfigMapList: no cache")
	require.ErrorIs(t, err, reader.fails)

	for _, call := range []func(){func() { requeue.Objects(nil, like) }, func() { requeue.Objects(reader, nil) }} {
		require.PanicsWithError(t, "requeue: Objects: the reader and the list must not be nil", call)
	}
}

func request(namespace, name string) reconcile.Request {
	return reconcile.Request{NamespacedName: client.ObjectKey{Namespace: namespace, Name: name}}
}

// asked is a reader that knows three ConfigMaps, and with which options it was asked.
type asked struct {
	client.Reader // nothing else is called
	opts          client.ListOptions
	fails         error
}

func (a *asked) List(_ context.Context, list client.ObjectList, opts ...client.ListOption) error {
	a.opts = client.ListOptions{}
	a.opts.ApplyOptions(opts)
	if a.fails != nil {
		return a.fails
	}
	items := &list.(*corev1.ConfigMapList).Items //nolint:forcetypeassert // It is of the kind that the test gave.
	for _, r := range []reconcile.Request{request("a", "x"), request("a", "y"), request("b", "x")} {
		if a.opts.Namespace == "" || a.opts.Namespace == r.Namespace {
			*items = append(*items, corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: r.Namespace, Name: r.Name}})
		}
	}
	return nil
}
