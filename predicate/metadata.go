package predicate

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// FinalizersChanged returns a predicate that passes an update which adds or
// removes a finalizer. With names, only while the object has one of these,
// before or after: so your own being taken away counts, and others' while you
// wait to be the last, and nothing of an object that is none of your concern.
// The order does not count.
//
// Updates that start the deletion pass, too, and so do creates, deletes and
// generic events. It panics if no finalizer can have one of the names.
func FinalizersChanged(own ...string) Predicate {
	mine := keysOf("FinalizersChanged", own)
	return written(func(before, after client.Object) bool {
		return !sameFinalizers(before, after) &&
			(mine == nil || hasFinalizer(before, mine) || hasFinalizer(after, mine))
	})
}

func hasFinalizer(o client.Object, mine func(name string) bool) bool {
	return slices.ContainsFunc(o.GetFinalizers(), mine)
}

// sameFinalizers compares the finalizers as sets.
func sameFinalizers(before, after client.Object) bool {
	b, okB := before.(*unstructured.Unstructured)
	a, okA := after.(*unstructured.Unstructured)
	if okB && okA {
		return sameSet(rawList(b, "finalizers"), rawList(a, "finalizers"), sameJSON)
	}
	return sameSet(before.GetFinalizers(), after.GetFinalizers(), sameText)
}

// OwnersChanged returns a predicate that passes an update which adds, removes
// or changes an owner reference: the only sign that somebody has taken your
// object from you. The order does not count.
//
// Updates that start the deletion pass, too, and so do creates, deletes and
// generic events.
func OwnersChanged() Predicate {
	return written(func(before, after client.Object) bool { return !sameOwners(before, after) })
}

func sameOwners(before, after client.Object) bool {
	b, okB := before.(*unstructured.Unstructured)
	a, okA := after.(*unstructured.Unstructured)
	if okB && okA {
		return sameSet(rawList(b, "ownerReferences"), rawList(a, "ownerReferences"), sameJSON)
	}
	return sameSet(before.GetOwnerReferences(), after.GetOwnerReferences(), sameOwner)
}

func sameOwner(a, b metav1.OwnerReference) bool {
	return a.UID == b.UID && a.Name == b.Name && a.Kind == b.Kind && a.APIVersion == b.APIVersion &&
		isTrue(a.Controller) == isTrue(b.Controller) && isTrue(a.BlockOwnerDeletion) == isTrue(b.BlockOwnerDeletion)
}

// rawList returns a list of the metadata of u, not a copy, or nil.
func rawList(u *unstructured.Unstructured, name string) []any {
	list, _ := metadata(u)[name].([]any)
	return list
}

// sameSet compares two short lists, whatever their order.
func sameSet[E any](a, b []E, same func(a, b E) bool) bool {
	return len(a) == len(b) && within(a, b, same) && within(b, a, same)
}

func within[E any](a, b []E, same func(a, b E) bool) bool {
	for i, x := range a {
		found := i < len(b) && same(x, b[i]) // as a rule
		for j := 0; !found && j < len(b); j++ {
			found = same(x, b[j])
		}
		if !found {
			return false
		}
	}
	return true
}

// DeletionStarted returns a predicate that passes an update which starts the
// deletion of an object, as there is one if a finalizer holds it up, and no
// other. The other filters for changes pass that, too; this one is for watches
// of which nothing else counts, and for [None].
//
// Creates, deletes and generic events pass; a create can be of an object whose
// deletion started while the process was away.
func DeletionStarted() Predicate {
	return updatesOnly(func(before, after client.Object) bool { return isDeleting(after) && !isDeleting(before) })
}
