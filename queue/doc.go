// Package queue is the work queue of a controller: a controller-runtime
// priorityqueue.PriorityQueue that knows what caused each request.
//
// Give it to a controller through the NewQueue of its options, or let
// trimtab.Loop do so:
//
//	controller.Options{NewQueue: func(name string, limiter workqueue.TypedRateLimiter[reconcile.Request]) workqueue.TypedRateLimitingInterface[reconcile.Request] {
//		return queue.New(name, queue.Options[reconcile.Request]{RateLimiter: limiter})
//	}}
//
// It keeps controller-runtime's semantics: a request that is queued twice is
// delivered once, at the higher priority and the earlier time; a request is with
// one worker at a time; the highest priority is served first, and requests of
// one priority in the order in which they became ready, or were added if an event
// cut a delay short or they stood behind their own run. What it adds is the
// trigger.Source of each add, a priority for each source, and the times from
// which latency is told apart into delay, wait and work.
//
// What Options turn on or tune is done here, not in the reconciler: who is served
// next (ageing, groups), what is held back (debounce, intervals, backoff that events
// may not cut), and when to stop trying. A request that is held back is not handed
// out: it costs no worker, and the controller neither runs nor forgets it.
//
// The surprise: a requeue is recognised, not declared. controller-runtime adds a
// request again with the priority at which it was taken; the queue matches that
// add to the run that asked for it, and gives it the source Retry or Periodic
// and that source's own priority. An event for the same request, which may come
// at any moment of the run, is not mistaken for it: see Queue.Report.
//
// Use controller-runtime's own queue if you need none of this.
package queue
