package predicate

import "sigs.k8s.io/controller-runtime/pkg/client"

// DropResync returns a predicate that drops the updates in which nothing was
// written: those that the cache sends every SyncPeriod, and when it lists anew
// after a watch broke. It tells them by an equal resourceVersion. Use it for
// related objects, whose resyncs all come to run the same primaries.
//
// Every other update passes, and so do creates, deletes and generic events.
func DropResync() Predicate {
	return updatesOnly(func(before, after client.Object) bool { return !sameVersion(before, after) })
}

// OnlyResync returns a predicate that passes, of all updates, those in which
// nothing was written: see [DropResync]. Beside a filter for changes it keeps
// what repairs drift:
//
//	predicate.Any(predicate.SpecChanged(), predicate.OnlyResync())
//
// Creates, deletes and generic events pass, the start of a deletion does not.
func OnlyResync() Predicate { return updatesOnly(sameVersion) }
