package metrics

import "github.com/prometheus/client_golang/prometheus"

const namespace = "trimtab"

// Labels that many series have.
const (
	labelController = "controller"
	labelTrigger    = "trigger"
)

// series is what counts for itself; the gauges are read at each scrape.
type series struct {
	adds, merges, deliveries, requeues *family[prometheus.Counter]
	runs, phases, calls                *family[prometheus.Counter]
	handlerPanics, panics              *family[prometheus.Counter]
	predicatePanics                    *family[prometheus.Counter]
	failureResets, givenUp, hotLoops   *family[prometheus.Counter]
	noOps, events                      *family[prometheus.Counter]
	overruns, workersLost              *family[prometheus.Counter]
	overdue                            *family[prometheus.Gauge]
	latency, delay, convergence        *family[prometheus.Histogram]
	attempts, limited                  *family[prometheus.Histogram]
}

func newSeries(buckets, coarse []float64) series {
	return series{
		adds: counter("adds_total",
			"Adds to the queue by what caused them, those merged into a request already queued included.", labelTrigger),
		merges: counter("merges_total",
			"Adds that met a request already queued, by what caused them.", labelTrigger),
		deliveries: counter("deliveries_total",
			"Requests handed to a worker, by the strongest of their causes.", labelTrigger),
		requeues: counter("requeues_total",
			"Adds that were the echo of a run: retry after an error, periodic after a RequeueAfter.", "reason"),
		runs: counter("runs_total",
			"Completed runs by the strongest of their causes and the class of their outcome.", labelTrigger, "class"),
		latency: histogram("latency_seconds",
			"Seconds from when a request could have been taken by a worker to the end of its run: wait and run, without deliberate delay.", buckets, labelTrigger),
		delay: histogram("delay_seconds",
			"Seconds for which a request was held back on purpose before it became ready: backoff, RequeueAfter and the like.", coarse, labelTrigger),
		convergence: histogram("convergence_seconds",
			"Seconds from when the first attempt at a request could have been made to the end of the one after which none was needed.", coarse),
		attempts: smallHistogram("convergence_attempts",
			"Attempts at a request up to the one after which none was needed.", []float64{1, 2, 3, 5, 10, 20, 50, 100}),
		limited: smallHistogram("limiter_delay_seconds",
			"Seconds for which failed requests were told to wait, by the rate limiter or by their own run, by the class of the failure.", []float64{1, 30, 300}, "class"),
		phases: counter("phase_seconds_total",
			"Seconds by phase: delay, wait and own_run before the run; read, compute, write and status during it.", labelTrigger, "phase"),
		calls: counter("api_calls_total",
			"Calls of the Kubernetes API made by runs.", labelTrigger, "verb", "kind"),
		noOps: counter("noop_runs_total",
			"Runs without an error that changed nothing, by the strongest of their causes.", labelTrigger),
		events: counter("events_total",
			"Events of watches that a predicate has admitted or dropped.", labelTrigger, "predicate", "result"),
		overruns: counter("overruns_total",
			"Runs that passed their deadline."),
		overdue: gauge("runs_overdue",
			"Runs in flight that have passed their deadline by a second."),
		workersLost: counter("workers_lost_total",
			"Workers that ended with the run that they were in: the controller has one fewer."),
		handlerPanics: counter("handler_panics_total",
			"Panics of event handlers and their mapping functions.", labelTrigger),
		predicatePanics: counter("predicate_panics_total",
			"Panics of predicates of watches; their events passed.", "predicate"),
		panics: counter("panics_total",
			"Panics of runs."),
		failureResets: counter("failure_resets_total",
			"Backoffs that started anew since the object of a failing request was changed, or its deletion started."),
		givenUp: counter("given_up_total",
			"Requests that failed too often in a row and were not retried any more."),
		hotLoops: counter("hot_loops_total",
			"Requests that were found to run in a hot loop: each run since an add during the run before or just after."),
	}
}

func (s *series) collectors() []prometheus.Collector {
	return []prometheus.Collector{
		s.adds, s.merges, s.deliveries, s.requeues, s.runs, s.latency, s.delay,
		s.phases, s.calls, s.handlerPanics, s.predicatePanics, s.panics,
		s.failureResets, s.givenUp, s.hotLoops,
		s.noOps, s.events, s.overruns, s.overdue, s.workersLost,
		s.convergence, s.attempts, s.limited,
	}
}

func counter(name, help string, labels ...string) *family[prometheus.Counter] {
	labels = append([]string{labelController}, labels...)
	vec := prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}, labels)
	return newFamily(vec, vec.WithLabelValues, labels)
}

func histogram(name, help string, buckets []float64, labels ...string) *family[prometheus.Histogram] {
	return histograms(prometheus.HistogramOpts{
		Namespace: namespace,
		Name:      name,
		Help:      help,
		Buckets:   buckets,
		// A native bucket is at most 10 % wider than the one below. What is
		// under a millisecond needs no telling apart. With 160 of them the
		// widths double, rather than that the histogram starts again at zero,
		// and the classic buckets with it.
		NativeHistogramBucketFactor:    1.1,
		NativeHistogramZeroThreshold:   1.0 / 1024,
		NativeHistogramMaxBucketNumber: 160,
	}, labels)
}

// smallHistogram has classic buckets only, and few of them.
func smallHistogram(name, help string, buckets []float64, labels ...string) *family[prometheus.Histogram] {
	return histograms(prometheus.HistogramOpts{Namespace: namespace, Name: name, Help: help, Buckets: buckets}, labels)
}

func histograms(opts prometheus.HistogramOpts, labels []string) *family[prometheus.Histogram] {
	labels = append([]string{labelController}, labels...)
	vec := prometheus.NewHistogramVec(opts, labels)
	return newFamily(vec, func(values ...string) prometheus.Histogram {
		return vec.WithLabelValues(values...).(prometheus.Histogram) // A HistogramVec has no others.
	}, labels)
}
