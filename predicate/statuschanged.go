package predicate

import (
	"fmt"
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// StatusChanged returns a predicate for watches of what others report: it passes an
// update which changes the status, whatever in it, so also the time of a heartbeat.
// For less there are [ConditionChanged], [Changed] and [PathChanged].
//
// Give it to the watches whose status is your input, such as a Deployment that you
// own, and not to the kind whose status you write: that would run you again by your
// own writes. A kind without a status has nothing that could change. Of
// PartialObjectMetadata, which has none of it, every update passes but a resync.
//
// Updates that start the deletion pass, too, and so do creates, deletes and generic
// events.
func StatusChanged() Predicate {
	l := &layouts{}
	c := written(func(before, after client.Object) bool { return !l.sameStatus(before, after) })
	c.fit = func(t reflect.Type) error {
		if err := hasContent("StatusChanged")(t); err != nil {
			return err
		}
		if known := l.of(t); known != nil && known.status == nil && !isUnstructured(t) {
			return fmt.Errorf("StatusChanged: %s has no status", t)
		}
		return nil
	}
	return c
}

// ContentChanged returns a predicate that passes an update which changes anything but
// what the API server notes for itself: resourceVersion, generation and managedFields.
// So it drops what an apply without a change leaves behind, and a resync; labels,
// annotations, finalizers, owners, spec, data and status all count.
//
// Of PartialObjectMetadata, which has not all of it, every update passes but a resync.
// Updates that start the deletion pass, too, and so do creates, deletes and generic
// events.
func ContentChanged() Predicate {
	l := &layouts{}
	c := written(func(before, after client.Object) bool {
		return !sameMetadata(before, after) || !l.sameContent(before, after) || !l.sameStatus(before, after)
	})
	c.fit = hasContent("ContentChanged")
	return c
}

// hasContent returns what refuses objects that are metadata only.
func hasContent(name string) func(t reflect.Type) error {
	return func(t reflect.Type) error {
		if t == reflect.TypeFor[*metav1.PartialObjectMetadata]() {
			return fmt.Errorf("%s: %s has metadata only", name, t)
		}
		return nil
	}
}
