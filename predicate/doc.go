// Package predicate says which events count. It holds all of
// controller-runtime's package predicate, so that one import serves, and
// filters without its traps:
//
//	For(&certv1.Certificate{}, builder.WithPredicates(predicate.SpecChanged())).
//	Watches(&corev1.Secret{}, h, builder.WithPredicates(predicate.DataChanged()))
//
// Filters for changes, whose names end in Changed, look at updates alone:
// creates, deletes and generic events pass, as those are how work is found
// after a restart. An update that starts the deletion of the object passes each
// of them, and one in which another object has taken the name, since a watch
// has missed a deletion and a creation. What a filter can't see in an object,
// such as a status in PartialObjectMetadata, counts as changed when the
// resourceVersion does: an event too many is noise, one too few is lost. Where
// it is known from the type, Typed refuses.
//
// Filters for objects, [InSelector], [InNamespaces], [Named], [NotPaused],
// [Shard] and [ShardLabel], look at every event. A reconciler asks them, too,
// by [Matches], since a request that comes back by a timer has seen no
// predicate.
//
// [All], [Any] and [None] combine them, and ask each only about the events that
// it looks at. [OnUpdate] and [On] choose kinds of events. [Observe], or the
// method of a loop, counts what a predicate admits and drops; it and [Guard]
// survive its panics.
//
// They return false for an event without an object, also where that is a nil
// pointer in an interface. They have no side effects, change no object, and are
// safe for concurrent use. They are written for client.Object; [Typed] lifts
// them, and any other, to the typed builders. What they are given is checked
// when they are made: they panic then, and not in the informer.
//
// The surprise: a resync passes none of the filters for changes, as nothing has
// changed. To repair drift, come back by requeue.Every, or add [OnlyResync] by
// Any.
//
// What is controller-runtime's keeps its behaviour, traps included: the
// generation predicates drop every update of Secrets and ConfigMaps, And and
// builder.WithPredicates need all to pass, Or of a filter for updates passes
// every create and delete, and Not of one drops them.
package predicate
