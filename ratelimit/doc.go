// Package ratelimit says how long a failing request waits before its next
// try. Its limiters are drop-in: each is a workqueue.TypedRateLimiter.
//
//	controller.Options{RateLimiter: ratelimit.NewExponential[reconcile.Request](
//		ratelimit.ExponentialOptions{BaseDelay: time.Second, Jitter: 0.2},
//	)}
//
// One that is an ErrorAware is told why a request failed, by package queue.
//
// The surprise: a limiter belongs to one controller. It knows an item by its
// key alone, so that a success in one controller would wipe the backoff of the
// same key in another that shares the limiter. Build one for each.
//
// To come back at a time, without an error, use package requeue: a reconciler
// that answers RequeueAfter with the delay of its controller's own limiter
// never waits longer than the first delay, since controller-runtime forgets the
// failures of whatever asks for RequeueAfter.
package ratelimit
