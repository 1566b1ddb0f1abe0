// Package predicatetest checks predicates: an author's own, and what becomes of
// a reconciler behind one.
//
// Check asks a predicate about every kind of event, with objects of every form
// and without, and Stalled finds the run after which nothing happens any more:
//
//	err := predicatetest.Check(mine, predicatetest.Options{Object: secret, Updates: pairs})
//
// They return errors, as testing/fstest does, so that any test library will do.
//
// The surprise: Check finds fault with a predicate that drops all creates. What
// is there when a process starts comes as creates, and so what the one before
// has left undone.
package predicatetest
