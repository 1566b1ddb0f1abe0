package queue

import (
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/handler"

	"github.com/trimtab/trimtab/trigger"
)

// DefaultPriority returns the priority of what source adds, unless the add or the
// run's Result names one: Primary and External 0, Retry -10 (an outage must not
// bury new changes), Watched -20, Periodic and Resync -100, which is
// controller-runtime's low priority.
func DefaultPriority(source trigger.Source) int {
	switch source {
	case trigger.Retry:
		return -10
	case trigger.Watched:
		return -20
	case trigger.Periodic, trigger.Resync:
		return handler.LowPriority
	default:
		return 0
	}
}

// decide tells what an add to it is: the echo of its run in flight, if it may be
// that, or an event.
func decide[T comparable](it *item[T], source trigger.Source, mayEcho bool, o priorityqueue.AddOpts) decision {
	if mayEcho && it.run() != nil {
		if e, ok := it.run().echo(o); ok {
			return e.decision()
		}
	}
	if o.Priority == nil {
		return decision{source: source, priority: DefaultPriority(source)}
	}
	if *o.Priority == handler.LowPriority && source <= trigger.Watched {
		source = trigger.Resync
	}
	return decision{source: source, priority: *o.Priority}
}
