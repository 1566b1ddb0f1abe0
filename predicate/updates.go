package predicate

import (
	"reflect"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
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

// life is what tells one life of an object from the next, and one of its specs
// from another.
type life struct {
	uid        types.UID
	generation int64
	deleting   bool
}

// lifeOf reads it once. The getters of Unstructured look up metadata each time,
// and parse the deletionTimestamp into memory of its own.
func lifeOf(o client.Object) life {
	u, ok := o.(*unstructured.Unstructured)
	if !ok {
		return life{uid: o.GetUID(), generation: o.GetGeneration(), deleting: o.GetDeletionTimestamp() != nil}
	}
	metadata, _ := u.Object["metadata"].(map[string]any)
	uid, _ := metadata["uid"].(string)
	generation, _ := metadata["generation"].(int64)
	deleted, _ := metadata["deletionTimestamp"].(string)
	return life{uid: types.UID(uid), generation: generation, deleting: deleted != ""}
}

// turned tells whether deletion has started since was, or the object is another
// of the same name: where a watch missed a deletion and a creation, the cache
// tells them as one update, whose generations can both be 1.
func (l life) turned(was life) bool {
	return l.deleting && !was.deleting || l.uid != was.uid
}

// sameVersion tells whether the update is a resync: nothing was written.
// Objects that no API server has seen have no version, and are not the same.
func sameVersion(before, after client.Object) bool {
	v := after.GetResourceVersion()
	return v != "" && v == before.GetResourceVersion()
}
