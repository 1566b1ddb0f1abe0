// Package handler tells the queue what caused the requests that an event handler
// enqueues. It holds all of controller-runtime's package handler, too, so that one
// import serves.
//
// Replace Owns by Watches with Owned, and wrap the other handlers in As:
//
//	Watches(&corev1.Secret{}, handler.Owned(mgr, &certv1.Certificate{})).
//	Watches(&corev1.ConfigMap{}, handler.As(trigger.Watched, handler.EnqueueRequestsFromMapFunc(find)))
//
// An event that concerns very many objects, such as a new CA, is for Spread:
//
//	Watches(&corev1.Secret{}, handler.Spread(time.Minute, handler.EnqueueRequestsFromMapFunc(all)))
//
// The surprise: As must stand outermost. A wrapper of controller-runtime, such as
// WithLowPriorityWhenUnchanged or a Funcs, hides the queue from what it wraps; an
// As inside it would find no queue to tell, and pass everything through untagged.
//
// Requests of a type of your own should be small values: requests are one if they
// are equal by ==. With pointers, two for one object are two requests, enqueued,
// spread and run each for itself, and both keep alive what they point to.
//
// With a queue that is not Trimtab's, As and Owned do what the handlers that they
// wrap would do alone; Spread spreads on any queue.
package handler
