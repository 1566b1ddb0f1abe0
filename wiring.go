package trimtab

import (
	"errors"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/client-go/util/workqueue"
	ctrlmetrics "sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/trimtab/trimtab/internal/named"
	"github.com/trimtab/trimtab/metrics"
	"github.com/trimtab/trimtab/queue"
	"github.com/trimtab/trimtab/trigger"
)

// wiring is what a loop is joined to while a controller runs.
type wiring[request comparable] struct {
	queue   *queue.Queue[request] // nil if the controller has another queue
	signals *metrics.Controller   // nil if metrics are disabled
}

// live reports whether a controller runs on the wiring's queue.
func (w *wiring[request]) live() bool {
	return w != nil && w.queue != nil && !w.queue.ShuttingDown()
}

// state is the state of the queue as metrics show it, and false when that has ended.
func (w *wiring[request]) state() (state metrics.State, ok bool) {
	if !w.live() {
		return metrics.State{}, false
	}
	s := w.queue.Snapshot()
	state = metrics.State{
		Depth:         s.Depth,
		Delayed:       s.Delayed,
		Busy:          s.Running,
		Limit:         s.Workers,
		OldestWaiting: s.OldestWaiting,
		OverFor:       s.OverFor,
	}
	if len(s.Runs) > 0 {
		state.OldestRun = s.Runs[0].Age
	}
	most := 2 * w.signals.TopK() // Several may look the same.
	for _, hot := range s.Hot[:min(most, len(s.Hot))] {
		state.Hot = append(state.Hot, metrics.HotObject{Object: named.Of(hot.Request), Requeues: hot.Requeues})
	}
	for _, busy := range s.Busiest[:min(most, len(s.Busiest))] {
		state.Busiest = append(state.Busiest, metrics.BusyObject{Object: named.Of(busy.Request), Time: busy.Time})
	}
	return state, true
}

// register returns collectors that are registered with reg, those that another
// loop has registered if there are any. If reg refuses them, the loop goes on
// with collectors that nobody gathers.
func register(reg prometheus.Registerer, log logr.Logger) *metrics.Metrics {
	if reg == nil {
		reg = ctrlmetrics.Registry
	}
	collectors := metrics.New(metrics.Options{})
	err := reg.Register(collectors)
	var already prometheus.AlreadyRegisteredError
	if errors.As(err, &already) {
		if existing, ok := already.ExistingCollector.(*metrics.Metrics); ok {
			return existing
		}
	}
	if err != nil {
		log.Error(err, "The metrics are not registered: this loop has none")
	}
	return collectors
}

// standardMetrics returns what makes the workqueue_* metrics of a controller's queue
// with controller-runtime's own collectors. Without these, the queue has none; nor
// has one without a name, as in controller-runtime.
func standardMetrics(controllerName string, log logr.Logger) workqueue.MetricsProvider {
	if controllerName == "" {
		return nil
	}
	collectors, err := findWorkqueues(ctrlmetrics.Registry)
	if err == nil {
		var m *workqueueMetrics
		if m, err = collectors.metrics(controllerName); err == nil {
			return m
		}
	}
	log.Error(err, "The queue has no workqueue_* metrics", "controller", controllerName)
	return nil
}

// ends are the loop as its chain sees it: the queue and the metrics of the
// controller that runs now, which did not exist when the chain was built.
type ends[request comparable] struct{ loop *TypedLoop[request] }

func (l *TypedLoop[request]) ends() ends[request] { return ends[request]{loop: l} }

// wiring returns what the loop is joined to. If a run comes and there is no queue
// of the loop's, it says so, once.
func (e ends[request]) wiring() *wiring[request] {
	l := e.loop
	if w := l.current.Load(); w != nil {
		return w
	}
	if l.said.CompareAndSwap(false, true) {
		l.log.Info("The controller has another queue: use WithOptions(loop.ControllerOptions(options)). Until then it is unknown what triggers a run and how long it waits")
	}
	w := &wiring[request]{}
	if l.metrics != nil {
		w.signals = l.metrics.Controller(l.name)
	}
	l.current.CompareAndSwap(nil, w)
	return l.current.Load()
}

// Running implements reconcile.Queue.
func (e ends[request]) Running(r request) (trigger.Info, bool) {
	if w := e.wiring(); w.queue != nil {
		return w.queue.Running(r)
	}
	return trigger.Info{}, false
}

// Report implements reconcile.Queue.
func (e ends[request]) Report(r request, o queue.Outcome) {
	if w := e.wiring(); w.queue != nil {
		w.queue.Report(r, o)
		e.loop.sight.ended(o)
	}
}

// Ended is told of each run by the chain, for the list of the slowest.
func (e ends[request]) Ended(r request, run trigger.Run) { e.loop.slow.note(r, run) }

// Ran implements reconcile.Observer.
func (e ends[request]) Ran(run trigger.Run) {
	if w := e.wiring(); w.signals != nil {
		w.signals.Ran(run)
	}
}

// Called implements reconcile.Observer.
func (e ends[request]) Called(sources trigger.Set, verb, kind string) {
	e.loop.sight.called(verb, kind)
	if w := e.wiring(); w.signals != nil {
		w.signals.Called(sources, verb, kind)
	}
}

// Filtered implements predicate.Observer.
func (e ends[request]) Filtered(source trigger.Source, name string, admitted bool) {
	if w := e.wiring(); w.signals != nil {
		w.signals.Filtered(source, name, admitted)
	}
}

// PredicatePanicked implements predicate.Observer.
func (e ends[request]) PredicatePanicked(name string) {
	if w := e.wiring(); w.signals != nil {
		w.signals.PredicatePanicked(name)
	}
}

// Panicked implements reconcile.Observer.
func (e ends[request]) Panicked() {
	if w := e.wiring(); w.signals != nil {
		w.signals.Panicked()
	}
}

// Overdue implements reconcile.Observer.
func (e ends[request]) Overdue(change int) {
	if w := e.wiring(); w.signals != nil {
		w.signals.Overdue(change)
	}
}

// WorkerLost implements reconcile.Observer.
func (e ends[request]) WorkerLost() {
	if w := e.wiring(); w.signals != nil {
		w.signals.WorkerLost()
	}
}
