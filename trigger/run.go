package trigger

// Run is one run of a reconciler, as it is known once that has returned. It is a
// value, safe to copy.
type Run struct {
	// Info is what caused the run, and where the time before it went. It is empty
	// but for Started if the queue is not Trimtab's.
	Info Info

	// Class is the class of its outcome; see package reconcile for the classes.
	Class string

	// Phases is where its time went.
	Phases Phases

	// Converged is whether the request needs no further attempt: the run had no
	// error, and did not ask for a retry by Result.Requeue. That it comes back by
	// Result.RequeueAfter does not count against it.
	Converged bool

	// NoOp is whether the run had no error and changed nothing: no write of a client
	// of reconcile.Client, dry runs aside, and no reconcile.Effect. False if no such
	// client is in use, as it is unknown then.
	NoOp bool

	// TraceID is the trace that the run belongs to, and empty if there is none.
	TraceID string
}
