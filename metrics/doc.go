// Package metrics is the Prometheus collectors of a reconcile loop: the golden
// signals by what triggered a run, the time by phase, and the causes.
//
// A trimtab.Loop makes, registers and feeds them; there is nothing to do. Use
// the package by itself to measure a loop of your own: New is one collector,
// Metrics.Controller is the handle for one controller, and its methods are what
// package queue and package reconcile report to.
//
//	m := metrics.New(metrics.Options{})
//	if err := reg.Register(m); err != nil {
//		…
//	}
//	certificates := m.Controller("certificate")
//
// # Series
//
// All start with trimtab_ and have the label controller. The label trigger is primary,
// external, watched, retry, periodic, resync or, with a queue that is not Trimtab's,
// unknown. What ends in _total counts, what ends in _seconds is in seconds.
//
// Histograms:
//
//	latency_seconds        trigger  wait and run of a run; its exemplar is the trace
//	delay_seconds          trigger  held back on purpose before a run
//	convergence_seconds             from the first attempt's wait to the end of the last
//	convergence_attempts            attempts until none more was needed
//	limiter_delay_seconds  class    for which a failed request was told to wait
//
// Counters:
//
//	adds_total             trigger                     adds to the queue
//	merges_total           trigger                     of these, to a request already queued
//	deliveries_total       trigger                     requests handed to a worker
//	requeues_total         reason                      adds that were the echo of a run: retry, periodic
//	runs_total             trigger, class              completed runs
//	noop_runs_total        trigger                     of these, without an error or a change
//	phase_seconds_total    trigger, phase              seconds: delay, wait, own_run, read, compute, write, status
//	api_calls_total        trigger, verb, kind         calls of the Kubernetes API
//	events_total           trigger, predicate, result  events of watches, admitted or dropped
//	panics_total                                       runs that panicked
//	handler_panics_total   trigger                     event handlers that panicked
//	predicate_panics_total predicate                   predicates that panicked
//	overruns_total                                     runs that passed their deadline
//	workers_lost_total                                 workers that ended with their run; its class is panic
//	failure_resets_total                               backoffs that started anew
//	given_up_total                                     requests not retried any more
//	hot_loops_total                                    requests found to run in a hot loop
//
// Gauges:
//
//	workers_busy                             runs in flight
//	workers_limit                            runs that can be in flight
//	workers_utilisation                      the one by the other, from 0 to 1
//	runs_overdue                             runs in flight a second past their deadline
//	oldest_run_seconds                       age of the longest run in flight
//	queue_depth                     trigger  requests ready for a worker
//	queue_delayed                            requests that wait for their time
//	queue_oldest_waiting_seconds             wait of the request that is ready for longest
//	queue_saturated                          1 if the queue has been too deep for a minute, else 0
//	last_success_timestamp_seconds           seconds since 1970, 0 if there was none
//	object_requeues                 object   requeues of the objects with most of them
//	object_busy_seconds             object   seconds in runs of the objects with most of them
//
// The last two are halved every ten minutes, and an object that has left their lists,
// or is deleted, has no series.
//
// Without Trimtab's queue, as when reconcile.New stands in front of another one,
// only what a run tells is counted: latency_seconds, without the wait, runs_total,
// noop_runs_total, phase_seconds_total, api_calls_total, panics_total,
// overruns_total, workers_lost_total, runs_overdue and
// last_success_timestamp_seconds. The rest stays at zero.
//
// An exemplar is only in a scrape as protobuf or OpenMetrics. The metrics server of
// a manager does not offer OpenMetrics of itself.
//
// The standard workqueue_* series are not made here: the queue of a trimtab.Loop
// feeds controller-runtime's own. They know no trigger, and count a wait behind a
// key's own run as any other.
//
// The surprise: the series of all sources, phases and classes of package
// reconcile are there, at zero, as soon as the controller is; so the first of
// anything is seen to rise, a rate is 0 and not absent, and
// trimtab_last_success_timestamp_seconds is 0 until the first success. Those
// of an API call's verb and kind, of a predicate, of a class of your own and of the
// trigger unknown come when they are first needed.
//
// Of what the queue does about failures, trimtab_given_up_total counts the requests
// that were not retried any more (queue.Options.GiveUp): each of them waits for an
// event, so any rise is worth an alert. trimtab_failure_resets_total counts the
// backoffs that started anew since somebody had changed or deleted the object; one
// that rises all the time is of somebody who writes the object's spec all the time.
// trimtab_hot_loops_total counts the requests that were found to run in a hot loop
// (queue.Options.DisableHotLoop); the log names them.
//
// The number of series is bounded, whatever the loop does: see Options. None but the
// last two has the name of an object, and a value of a label for which there is no
// room any more counts as "other".
package metrics
