package trimtab_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	ctrlmetrics "sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/queue"
	"github.com/trimtab/trimtab/trigger"
)

// workqueueSeries returns the workqueue_* series of each queue: all values, buckets
// too, to the microsecond, since sums differ in their last bits.
func workqueueSeries(t *testing.T) map[string]map[string]float64 {
	t.Helper()
	families, err := ctrlmetrics.Registry.Gather()
	require.NoError(t, err)
	queues := map[string]map[string]float64{}
	for _, family := range families {
		if !strings.HasPrefix(family.GetName(), "workqueue_") {
			continue
		}
		for _, m := range family.GetMetric() {
			labels := map[string]string{}
			for _, l := range m.GetLabel() {
				labels[l.GetName()] = l.GetValue()
			}
			require.Equal(t, labels["name"], labels["controller"])
			values := queues[labels["name"]]
			if values == nil {
				values = map[string]float64{}
				queues[labels["name"]] = values
			}
			put := func(key string, v float64) { values[family.GetName()+key] = math.Round(v*1e6) / 1e6 }
			if h := m.GetHistogram(); h != nil {
				put("_count", float64(h.GetSampleCount()))
				put("_sum", h.GetSampleSum())
				for _, b := range h.GetBucket() {
					put(fmt.Sprintf("_bucket_%g", b.GetUpperBound()), float64(b.GetCumulativeCount()))
				}
				continue
			}
			put(labels["priority"], m.GetGauge().GetValue()+m.GetCounter().GetValue())
		}
	}
	return queues
}

// loopQueue returns the queue that a loop gives to the controller of that name.
func loopQueue(t *testing.T, name string, opts trimtab.TypedOptions[string]) *queue.Queue[string] {
	t.Helper()
	if opts.Registerer == nil && !opts.DisableMetrics {
		opts.Registerer = prometheus.NewRegistry()
	}
	if opts.Log.IsZero() {
		opts.Log = logr.Discard()
	}
	loop := trimtab.NewTyped(name, opts)
	return loop.ControllerOptions(controller.TypedOptions[string]{}).NewQueue(name, tenths()).(*queue.Queue[string])
}

func tenths() workqueue.TypedRateLimiter[string] {
	return workqueue.NewTypedItemExponentialFailureRateLimiter[string](100*time.Millisecond, time.Second)
}

// twins are our queue and controller-runtime's, which are told the same.
type twins struct {
	t      *testing.T
	names  [2]string // ours, theirs
	ours   *queue.Queue[string]
	theirs priorityqueue.PriorityQueue[string]
	held   []string
}

// newTwins returns twins of which a worker has asked for work: they don't stand by.
func newTwins(t *testing.T, names [2]string) *twins {
	t.Helper()
	w := twinsOf(t, names)
	w.add(priorityqueue.AddOpts{}, "first")
	w.get()
	w.done(0)
	return w
}

func twinsOf(t *testing.T, names [2]string) *twins {
	t.Helper()
	w := &twins{
		t: t, names: names,
		ours:   loopQueue(t, names[0], trimtab.TypedOptions[string]{}),
		theirs: priorityqueue.New(names[1], func(o *priorityqueue.Opts[string]) { o.RateLimiter = tenths() }),
	}
	t.Cleanup(w.shutDown)
	return w
}

func (w *twins) shutDown() {
	if !w.theirs.ShuttingDown() { // It panics if it is told twice.
		w.ours.ShutDown()
		w.theirs.ShutDown()
	}
}

func (w *twins) add(o priorityqueue.AddOpts, keys ...string) {
	w.ours.AddWithSource(trigger.Primary, o, keys...) // It keeps its priority: it is no echo of a run.
	w.theirs.AddWithOpts(o, keys...)
	synctest.Wait()
}

// get takes what is next, if there is anything.
func (w *twins) get() {
	standing := 0
	for _, n := range w.ours.Snapshot().Depth {
		standing += n
	}
	if standing == 0 {
		return
	}
	want, wantPriority, _ := w.theirs.GetWithPriority()
	got, gotPriority, _ := w.ours.GetWithPriority()
	require.Equal(w.t, fmt.Sprint(want, wantPriority), fmt.Sprint(got, gotPriority))
	w.held = append(w.held, got)
}

func (w *twins) done(i int) {
	w.ours.Done(w.held[i])
	w.theirs.Done(w.held[i])
	w.held = append(w.held[:i], w.held[i+1:]...)
}

// compare requires that all series agree.
func (w *twins) compare(after string) {
	synctest.Wait()
	all := workqueueSeries(w.t)
	want, got := all[w.names[1]], all[w.names[0]]
	if maps.Equal(want, got) {
		return
	}
	require.Equal(w.t, want, got, "ours are not controller-runtime's after %s", after)
}

// step does something at random, and tells what.
func (w *twins) step(r *rand.Rand) string {
	priorities := []int{-100, -20, 0, 7}
	switch k := r.IntN(16); {
	case k < 6:
		o := priorityqueue.AddOpts{After: time.Duration(r.IntN(4)-1) * 150 * time.Millisecond, RateLimited: r.IntN(4) == 0}
		if r.IntN(2) == 0 {
			o.Priority = &priorities[r.IntN(len(priorities))]
		}
		keys := []string{string(rune('a' + r.IntN(6))), string(rune('a' + r.IntN(6)))}[:1+r.IntN(2)]
		w.add(o, keys...)
		return fmt.Sprintf("add %v %+v", keys, o)
	case k < 10 && len(w.held) < 4:
		w.get()
		return "get"
	case k < 13 && len(w.held) > 0:
		w.done(r.IntN(len(w.held)))
		return "done"
	case k == 13:
		w.ours.Done("z") // It is not in flight.
		w.theirs.Done("z")
		return "done of another"
	default:
		time.Sleep(time.Duration(1+r.IntN(8)) * 70 * time.Millisecond)
		return "sleep"
	}
}

// finish takes and ends all that is left.
func (w *twins) finish() {
	for range 20 {
		time.Sleep(500 * time.Millisecond)
		synctest.Wait()
		for w.get(); len(w.held) > 0; w.get() {
			w.done(0)
		}
	}
	w.compare("finish")
}

// For random sequences of operations, all workqueue_* series of our queue have after
// each step the values that controller-runtime's own queue has.
func TestWorkqueueSeries(t *testing.T) {
	for seed := range 50 {
		synctest.Test(t, func(t *testing.T) {
			w := newTwins(t, [2]string{"series-ours", "series-theirs"})
			r := rand.New(rand.NewPCG(uint64(seed), 7))
			var steps []string
			for range 40 {
				steps = append(steps, w.step(r))
				w.compare(fmt.Sprintf("seed %d:\n%s", seed, strings.Join(steps, "\n")))
			}
			w.finish()
		})
	}
	require.Len(t, workqueueSeries(t)["series-ours"], 4+4+2*(2+12), "four priorities, four gauges and counters, two histograms are compared")
}

// What ours show otherwise than controller-runtime's, by design; all else agrees.
func TestWorkqueueSeriesDiffer(t *testing.T) {
	const (
		depth      = "workqueue_depth"
		exceeded   = "workqueue_depthexceeded_cardinality_limit"
		waited     = "workqueue_queue_duration_seconds"
		unfinished = "workqueue_unfinished_work_seconds"
		longest    = "workqueue_longest_running_processor_seconds"
	)
	at := func(priority int) priorityqueue.AddOpts { return priorityqueue.AddOpts{Priority: &priority} }
	for name, tc := range map[string]struct {
		play   func(w *twins)
		differ []string              // what the names of series begin with that differ
		values map[string][2]float64 // some of them, ours and theirs
	}{
		"a warm standby is not late": {
			play: func(w *twins) {
				w.add(priorityqueue.AddOpts{}, "a")
				time.Sleep(time.Hour)
				w.get()
			},
			differ: []string{waited},
			values: map[string][2]float64{waited + "_sum": {0, 3600}, waited + "_count": {1, 1}},
		},
		"a queue that has ended holds nothing and works on nothing": {
			play: func(w *twins) {
				w.add(at(3), "a", "b", "c")
				w.get()
				w.add(at(4), "a") // behind its own run
				w.add(priorityqueue.AddOpts{After: time.Minute}, "d")
				time.Sleep(1100 * time.Millisecond)
				w.shutDown()
				w.done(0) // It counts as work done.
			},
			differ: []string{depth, unfinished, longest},
			values: map[string][2]float64{depth + "3": {0, 2}, depth + "4": {0, 1}, unfinished: {0, 1}, longest: {0, 1}},
		},
		"the first 25 priorities keep their series, ME04": {
			play: func(w *twins) {
				for priority := range 30 {
					w.add(at(priority), fmt.Sprint(priority))
				}
				for range 26 {
					w.get()
					w.done(0)
				}
			},
			differ: []string{depth},
			values: map[string][2]float64{depth + "0": {1, 1}, depth + "3": {1, 1}, depth + "4": {0, 1}, depth + "24": {0, 1}, exceeded: {0, -21}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := twinsOf(t, [2]string{"ours: " + name, "theirs: " + name})
				tc.play(w)
				synctest.Wait()
				all := workqueueSeries(t)
				ours, theirs := all[w.names[0]], all[w.names[1]]
				for key, values := range tc.values {
					require.InDelta(t, values[0], ours[key], 0, "ours: %s", key)
					require.InDelta(t, values[1], theirs[key], 0, "theirs: %s", key)
				}
				differs := func(key string, _ float64) bool {
					return slices.ContainsFunc(tc.differ, func(d string) bool { return strings.HasPrefix(key, d) })
				}
				maps.DeleteFunc(ours, differs)
				maps.DeleteFunc(theirs, differs)
				require.Equal(t, theirs, ours)
			})
		})
	}
}

// ME01: a loop that is built and started again in the process has the same series,
// which count on; nothing else is registered by that.
func TestWorkqueueSeriesAgain_ME01(t *testing.T) {
	before := describedBy(ctrlmetrics.Registry)
	for n := range 3 {
		q := loopQueue(t, "again", trimtab.TypedOptions[string]{})
		q.Add("a")
		require.InDelta(t, 1+n, workqueueSeries(t)["again"]["workqueue_adds_total"], 0)
		require.InDelta(t, 1, workqueueSeries(t)["again"]["workqueue_depth0"], 0)
		q.ShutDown()
		require.Zero(t, workqueueSeries(t)["again"]["workqueue_depth0"])
	}
	require.Equal(t, before, describedBy(ctrlmetrics.Registry))
}

// describedBy returns how many series a registry describes.
func describedBy(reg any) int {
	descs := make(chan *prometheus.Desc, 10_000)
	reg.(prometheus.Collector).Describe(descs)
	return len(descs)
}

func TestNoWorkqueueSeries(t *testing.T) {
	for name, opts := range map[string]trimtab.TypedOptions[string]{
		"metrics are disabled":       {DisableMetrics: true},
		"there is another provider":  {Queue: queue.Options[string]{MetricsProvider: elsewhere{}}},
		"another, ours are disabled": {DisableMetrics: true, Queue: queue.Options[string]{MetricsProvider: elsewhere{}}},
	} {
		t.Run(name, func(t *testing.T) {
			q := loopQueue(t, name, opts)
			defer q.ShutDown()
			q.Add("a")
			require.NotContains(t, workqueueSeries(t), name)
		})
	}
}

// If controller-runtime's collectors are not where they should be, the loop says so
// and goes on without.
func TestWorkqueueSeriesNotFound_ME02(t *testing.T) {
	registry := ctrlmetrics.Registry
	t.Cleanup(func() { ctrlmetrics.Registry = registry })
	other := prometheus.NewRegistry()
	foreign := prometheus.NewGauge(prometheus.GaugeOpts{Name: "workqueue_adds_total", Help: "Of somebody else."})
	other.MustRegister(foreign)
	described := describedBy(other)
	gone := &forgetful{Registry: prometheus.NewRegistry()}
	for name, tc := range map[string]struct {
		registry ctrlmetrics.RegistererGatherer
		says     string
	}{
		"empty":            {prometheus.NewRegistry(), "controller-runtime's registry lacks its own workqueue_* metrics [adds_total depth"},
		"of somebody else": {other, "controller-runtime's registry lacks its own workqueue_* metrics [adds_total depth"},
		"of other labels":  {withLabels("name", "priority"), "trimtab: controller-runtime's workqueue_* metrics: "},
		"gone meanwhile":   {gone, "controller-runtime's registry lacks its own workqueue_* metrics [adds_total depth"},
		"does not describe": {struct {
			prometheus.Registerer
			prometheus.Gatherer
		}{registry, registry}, "which does not describe what is in it"},
	} {
		t.Run(name, func(t *testing.T) {
			ctrlmetrics.Registry = tc.registry
			var log strings.Builder
			q := loopQueue(t, name, trimtab.TypedOptions[string]{
				Log: funcr.New(func(_, args string) { fmt.Fprintln(&log, args) }, funcr.Options{}),
			})
			defer q.ShutDown()
			require.Contains(t, log.String(), tc.says)
			require.Equal(t, 1, strings.Count(log.String(), "The queue has no workqueue_* metrics"), log.String())
			q.Add("a")
			require.Equal(t, 1, q.Len())
		})
	}
	require.Equal(t, described, describedBy(other), "nothing is left behind")
	require.Zero(t, describedBy(gone.Registry), "nothing is left behind")
}

// forgetful is a registry that still describes what is not registered any more.
type forgetful struct{ *prometheus.Registry }

func (forgetful) Describe(descs chan<- *prometheus.Desc) {
	descs <- prometheus.NewDesc("workqueue_adds_total", "Of nobody.", nil, nil)
}

// withLabels returns a registry with workqueue_* series that have those labels.
func withLabels(labels ...string) *prometheus.Registry {
	reg := prometheus.NewRegistry()
	for _, name := range []string{"depth", "unfinished_work_seconds", "longest_running_processor_seconds"} {
		reg.MustRegister(prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "workqueue_" + name}, labels))
	}
	for _, name := range []string{"adds_total", "retries_total"} {
		reg.MustRegister(prometheus.NewCounterVec(prometheus.CounterOpts{Name: "workqueue_" + name}, labels))
	}
	for _, name := range []string{"queue_duration_seconds", "work_duration_seconds"} {
		reg.MustRegister(prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "workqueue_" + name}, labels))
	}
	return reg
}

// elsewhere is a MetricsProvider whose metrics nobody gathers.
type elsewhere struct{}

func (elsewhere) NewDepthMetric(string) workqueue.GaugeMetric            { return gauge() }
func (elsewhere) NewAddsMetric(string) workqueue.CounterMetric           { return gauge() }
func (elsewhere) NewRetriesMetric(string) workqueue.CounterMetric        { return gauge() }
func (elsewhere) NewLatencyMetric(string) workqueue.HistogramMetric      { return histogram() }
func (elsewhere) NewWorkDurationMetric(string) workqueue.HistogramMetric { return histogram() }
func (elsewhere) NewUnfinishedWorkSecondsMetric(string) workqueue.SettableGaugeMetric {
	return gauge()
}

func (elsewhere) NewLongestRunningProcessorSecondsMetric(string) workqueue.SettableGaugeMetric {
	return gauge()
}

func gauge() prometheus.Gauge { return prometheus.NewGauge(prometheus.GaugeOpts{Name: "g"}) }
func histogram() prometheus.Histogram {
	return prometheus.NewHistogram(prometheus.HistogramOpts{Name: "h"})
}
