package trimtab_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/metrics"
	"github.com/trimtab/trimtab/queue"
	"github.com/trimtab/trimtab/ratelimit"
	"github.com/trimtab/trimtab/reconcile"
	"github.com/trimtab/trimtab/trigger"
)

var errBroken = errors.New("broken")

// seen is what a run saw.
type seen struct {
	at      time.Duration
	key     string
	sources string
	attempt int
	class   string
}

// operator is a controller of controller-runtime on a loop, in a bubble of fake time.
type operator struct {
	loop  *trimtab.TypedLoop[string]
	queue workqueue.TypedRateLimitingInterface[string]
	start time.Time
	stop  func() // ends the controller and waits for it; more calls do nothing

	mu   sync.Mutex
	runs []seen
}

// newOperator starts a controller whose reconciler writes down what it sees and
// answers with answer. The controller ends with the test.
func newOperator(t *testing.T, opts trimtab.TypedOptions[string], base controller.TypedOptions[string], answer func(o *operator, key string) (reconcile.Result, error)) *operator {
	t.Helper()
	if opts.Registerer == nil && !opts.DisableMetrics {
		opts.Registerer = prometheus.NewRegistry()
	}
	o := &operator{loop: trimtab.NewTyped("things", opts), start: time.Now()}
	inner := reconcile.TypedFunc[string](func(ctx context.Context, key string) (reconcile.Result, error) {
		o.see(ctx, key)
		return answer(o, key)
	})
	skip := true
	base.SkipNameValidation = &skip
	base.Reconciler = o.loop.Reconciler(inner)
	base.Logger = logr.Discard()
	c, err := controller.NewTypedUnmanaged("thing", o.loop.ControllerOptions(base))
	require.NoError(t, err)
	require.NoError(t, c.Watch(source.TypedFunc[string](func(_ context.Context, q workqueue.TypedRateLimitingInterface[string]) error {
		o.queue = q
		return nil
	})))
	ctx, cancel := context.WithCancel(t.Context())
	stopped := make(chan error, 1)
	go func() { stopped <- c.Start(ctx) }()
	o.stop = sync.OnceFunc(func() {
		cancel()
		require.NoError(t, <-stopped)
	})
	t.Cleanup(o.stop)
	synctest.Wait()
	return o
}

func (o *operator) see(ctx context.Context, key string) {
	info, _ := trigger.FromContext(ctx)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.runs = append(o.runs, seen{time.Since(o.start), key, info.Sources.String(), info.Attempt, info.LastClass})
}

func (o *operator) seen() []seen {
	synctest.Wait()
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.runs
}

// EE01: ten failures of a backoff of minutes, in a real controller, take no time.
func TestBackoffInController_EE01(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limiter := ratelimit.NewExponential[string](ratelimit.ExponentialOptions{BaseDelay: time.Minute, MaxDelay: time.Hour})
		o := newOperator(t, trimtab.TypedOptions[string]{RateLimiter: limiter}, controller.TypedOptions[string]{},
			func(*operator, string) (reconcile.Result, error) { return reconcile.Result{}, errBroken })
		o.queue.Add("a")
		time.Sleep(4 * time.Hour)

		runs := o.seen()
		want := []float64{0, 1, 3, 7, 15, 31, 63, 123, 183}
		require.GreaterOrEqual(t, len(runs), len(want))
		for i, minutes := range want {
			r := seen{time.Duration(minutes * float64(time.Minute)), "a", "retry", i + 1, "error"}
			if i == 0 {
				r.sources, r.class = "primary", ""
			}
			require.Equal(t, r, runs[i])
		}
	})
}

// RQ03, RL09: success, a RequeueAfter and a terminal error all start the
// backoff anew; a retry never keeps a priority that is not its own.
func TestBackoffStartsAnew_RQ03_RL09(t *testing.T) {
	for name, end := range map[string]struct {
		result reconcile.Result
		err    error
	}{
		"success":       {},
		"requeue after": {reconcile.Result{RequeueAfter: time.Hour}, nil},
		"terminal":      {reconcile.Result{}, fmt.Errorf("spec: %w", reconcile.TerminalError(errBroken))},
		"joined":        {reconcile.Result{}, errors.Join(errBroken, reconcile.TerminalError(errBroken))},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				limiter := ratelimit.NewExponential[string](ratelimit.ExponentialOptions{BaseDelay: time.Second})
				n := 0
				o := newOperator(t, trimtab.TypedOptions[string]{RateLimiter: limiter}, controller.TypedOptions[string]{},
					func(*operator, string) (reconcile.Result, error) {
						n++
						if n == 6 {
							return end.result, end.err
						}
						return reconcile.Result{}, errBroken
					})
				o.queue.Add("a")
				time.Sleep(time.Minute)
				require.Len(t, o.seen(), 6, "the sixth run ends the failures")
				require.Zero(t, limiter.NumRequeues("a"))

				o.queue.Add("a")
				time.Sleep(1500 * time.Millisecond)
				runs := o.seen()
				require.Len(t, runs, 8)
				require.Equal(t, time.Second, runs[7].at-runs[6].at, "the next failure waits the base delay")
			})
		})
	}
}

// QU02, QU05: what a user changes runs before the resync and the periodic work
// that was there first; and all of that runs, too.
func TestUserChangeFirst_QU05(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOperator(t, trimtab.TypedOptions[string]{}, controller.TypedOptions[string]{},
			func(*operator, string) (reconcile.Result, error) {
				time.Sleep(50 * time.Millisecond)
				return reconcile.Result{}, nil
			})
		low := -100
		pq := o.queue.(priorityqueue.PriorityQueue[string])
		for i := range 1000 {
			pq.AddWithOpts(priorityqueue.AddOpts{Priority: &low}, fmt.Sprint("resync-", i))
		}
		time.Sleep(time.Second)
		before := len(o.seen())
		o.queue.Add("user")
		time.Sleep(time.Minute)

		runs := o.seen()
		require.Equal(t, "user", runs[before].key, "it runs next")
		require.Equal(t, "primary", runs[before].sources)
		require.Len(t, runs, 1001)
		require.Equal(t, "resync", runs[0].sources)
	})
}

// A periodic requeue has its own source and priority, although controller-runtime
// echoes the priority of the run.
func TestPeriodicPriority(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOperator(t, trimtab.TypedOptions[string]{}, controller.TypedOptions[string]{},
			func(o *operator, key string) (reconcile.Result, error) {
				time.Sleep(time.Second)
				if key == "block" {
					return reconcile.Result{}, nil
				}
				return reconcile.Result{RequeueAfter: 10 * time.Second}, nil
			})
		o.queue.Add("poll")
		time.Sleep(10500 * time.Millisecond)
		o.queue.Add("block") // runs from 10.5 s to 11.5 s; poll is due at 11 s
		time.Sleep(700 * time.Millisecond)
		o.queue.Add("user")
		time.Sleep(5 * time.Second)
		var order []string
		for _, r := range o.seen() {
			order = append(order, r.key+" "+r.sources)
		}
		require.Equal(t, []string{"poll primary", "block primary", "user primary", "poll periodic"}, order[:4])
	})
}

// RC04: a panic is counted and retried; the other keys run; nothing stays in flight.
func TestPanicInController_RC04(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reg := prometheus.NewRegistry()
		o := newOperator(t, trimtab.TypedOptions[string]{Registerer: reg}, controller.TypedOptions[string]{},
			func(_ *operator, key string) (reconcile.Result, error) {
				if key == "odd" {
					panic("x")
				}
				return reconcile.Result{}, nil
			})
		o.queue.Add("odd")
		o.queue.Add("fine")
		time.Sleep(time.Second)
		runs := o.seen()
		require.Greater(t, len(runs), 3)
		require.Equal(t, "fine", runs[1].key)
		require.Equal(t, "retry", runs[2].sources)
		require.Equal(t, "panic", runs[2].class)
		require.Equal(t, float64(len(runs)-1), gather(t, reg)[`trimtab_panics_total{controller="thing"}`])
		require.Zero(t, gather(t, reg)[`trimtab_workers_busy{controller="thing"}`])
	})
}

// RC13: after the end of the leadership no timer runs anything.
func TestNoRunAfterTheEnd_RC13(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOperator(t, trimtab.TypedOptions[string]{}, controller.TypedOptions[string]{},
			func(*operator, string) (reconcile.Result, error) {
				return reconcile.Result{RequeueAfter: time.Minute}, nil
			})
		for _, key := range []string{"a", "b", "c"} {
			o.queue.Add(key)
		}
		require.Len(t, o.seen(), 3)
		o.stop()
		time.Sleep(time.Hour)
		require.Len(t, o.seen(), 3)
	})
}

// RC14: many runs of many keys leave no goroutine and no key behind.
func TestNothingIsLeft_RC14(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limiter := ratelimit.NewExponential[string](ratelimit.ExponentialOptions{})
		failed := map[string]bool{}
		o := newOperator(t, trimtab.TypedOptions[string]{RateLimiter: limiter}, controller.TypedOptions[string]{},
			func(_ *operator, key string) (reconcile.Result, error) {
				if !failed[key] {
					failed[key] = true
					return reconcile.Result{}, errBroken
				}
				return reconcile.Result{}, nil
			})
		before := runtime.NumGoroutine()
		for i := range 5000 {
			o.queue.Add(fmt.Sprint("key-", i))
			if i%100 == 0 {
				time.Sleep(time.Second)
			}
		}
		time.Sleep(time.Minute)
		require.Len(t, o.seen(), 10_000)
		require.LessOrEqual(t, runtime.NumGoroutine(), before)
		s := o.queue.(*queue.Queue[string]).Snapshot()
		require.Zero(t, s.Delayed+s.Running)
		for i := range 5000 {
			require.Zero(t, limiter.NumRequeues(fmt.Sprint("key-", i)))
		}
	})
}

// A loop shows what its queue holds while a controller runs, and nothing before and
// after that.
func TestSnapshotOfLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		loop := trimtab.NewTyped("test", trimtab.TypedOptions[string]{DisableMetrics: true})
		require.Zero(t, loop.Snapshot())
		q := loop.ControllerOptions(controller.TypedOptions[string]{}).NewQueue("test", ratelimit.NewExponential[string](ratelimit.ExponentialOptions{}))
		q.Add("now")
		q.AddAfter("later", time.Minute)
		s := loop.Snapshot()
		require.Equal(t, 1, s.Depth[trigger.Primary])
		require.Equal(t, 1, s.Delayed)
		require.Equal(t, time.Minute, s.NextDue)
		q.ShutDown()
		require.Zero(t, loop.Snapshot())
	})
}

// The signals of the loop: by trigger, under the controller's name.
func TestSignals_ME10_ME11(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reg := prometheus.NewRegistry()
		limiter := ratelimit.NewExponential[string](ratelimit.ExponentialOptions{BaseDelay: 30 * time.Second})
		n := 0
		o := newOperator(t, trimtab.TypedOptions[string]{Registerer: reg, RateLimiter: limiter}, controller.TypedOptions[string]{MaxConcurrentReconciles: 3},
			func(*operator, string) (reconcile.Result, error) {
				n++
				time.Sleep(2 * time.Second)
				if n == 1 {
					return reconcile.Result{}, errBroken
				}
				return reconcile.Result{}, nil
			})
		o.queue.Add("a")
		time.Sleep(time.Second)
		require.Equal(t, 1.0, gather(t, reg)[`trimtab_workers_busy{controller="thing"}`])
		require.Equal(t, 1.0, gather(t, reg)[`trimtab_oldest_run_seconds{controller="thing"}`])
		time.Sleep(time.Minute)

		got := gather(t, reg)
		require.Equal(t, 1.0, got[`trimtab_runs_total{class="error",controller="thing",trigger="primary"}`])
		require.Equal(t, 1.0, got[`trimtab_runs_total{class="success",controller="thing",trigger="retry"}`])
		require.Equal(t, 1.0, got[`trimtab_requeues_total{controller="thing",reason="retry"}`])
		require.Equal(t, 30.0, got[`trimtab_phase_seconds_total{controller="thing",phase="delay",trigger="retry"}`])
		require.Equal(t, 0.0, got[`trimtab_phase_seconds_total{controller="thing",phase="wait",trigger="retry"}`])
		require.Equal(t, 2.0, got[`trimtab_phase_seconds_total{controller="thing",phase="compute",trigger="retry"}`])
		require.Equal(t, 3.0, got[`trimtab_workers_limit{controller="thing"}`])
		require.Equal(t, 1.0, got[`trimtab_object_requeues{controller="thing",object="a"}`])
	})
}

// ME01, ME02: the same loop is built again and again, on registries of its own or
// on one; foreign metrics of the same name leave a loop that works.
func TestLoopTwice_ME01_ME02(t *testing.T) {
	for range 3 {
		trimtab.New("a", trimtab.Options{Registerer: prometheus.NewRegistry()})
	}
	reg := prometheus.NewRegistry()
	for range 3 {
		trimtab.New("a", trimtab.Options{Registerer: reg})
	}
	for range 3 {
		trimtab.New("a", trimtab.Options{}) // controller-runtime's registry
	}
	trimtab.New("a", trimtab.Options{DisableMetrics: true})

	foreign := prometheus.NewRegistry()
	foreign.MustRegister(prometheus.NewCounterVec(prometheus.CounterOpts{Name: "trimtab_adds_total", Help: "not ours"}, []string{"x"}))
	var log sink
	require.NotPanics(t, func() { trimtab.New("a", trimtab.Options{Registerer: foreign, Log: log.logger()}) })
	require.Equal(t, 1, log.count("metrics are not registered"))
}

// Collectors that the user has registered, with options of their own, are used.
func TestMetricsOfTheUser(t *testing.T) {
	reg := prometheus.NewRegistry()
	reg.MustRegister(metrics.New(metrics.Options{Buckets: []float64{7}}))
	l := trimtab.NewTyped("a", trimtab.TypedOptions[string]{Registerer: reg})
	l.ControllerOptions(controller.TypedOptions[string]{}).NewQueue("c", ratelimit.NewExponential[string](ratelimit.ExponentialOptions{})).ShutDown()
	families, err := reg.Gather()
	require.NoError(t, err)
	for _, family := range families {
		if family.GetName() == "trimtab_latency_seconds" {
			require.Len(t, family.GetMetric()[0].GetHistogram().GetBucket(), 1)
			return
		}
	}
	require.Fail(t, "no latency")
}

// With only one of the two lines the loop works and says what is missing, once.
func TestOneLineOnly(t *testing.T) {
	t.Run("no ControllerOptions", func(t *testing.T) {
		var log sink
		reg := prometheus.NewRegistry()
		l := trimtab.New("things", trimtab.Options{Registerer: reg, Log: log.logger()})
		r := l.Reconciler(reconcile.Func(func(context.Context, reconcile.Request) (reconcile.Result, error) { return reconcile.Result{}, nil }))
		for range 3 {
			_, err := r.Reconcile(t.Context(), reconcile.Request{})
			require.NoError(t, err)
		}
		require.Equal(t, 1, log.count("loop.ControllerOptions"))
		require.Equal(t, 3.0, gather(t, reg)[`trimtab_runs_total{class="success",controller="things",trigger="unknown"}`])
	})
	t.Run("no Reconciler", func(t *testing.T) {
		var log sink
		l := trimtab.New("things", trimtab.Options{Registerer: prometheus.NewRegistry(), Log: log.logger()})
		o := l.ControllerOptions(controller.Options{})
		q := o.NewQueue("thing", o.RateLimiter)
		defer q.ShutDown()
		q.Add(reconcile.Request{})
		_, shutdown := q.Get()
		require.False(t, shutdown)
		require.Equal(t, 1, log.count("loop.Reconciler"))
	})
}

// A second controller on one loop gets a queue that works, and an error in the log
// names both; after the first has ended, a new one is the loop's.
func TestSecondController(t *testing.T) {
	var log sink
	reg := prometheus.NewRegistry()
	l := trimtab.NewTyped("things", trimtab.TypedOptions[string]{Registerer: reg, Log: log.logger()})
	l.Reconciler(reconcile.TypedFunc[string](func(context.Context, string) (reconcile.Result, error) { return reconcile.Result{}, nil }))
	o := l.ControllerOptions(controller.TypedOptions[string]{})
	first, second := o.NewQueue("first", o.RateLimiter), o.NewQueue("second", o.RateLimiter)
	require.Equal(t, 1, log.count("serves one controller", "first", "second"))
	second.Add("a")
	key, _ := second.Get()
	require.Equal(t, "a", key)
	require.NotContains(t, gather(t, reg), `trimtab_adds_total{controller="second",trigger="primary"}`)
	second.ShutDown()
	first.ShutDown()

	third := o.NewQueue("third", o.RateLimiter)
	defer third.ShutDown()
	third.Add("a")
	require.Equal(t, 1, log.count("serves one controller"))
	require.Equal(t, 1.0, gather(t, reg)[`trimtab_adds_total{controller="third",trigger="primary"}`])
}

// A user's own choice wins.
func TestControllerOptionsKeepsTheUsers(t *testing.T) {
	l := trimtab.NewTyped("a", trimtab.TypedOptions[string]{DisableMetrics: true})
	limiter := ratelimit.NewExponential[string](ratelimit.ExponentialOptions{})
	called := false
	o := l.ControllerOptions(controller.TypedOptions[string]{
		MaxConcurrentReconciles: 7,
		RateLimiter:             limiter,
		NewQueue: func(string, workqueue.TypedRateLimiter[string]) workqueue.TypedRateLimitingInterface[string] {
			called = true
			return nil
		},
	})
	require.Equal(t, 7, o.MaxConcurrentReconciles)
	require.Same(t, limiter, o.RateLimiter)
	o.NewQueue("x", nil)
	require.True(t, called)
}

// Of controllers that start at once on one loop, as those of a manager do, one
// has the loop, and each of the others an error in the log.
// ME01: two managers of a process, each with a controller of one name, are seen
// together; what is left when one of them ends is seen, too.
func TestTwoLoopsOfOneName_ME01(t *testing.T) {
	reg := prometheus.NewRegistry()
	const depth, busy = `trimtab_queue_depth{controller="thing",trigger="primary"}`, `trimtab_workers_busy{controller="thing"}`
	var queues [2]workqueue.TypedRateLimitingInterface[string]
	for i := range queues {
		l := trimtab.NewTyped("things", trimtab.TypedOptions[string]{Registerer: reg, Log: logr.Discard()})
		o := l.ControllerOptions(controller.TypedOptions[string]{})
		queues[i] = o.NewQueue("thing", o.RateLimiter)
		defer queues[i].ShutDown()
		for _, key := range []string{"a", "b"} {
			queues[i].Add(key)
		}
		queues[i].Get()
	}
	require.Equal(t, 2.0, gather(t, reg)[depth])
	require.Equal(t, 2.0, gather(t, reg)[busy])
	queues[1].ShutDown()
	require.Equal(t, 1.0, gather(t, reg)[depth])
	require.Equal(t, 1.0, gather(t, reg)[busy])
}

// A nil limiter is refused when the controller is built, not when it starts.
func TestControllerOptionsRefuses(t *testing.T) {
	loop := trimtab.New("things", trimtab.Options{DisableMetrics: true})
	require.PanicsWithError(t, "trimtab: ControllerOptions: RateLimiter (*ratelimit.Exponential[sigs.k8s.io/controller-runtime/pkg/reconcile.Request])(nil): must point to a limiter", func() {
		loop.ControllerOptions(controller.Options{RateLimiter: (*ratelimit.Exponential[reconcile.Request])(nil)})
	})
}

func TestControllersStartAtOnce(t *testing.T) {
	const controllers = 8
	for range 100 {
		log := &sink{}
		l := trimtab.NewTyped("a", trimtab.TypedOptions[string]{DisableMetrics: true, Log: log.logger()})
		newQueue := l.ControllerOptions(controller.TypedOptions[string]{}).NewQueue
		start := make(chan struct{})
		var wg sync.WaitGroup
		for range controllers {
			wg.Go(func() {
				<-start
				newQueue("c", ratelimit.NewExponential[string](ratelimit.ExponentialOptions{}))
			})
		}
		close(start)
		wg.Wait()
		require.Equal(t, controllers-1, log.count("A second controller"))
	}
}

// RL08: no two controllers share a limiter that the loop made.
func TestFreshLimiter_RL08(t *testing.T) {
	l := trimtab.NewTyped("a", trimtab.TypedOptions[string]{DisableMetrics: true})
	a := l.ControllerOptions(controller.TypedOptions[string]{}).RateLimiter
	b := l.ControllerOptions(controller.TypedOptions[string]{}).RateLimiter
	a.When("k")
	require.Zero(t, b.NumRequeues("k"))
}

func TestBadOptions(t *testing.T) {
	for want, f := range map[string]func(){
		`trimtab: name "": must not be empty`: func() { trimtab.New("", trimtab.Options{}) },
		`trimtab: reconcile: For (*v1.Secret)(nil): must point to an object`: func() {
			trimtab.New("a", trimtab.Options{For: (*corev1.Secret)(nil)})
		},
		`trimtab: reconcile: For *v1.Secret: needs requests of type reconcile.Request, not string`: func() {
			trimtab.NewTyped("a", trimtab.TypedOptions[string]{For: &corev1.Secret{}})
		},
		`trimtab: RateLimiter (*ratelimit.Exponential[string])(nil): must point to a limiter`: func() {
			trimtab.NewTyped("a", trimtab.TypedOptions[string]{RateLimiter: (*ratelimit.Exponential[string])(nil)})
		},
		`trimtab: queue: SaturationDepth -1: must not be negative`: func() {
			trimtab.New("a", trimtab.Options{Queue: queue.Options[reconcile.Request]{SaturationDepth: -1}})
		},
		`trimtab: Queue.RateLimiter *ratelimit.Exponential[string]: set Options.RateLimiter instead`: func() {
			limiter := ratelimit.NewExponential[string](ratelimit.ExponentialOptions{})
			trimtab.NewTyped("a", trimtab.TypedOptions[string]{Queue: queue.Options[string]{RateLimiter: limiter}})
		},
		`trimtab: Queue.Log: set Options.Log instead`: func() {
			trimtab.New("a", trimtab.Options{Queue: queue.Options[reconcile.Request]{Log: (&sink{}).logger()}})
		},
		`trimtab: Registerer (*prometheus.Registry)(nil): must point to a registry`: func() {
			trimtab.New("a", trimtab.Options{Registerer: (*prometheus.Registry)(nil)})
		},
		`trimtab: DisableMetrics with Registerer *prometheus.Registry: must not be set together`: func() {
			trimtab.New("a", trimtab.Options{DisableMetrics: true, Registerer: prometheus.NewRegistry()})
		},
		`trimtab: Queue.MaxInterval 10m0s: needs For, and so requests of type reconcile.Request`: func() {
			trimtab.New("a", trimtab.Options{Queue: queue.Options[reconcile.Request]{MaxInterval: 10 * time.Minute}})
		},
		`trimtab: queue: MaxInterval -1s: must not be negative`: func() {
			trimtab.New("a", trimtab.Options{Queue: queue.Options[reconcile.Request]{MaxInterval: -time.Second}})
		},
		`trimtab: Queue.MaxInterval 1s: needs For, and so requests of type reconcile.Request`: func() {
			trimtab.NewTyped("a", trimtab.TypedOptions[string]{Queue: queue.Options[string]{MaxInterval: time.Second}})
		},
		`trimtab: Reconciler(nil): the reconciler must not be nil`: func() {
			trimtab.New("a", trimtab.Options{DisableMetrics: true}).Reconciler(nil)
		},
	} {
		require.PanicsWithError(t, want, f)
	}
}

// sink is a log that can be asked.
type sink struct {
	mu    sync.Mutex
	lines []string
}

func (s *sink) logger() logr.Logger {
	return funcr.New(func(_, args string) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.lines = append(s.lines, args)
	}, funcr.Options{})
}

// count returns how many lines hold all of words.
func (s *sink) count(words ...string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, line := range s.lines {
		all := true
		for _, w := range words {
			all = all && strings.Contains(line, w)
		}
		if all {
			n++
		}
	}
	return n
}

// gather returns the value of each series of reg.
func gather(t *testing.T, reg prometheus.Gatherer) map[string]float64 {
	t.Helper()
	families, err := reg.Gather()
	require.NoError(t, err)
	values := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			var labels []string
			for _, l := range m.GetLabel() {
				labels = append(labels, fmt.Sprintf("%s=%q", l.GetName(), l.GetValue()))
			}
			name := fmt.Sprintf("%s{%s}", f.GetName(), strings.Join(labels, ","))
			values[name] = m.GetCounter().GetValue() + m.GetGauge().GetValue()
		}
	}
	return values
}
