package otel

import (
	"fmt"

	"go.opentelemetry.io/otel/attribute"

	"github.com/trimtab/trimtab/reconcile"
	"github.com/trimtab/trimtab/trigger"
)

// The attributes. Those without our prefix are of OpenTelemetry's conventions, which
// have none for the name of an object of any kind.
const (
	controllerKey = attribute.Key("trimtab.controller")
	requestKey    = attribute.Key("trimtab.request")
	namespaceKey  = attribute.Key("k8s.namespace.name")
	triggerKey    = attribute.Key("trimtab.trigger")
	attemptKey    = attribute.Key("trimtab.attempt")
	lastClassKey  = attribute.Key("trimtab.last_class")
	priorityKey   = attribute.Key("trimtab.priority")

	classKey   = attribute.Key("trimtab.class")
	noOpKey    = attribute.Key("trimtab.noop")
	readKey    = attribute.Key("trimtab.phase.read")
	computeKey = attribute.Key("trimtab.phase.compute")
	writeKey   = attribute.Key("trimtab.phase.write")
	statusKey  = attribute.Key("trimtab.phase.status")

	phaseKey     = attribute.Key("trimtab.phase")
	errorTypeKey = attribute.Key("error.type")
)

// causes are the attributes of what is known before a run.
func (t *Tracer) causes(request any, info trigger.Info) []attribute.KeyValue {
	attributes := make([]attribute.KeyValue, 0, 7) // all of them
	if t.opts.Name != "" {
		attributes = append(attributes, controllerKey.String(text(t.opts.Name)))
	}
	attributes = append(attributes, requestKey.String(text(fmt.Sprint(request))))
	if r, ok := request.(reconcile.Request); ok && r.Namespace != "" {
		attributes = append(attributes, namespaceKey.String(text(r.Namespace)))
	}
	if info.Added.IsZero() {
		return attributes // Another queue than Trimtab's knows nothing else.
	}
	if names := namesOf(info.Sources); len(names) > 0 {
		attributes = append(attributes, triggerKey.StringSlice(names))
	}
	if info.Attempt > 0 {
		attributes = append(attributes, attemptKey.Int(info.Attempt))
	}
	if info.LastClass != "" {
		attributes = append(attributes, lastClassKey.String(text(info.LastClass)))
	}
	return append(attributes, priorityKey.Int(info.Priority))
}

func namesOf(sources trigger.Set) []string {
	names := make([]string, 0, trigger.Count)
	for source := range sources.Sources() {
		names = append(names, source.String())
	}
	return names
}

// results are the attributes of what is known after a run.
func results(run trigger.Run) []attribute.KeyValue {
	return []attribute.KeyValue{
		classKey.String(text(run.Class)),
		noOpKey.Bool(run.NoOp),
		readKey.Float64(run.Phases.Read.Seconds()),
		computeKey.Float64(run.Phases.Compute.Seconds()),
		writeKey.Float64(run.Phases.Write.Seconds()),
		statusKey.Float64(run.Phases.Status.Seconds()),
	}
}
