package queue_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr/funcr"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"

	"github.com/trimtab/trimtab/queue"
	"github.com/trimtab/trimtab/trigger"
)

// meters is a workqueue.MetricsProvider that remembers all values by their name, and
// calls touch, if that is set, whenever a metric is used or made.
type meters struct {
	touch func()

	mu sync.Mutex
	by map[string]*meter
}

// meter is any of the metrics.
type meter struct {
	of    *meters
	value float64
	calls int
}

func (m *meters) meter(name string) *meter {
	if m.touch != nil {
		m.touch()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.by == nil {
		m.by = map[string]*meter{}
	}
	if m.by[name] == nil {
		m.by[name] = &meter{of: m}
	}
	return m.by[name]
}

func (m *meter) use(value func(old float64) float64) {
	if m.of.touch != nil {
		m.of.touch()
	}
	m.of.mu.Lock()
	defer m.of.mu.Unlock()
	m.value, m.calls = value(m.value), m.calls+1
}

func (m *meter) Inc()              { m.use(func(v float64) float64 { return v + 1 }) }
func (m *meter) Dec()              { m.use(func(v float64) float64 { return v - 1 }) }
func (m *meter) Set(to float64)    { m.use(func(float64) float64 { return to }) }
func (m *meter) Observe(d float64) { m.use(func(v float64) float64 { return v + d }) }

func (m *meters) NewDepthMetric(string) workqueue.GaugeMetric     { return m.meter("depth") }
func (m *meters) NewAddsMetric(string) workqueue.CounterMetric    { return m.meter("adds") }
func (m *meters) NewRetriesMetric(string) workqueue.CounterMetric { return m.meter("retries") }

func (m *meters) NewLatencyMetric(string) workqueue.HistogramMetric { return m.meter("waited") }

func (m *meters) NewWorkDurationMetric(string) workqueue.HistogramMetric { return m.meter("worked") }

func (m *meters) NewUnfinishedWorkSecondsMetric(string) workqueue.SettableGaugeMetric {
	return m.meter("unfinished")
}

func (m *meters) NewLongestRunningProcessorSecondsMetric(string) workqueue.SettableGaugeMetric {
	return m.meter("longest")
}

// values returns what the metrics show, zeros left out.
func (m *meters) values() map[string]float64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	values := map[string]float64{}
	for name, meter := range m.by {
		if meter.value != 0 {
			values[name] = meter.value
		}
	}
	return values
}

// calls returns how often a metric was used.
func (m *meters) calls(name string) int {
	meter := m.meter(name)
	m.mu.Lock()
	defer m.mu.Unlock()
	return meter.calls
}

// priorityMeters is meters with the depth by priority.
type priorityMeters struct {
	meters
}

func (m *priorityMeters) NewPriorityDepthMetric(_, priority string) workqueue.GaugeMetric {
	return m.meter("depth@" + priority)
}

func metered(p workqueue.MetricsProvider) *queue.Queue[string] {
	return queue.New("test", queue.Options[string]{RateLimiter: doubling(), MetricsProvider: p})
}

// The series of a queue whose provider knows no priorities: client-go's.
func TestSeries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &meters{}
		q := metered(m)
		defer q.ShutDown()
		go q.Get() // It takes a, and keeps it.
		synctest.Wait()
		q.Add("a")
		synctest.Wait()
		require.Equal(t, map[string]float64{"adds": 1}, m.values())

		time.Sleep(1700 * ms)
		q.AddWithOpts(at(5), "b", "c", "c")
		q.AddAfter("d", time.Second)
		require.Equal(t, map[string]float64{"adds": 3, "depth": 2, "retries": 1, "unfinished": 1.5, "longest": 1.5}, m.values())

		time.Sleep(500 * ms)
		takeKey(t, q, "b")
		q.Add("a") // It counts as ready, behind its own run.
		q.AddRateLimited("a")
		require.Equal(t, map[string]float64{"adds": 4, "depth": 2, "retries": 2, "waited": 0.5, "unfinished": 2, "longest": 2}, m.values())

		sleep(800 * ms) // until 3 s: d is ready since 2.7 s
		require.Equal(t, map[string]float64{"adds": 5, "depth": 3, "retries": 2, "waited": 0.5, "unfinished": 3 + 0.8, "longest": 3}, m.values())
		q.Done("b")
		q.Done("a")
		q.Done("a") // It is not in flight any more.
		require.Equal(t, map[string]float64{"adds": 5, "depth": 3, "retries": 2, "waited": 0.5, "worked": 3.8, "unfinished": 3 + 0.8, "longest": 3}, m.values())

		sleep(500 * ms)
		require.Equal(t, map[string]float64{"adds": 5, "depth": 3, "retries": 2, "waited": 0.5, "worked": 3.8}, m.values())
		drain(t, q)
		require.InDelta(t, 0.5+1.8+1.3+0.8, m.values()["waited"], 1e-9)
	})
}

// Gauges of unfinished work tick while something is in flight, once more, and never
// after ShutDown.
func TestSeriesTick(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &meters{}
		q := metered(m)
		sleep(time.Hour)
		require.Zero(t, m.calls("unfinished"), "nothing was in flight yet")
		q.Add("a")
		takeKey(t, q, "a")
		sleep(10*time.Second + 100*ms)
		require.Equal(t, 20, m.calls("unfinished"))
		q.Done("a")
		q.Add("b")
		takeKey(t, q, "b")
		q.Done("b")
		sleep(time.Hour)
		require.Equal(t, 21, m.calls("unfinished"))
		require.Equal(t, 21, m.calls("longest"))
		require.Equal(t, map[string]float64{"adds": 2, "worked": 10.1}, m.values())

		q.Add("c")
		takeKey(t, q, "c")
		q.Add("d")
		sleep(time.Second)
		q.ShutDown()
		require.Equal(t, map[string]float64{"adds": 4, "worked": 10.1}, m.values())
		require.Equal(t, 24, m.calls("unfinished"))
		sleep(time.Hour)
		q.ShutDown()
		require.Equal(t, 24, m.calls("unfinished"), "the end is told once")
		q.Done("c")
		q.Add("e")
		q.AddAfter("e", time.Second)
		require.InDelta(t, 10.1+3601, m.values()["worked"], 1e-9)
		require.InDelta(t, 4, m.values()["adds"], 0)
	})
}

func TestSeriesDrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &priorityMeters{}
		q := metered(m)
		q.Add("a")
		takeKey(t, q, "a")
		q.AddWithOpts(at(3), "b")
		go q.ShutDownWithDrain()
		sleep(time.Second)
		require.Equal(t, map[string]float64{"adds": 2, "depth@3": 1, "unfinished": 1, "longest": 1}, m.values())
		q.Done("a")
		takeKey(t, q, "b")
		sleep(100 * ms)
		q.Done("b")
		synctest.Wait()
		require.Equal(t, map[string]float64{"adds": 2, "waited": 1, "worked": 1.1}, m.values())
		calls := m.calls("unfinished")
		sleep(time.Hour)
		require.Equal(t, calls, m.calls("unfinished"))
	})
}

// ME04: 25 priorities have a gauge of their own, the rest share one, and what is empty
// is zero.
func TestSeriesPriorities_ME04(t *testing.T) {
	m := &priorityMeters{}
	q := metered(m)
	defer q.ShutDown()
	for priority := range 1000 {
		q.AddWithOpts(at(priority), fmt.Sprint(priority))
	}
	want := map[string]float64{"adds": 1000, "depth@exceeded_cardinality_limit": 975}
	for priority := range 25 {
		want[fmt.Sprintf("depth@%d", priority)] = 1
	}
	require.Equal(t, want, m.values())

	q.AddWithOpts(at(5000), "3") // It is raised to where the rest is.
	delete(want, "depth@3")
	want["depth@exceeded_cardinality_limit"] = 976
	require.Equal(t, want, m.values())

	drain(t, q)
	q.AddWithOpts(at(3), "a")
	require.InDelta(t, 1, m.values()["depth@3"], 0, "it keeps its gauge")
	q.ShutDown()
	for name, value := range m.values() {
		require.False(t, strings.HasPrefix(name, "depth"), "%s %v", name, value)
	}
}

// A metric may use the queue: it is never called under the lock. This would hang.
func TestSeriesOutsideTheLock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &priorityMeters{}
		q := metered(m)
		m.touch = func() { q.Len() }
		q.AddAfter("late", 100*ms)
		q.Add("a")
		q.AddWithOpts(at(1), "a")
		q.AddRateLimited("b")
		takeKey(t, q, "a")
		sleep(time.Minute)
		q.Done("a")
		require.Equal(t, map[string]float64{"adds": 3, "depth@0": 2, "retries": 2, "worked": 60, "unfinished": 60, "longest": 60}, m.values())
		q.ShutDown()
	})
}

// A metric that panics ends the metrics, not the process, and is told once.
func TestSeriesPanic(t *testing.T) {
	var log strings.Builder
	m := &meters{}
	q := queue.New("test", queue.Options[string]{
		MetricsProvider: m,
		Log:             funcr.New(func(_, args string) { fmt.Fprintln(&log, args) }, funcr.Options{}),
	})
	defer q.ShutDown()
	touched := 0
	m.touch = func() {
		touched++
		panic("no metrics")
	}
	q.Add("a")
	q.Add("b")
	require.Equal(t, []string{"a@0", "b@0"}, drain(t, q))
	require.Equal(t, 1, touched, "they are left alone from then on")
	require.Equal(t, 1, strings.Count(log.String(), "\n"), log.String())
	require.Contains(t, log.String(), "no metrics")
	require.Contains(t, log.String(), `"queue"="test"`)
}

// A queue without a name has no series, as controller-runtime's.
func TestNoSeriesWithoutName(t *testing.T) {
	m := &meters{touch: func() { t.Error("a metric was asked for") }}
	q := queue.New("", queue.Options[string]{MetricsProvider: m})
	q.Add("a")
	require.Equal(t, []string{"a@0"}, drain(t, q))
	q.ShutDown()
}

// Whatever happens at once, nothing is lost on its way to the metrics.
func TestSeriesRace(t *testing.T) {
	m := &priorityMeters{}
	q := metered(m)
	var workers, adders sync.WaitGroup
	for range 4 {
		workers.Go(func() {
			for {
				key, shutdown := q.Get()
				if shutdown {
					return
				}
				q.Done(key)
			}
		})
		adders.Go(func() {
			for i := range 3000 {
				q.AddWithOpts(at(i%4), fmt.Sprint(i%50))
				q.AddWithSource(trigger.Watched, priorityqueue.AddOpts{After: time.Duration(i%3) * time.Microsecond}, fmt.Sprint(i%7))
			}
		})
	}
	adders.Wait()
	q.ShutDownWithDrain()
	workers.Wait()
	values := m.values()
	delete(values, "adds")
	delete(values, "retries")
	delete(values, "waited")
	delete(values, "worked")
	require.Empty(t, values)
	require.InDelta(t, m.calls("adds"), m.calls("worked"), 0, "what was ready was worked on")
	require.Equal(t, m.calls("worked"), m.calls("waited"))
	require.Equal(t, 4*2000, m.calls("retries"))
}
