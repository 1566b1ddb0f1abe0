// Package reconcile wraps a controller-runtime Reconciler in middleware that
// measures its runs, sorts their outcomes and keeps a panic in the books.
//
// It is a superset of controller-runtime's package of the same name: change the
// import path and keep Request, Result, Reconciler and the rest. trimtab.Loop
// builds the usual chain; without it:
//
//	r = reconcile.New(r, reconcile.Options[reconcile.Request]{Observer: observer})
//
// A run's outcome has one class, which metrics and the rate limiter use:
//
//	success    no error, and nothing more to do
//	requeue    no error, and it asked to come back
//	conflict   an optimistic lock failed, or the object exists already
//	throttled  a server asks to be called less
//	notfound   an object is not there
//	invalid    a server finds the request wrong
//	timeout    something took too long
//	canceled   the manager is stopping
//	terminal   the reconciler says that a retry is no use
//	panic      the reconciler panicked
//	error      anything else
//
// Errors are recognised wrapped and joined; of several joined ones the gravest
// counts.
//
// The surprise: nothing here holds a request back or swallows an error. What a
// reconciler returns reaches controller-runtime as it is, but for one case that
// Classify documents.
package reconcile
