// Package trigger says what caused a run of a reconciler.
//
// A request in a queue is merged from several causes: a change of the object
// itself, of a related one, a retry, a timer. Set is those causes, Info is what
// a queue knows of one delivery, and FromContext hands it to a reconciler:
//
//	if info, ok := trigger.FromContext(ctx); ok && info.Attempt > 5 {
//		…
//	}
//
// The surprise: what nobody tagged counts as Primary, since controller-runtime
// does not tell a queue which handler adds to it. Tag the other watches with
// package handler.
//
// The package imports the standard library only, so that metrics, tracing and
// a user's own code can speak of triggers without pulling in a queue.
package trigger
