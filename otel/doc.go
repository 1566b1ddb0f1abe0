// Package otel traces the runs of a reconciler with OpenTelemetry: it implements
// reconcile.Tracer. It is a module of its own, and imports the API of OpenTelemetry
// only; the operator chooses the SDK and where the spans go.
//
//	go get github.com/trimtab/trimtab/otel
//
// For a trimtab.Loop these are its Options.Reconcile, else they go to
// reconcile.New:
//
//	opts := reconcile.Options[reconcile.Request]{
//		Tracer:  otel.New(otel.Options{Name: "certificates"}),
//		TraceID: otel.TraceID, // joins the exemplars of the metrics to the traces
//	}
//
// The spans of one trip round the loop, and the attributes that they have where
// the value is known:
//
//	reconcile                trimtab.controller, trimtab.request, k8s.namespace.name,
//	│                        trimtab.trigger, trimtab.attempt, trimtab.last_class,
//	│                        trimtab.priority, error.type as that of run
//	├─ delay                 deliberate: backoff, RequeueAfter
//	├─ own run               ready, but behind the request's own running reconcile
//	├─ wait                  ready, and no worker took it
//	└─ run                   trimtab.class, trimtab.noop, trimtab.phase.read, .compute,
//	   │                     .write and .status in seconds; error.type is the class
//	   ├─ get Certificate    trimtab.phase: read, write or status; error.type is the
//	   └─ update Pod/status  API server's reason, or _OTHER
//
// A run's error is an event of its span. The status of run and reconcile is Error,
// unless the class says that nothing is broken: success, requeue, conflict,
// canceled. The same goes for a call, where NotFound is an answer, too.
//
// The attribute trimtab.trigger is a list, as a run may have several causes.
// Without Trimtab's queue there are neither trimtab.trigger, trimtab.attempt,
// trimtab.last_class and trimtab.priority, nor the spans delay, own run and wait.
//
// If the run's own object has a W3C traceparent in its annotations, its run has a
// link to that span: whoever wrote the object finds what became of it.
//
// The surprise: the first span begins when the request was added to the queue. For
// a poll that is a whole period before the run, most of it delay. A sampler sees
// the names of the spans, not their attributes: only recorded spans get those.
//
// Texts are cut after 1024 bytes, and what is not UTF-8 is replaced: one such
// text would make an exporter lose all spans of its batch.
package otel
