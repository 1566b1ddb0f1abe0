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
// All series start with trimtab_ and have the label controller. The label
// trigger is primary, external, watched, retry, periodic, resync or, with a
// queue that is not Trimtab's, unknown.
//
// The standard workqueue_* series are not made here: the queue of a trimtab.Loop
// feeds controller-runtime's own. They know no trigger, and count a wait behind a
// key's own run as any other.
//
// The surprise: the series of all sources, phases and classes of package
// reconcile are there, at zero, as soon as the controller is; so the first of
// anything is seen to rise, a rate is 0 and not absent, and
// trimtab_last_success_timestamp_seconds is 0 until the first success. Those
// of an API call's verb and kind, of a class of your own and of the trigger
// unknown come when they are first needed.
//
// Of what the queue does about failures, trimtab_given_up_total counts the requests
// that were not retried any more (queue.Options.GiveUp): each of them waits for an
// event, so any rise is worth an alert. trimtab_failure_resets_total counts the
// backoffs that started anew since somebody had changed or deleted the object; one
// that rises all the time is of somebody who writes the object's spec all the time.
// trimtab_hot_loops_total counts the requests that were found to run in a hot loop
// (queue.Options.DisableHotLoop); the log names them.
//
// The number of series is bounded, whatever the loop does: see Options. No
// series holds the name of an object, but the few of trimtab_object_requeues.
package metrics
