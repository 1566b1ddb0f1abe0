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
// runs for good. Here only [Done], [Every] without a period and a [Schedule] that
// has ended are done. Every other Result asks for at least a millisecond.
//
// A delay begins when the reconciler returns. What is computed early in a long
// run comes late by the length of the run: compute it last.
//
// What to call:
//
//   - a poll: [Every], [Jitter], or [Poll] for what somebody waits for
//   - a moment: [At], [After], [BeforeExpiry] for one before which something must
//     have happened
//   - a schedule, by a cron library: [Schedule]; maintenance hours: [Window]
//   - several of these: [Soonest], and [Merge] with the errors of several steps
//   - an error with a time of its own: [AfterError]
//   - all objects, whatever their runs return: [Ticker], a source
//
// All functions are safe for concurrent use and keep no state, but for [Poll.Kept]:
// what a restart must not change is derived from the object's key and its stored
// times. Only a [Ticker] starts a goroutine, which ends with its controller.
package requeue
