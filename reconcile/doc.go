// Package reconcile wraps a controller-runtime Reconciler in middleware that
// measures its runs, sorts their outcomes, bounds their time and keeps a panic in
// the books.
//
// It is a superset of controller-runtime's package of the same name: change the
// import path and keep Request, Result, Reconciler and the rest. trimtab.Loop
// builds the usual chain; without it, with any queue:
//
//	r = reconcile.New(r, reconcile.Options[reconcile.Request]{Observer: observer})
//
// With another queue than Trimtab's, what caused a run, how long it waited and
// which attempt it is are unknown, and what needs them does nothing: see
// Options.Queue.
//
// The chain of New, from the outside in. Own middleware goes in by Chain; where it
// stands decides what it sees:
//
//	Instrument  measures the run, tells the observer, the tracer and the queue
//	Classify    gives the run its class, and hides what is no fault
//	Deadline    cancels a run that takes too long, and shows one that goes on
//	Recover     notes a panic, and panics again
//
// Beside them, When puts middleware around some runs only. In a run, by its context:
// trigger.FromContext tells what caused it and which attempt it is, ID what it is
// called, LastWrite when its time is up; Effect and Stop tell the chain something.
// Client makes the client whose calls are accounted.
//
// What holds a request back is not here: the queue does not hand it out, so that no
// worker is kept, nothing is counted, and no failure is forgotten. See queue.Options:
// MinInterval and MaxInterval between two runs of a request, GiveUp after failures in
// a row, HotLoopDelay for a request in a hot loop, Debounce, HoldBackoff, MaxPerGroup.
//
// A run's outcome has one class, which metrics and the rate limiter use, and to
// which Options.Class adds others:
//
//	success    no error, and nothing more to do
//	requeue    no error, and it asked to come back
//	conflict   an optimistic lock failed, or the object exists already
//	throttled  a server asks to be called less
//	notfound   an object is not there
//	invalid    a server finds the request wrong
//	timeout    something took too long, such as the run itself
//	canceled   the manager is stopping
//	terminal   the reconciler says that a retry is no use
//	panic      the reconciler panicked, or ended its goroutine
//	error      anything else
//
// Errors are recognised wrapped and joined; of several joined ones the gravest
// counts.
//
// The surprise: some errors do not reach controller-runtime, and so neither its
// reconcile_errors_total nor its log. They are those that Classify documents: with
// Trimtab's queue conflicts, but for one that is the fourth failure in a row; what
// a stopping manager cancels; and a missing own object. The observer and the queue
// see them all.
//
// What the chain logs goes to the logger in the run's context. A manager's
// controllers have one; controller.NewTypedUnmanaged needs a Logger in its options,
// or nothing of it is seen.
package reconcile
