package predicate

import (
	"reflect"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
)

// updates is the predicate that asks its function about an update of an object
// and passes every other event of one. The function gets no nil.
type updates func(before, after client.Object) bool

func (updates) Create(e event.CreateEvent) bool   { return !isNil(e.Object) }
func (updates) Delete(e event.DeleteEvent) bool   { return !isNil(e.Object) }
func (updates) Generic(e event.GenericEvent) bool { return !isNil(e.Object) }

func (changed updates) Update(e event.UpdateEvent) bool {
	return !isNil(e.ObjectOld) && !isNil(e.ObjectNew) && changed(e.ObjectOld, e.ObjectNew)
}

// isNil tells whether there is no object, or a nil pointer for one.
func isNil(o client.Object) bool {
	if o == nil {
		return true
	}
	v := reflect.ValueOf(o)
	return v.Kind() == reflect.Pointer && v.IsNil()
}

// lifeChanged tells whether deletion of the object has started, or it is
// another one of the same name: where a watch missed a deletion and a creation,
// the cache tells them as one update, whose generations can both be 1.
func lifeChanged(before, after client.Object) bool {
	return isDeleting(after) && !isDeleting(before) || before.GetUID() != after.GetUID()
}

// isDeleting tells whether deletion of the object has started. Unstructured's
// getter would parse the time, into memory of its own.
func isDeleting(o client.Object) bool {
	if u, ok := o.(*unstructured.Unstructured); ok {
		metadata, _ := u.Object["metadata"].(map[string]any)
		deleted, _ := metadata["deletionTimestamp"].(string)
		return deleted != ""
	}
	return o.GetDeletionTimestamp() != nil
}

// sameVersion tells whether the update is a resync: nothing was written.
// Objects that no API server has seen have no version, and are not the same.
func sameVersion(before, after client.Object) bool {
	v := after.GetResourceVersion()
	return v != "" && v == before.GetResourceVersion()
}
