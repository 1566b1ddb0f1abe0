// Package trimtab makes a controller-runtime reconcile loop fast, fair, calm and
// visible. A Loop joins the parts of this module to one controller:
//
//	loop := trimtab.New("certificates", trimtab.Options{For: &certv1.Certificate{}})
//
//	return ctrl.NewControllerManagedBy(mgr).
//		For(&certv1.Certificate{}, builder.WithPredicates(predicate.SpecChanged())).
//		Watches(&corev1.Secret{}, handler.Owned(mgr, &certv1.Certificate{})). // was: Owns(&corev1.Secret{})
//		WithOptions(loop.ControllerOptions(controller.Options{MaxConcurrentReconciles: 4})).
//		Complete(loop.Reconciler(r))
//
// Two lines change in an existing operator, WithOptions and Complete. They give
// the controller a queue that serves a user's change before a resync, retries
// with jitter, and Prometheus series with latency, queue depth, requeues and
// concurrency by what triggered the run. A third, manager.Options{NewClient:
// trimtab.NewClient}, splits the time of each run into reading, computing,
// writing and writing status.
//
// The packages are useful alone, too: a limiter of ratelimit in plain controller
// options, a predicate, requeue in a Result, the middleware of reconcile around
// any reconciler.
//
// The surprise: with only one of the two lines the loop works as before, and says
// in the log which call is missing.
package trimtab
