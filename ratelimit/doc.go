// Package ratelimit says how long a failing request waits before its next try. Its
// limiters are drop-in: each is a workqueue.TypedRateLimiter.
//
//	controller.Options{RateLimiter: ratelimit.NewExponential[reconcile.Request](
//		ratelimit.ExponentialOptions{BaseDelay: time.Second, Jitter: 0.2},
//	)}
//
// Some count the failures in a row of each item, some bound all items together, and
// some stand around others:
//
//	NewExponential  longer after each failure of the item
//	NewFastSlow     soon for some failures, then seldom
//	NewConstant     equally long each time
//	NewBucket       so many in a second, all items together
//	NewBudgeted     retries as a share of all runs, over one controller or several
//	NewPerGroup     a limiter for each namespace, tenant or account
//	NewMaxOf        the longest of several
//	NewCapped       another one, bounded
//	NewByError      another one for each class of errors
//	NewRetryAfter   no sooner than the server asks for
//	Observe         another one whose delays a function is told of
//
// A Config is any of them as data, from YAML, JSON or flags; Build makes the limiter,
// and NewTunable one whose numbers can be changed while it is in use, which package
// configfile does as a file changes. Three presets are ready for use: InCluster,
// ExternalAPI and Gentle.
//
// One that is an ErrorAware is told why a request failed: by package queue, for a
// reconciler in the chain of package reconcile. With another queue, as that of
// plain controller options, a ByError is only its Default, and a RetryAfter its
// Limiter.
//
// Exponential, FastSlow and Constant count each item alone, and items share nothing.
// Bucket and Budget are shared by all items, and are meant to be by several
// controllers; PerGroup shares within a group. The limiters made of others share what
// those do.
//
// The surprise: a limiter belongs to one controller. It knows an item by its key
// alone, so that a success in one controller would wipe the backoff of the same key in
// another that shares the limiter. Package queue gives the second one its own, and
// logs an error; another queue can't. Build one for each.
//
// To wait longer each time for what is not ready yet, without an error, answer
// Result.Requeue: it counts as a failure, and a [ByError] gives its class, "requeue",
// a limiter of its own.
//
// To come back at a time, without an error, use package requeue: a reconciler that
// answers RequeueAfter with the delay of its controller's own limiter never waits
// longer than the first delay, since controller-runtime forgets the failures of
// whatever asks for RequeueAfter.
package ratelimit
