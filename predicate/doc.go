// Package predicate says which events count. It holds all of controller-runtime's
// package predicate, so that one import serves, and filters without its traps:
//
//	For(&certv1.Certificate{}, builder.WithPredicates(predicate.SpecChanged())).
//	Watches(&corev1.Secret{}, h, builder.WithPredicates(predicate.DataChanged()))
//
// Trimtab's own predicates filter updates and pass every create, delete and
// generic event, as those are how work is found after a restart. They return
// false for an event without an object, also where that is a nil pointer in an
// interface. They have no side effects, change no object, and are safe for
// concurrent use. They are written for client.Object; [Typed] lifts them, and
// any other, to the typed builders.
//
// The surprise: a resync passes none of the filters for changes, as nothing
// has changed. To repair drift, come back by requeue.Every.
//
// What is controller-runtime's keeps its behaviour, traps included: the
// generation predicates drop every update of Secrets and ConfigMaps, And and
// builder.WithPredicates need all to pass, Or of a filter for updates passes
// every create and delete, and Not of one drops them.
package predicate
