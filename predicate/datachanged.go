package predicate

import "sigs.k8s.io/controller-runtime/pkg/client"

// DataChanged returns a predicate for Secrets and ConfigMaps that passes an
// update which changes data, binaryData, stringData, type or immutable, one
// that starts the deletion, and one in which another object has taken the name.
// Labels, annotations, finalizers, owners and managedFields don't count, nor
// does a resync.
//
// Of any other kind it compares everything but metadata and status, which is
// the same rule. The data of PartialObjectMetadata is not there to compare: it
// counts as changed when the resourceVersion does, and Typed refuses it.
//
// Creates, deletes and generic events pass. A resync is told by the
// resourceVersion, however large the data.
func DataChanged() Predicate {
	l := &layouts{}
	c := written(func(before, after client.Object) bool { return !l.sameContent(before, after) })
	c.fit = hasContent("DataChanged")
	return c
}
