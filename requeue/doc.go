// Package requeue computes when a reconcile request should come back.
//
//	return requeue.Every(10*time.Minute, string(obj.GetUID())), nil
//
// Use it for the time of the next look: a poll, a deadline, a renewal. To slow
// down retries after errors, give the controller a limiter of package
// ratelimit instead; controller-runtime ignores a Result beside an error.
//
// The surprise it removes: controller-runtime takes a RequeueAfter of zero or
// less for "done", so that a deadline which has just passed ends the chain of
// runs for good. Here only [Done], and [Every] without a period, are done.
// Every other Result asks for at least a millisecond.
//
// A delay begins when the reconciler returns. What is computed early in a long
// run comes late by the length of the run: compute it last.
//
// All functions are safe for concurrent use and keep no state: what a restart
// must not change is derived from the object's key and its stored times.
package requeue
