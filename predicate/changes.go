package predicate

import (
	"reflect"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
)

// changes is the predicate that asks its function about an update of an object
// and lets every other event of one pass, and every update in which the object's
// life has changed. The function gets no nil.
type changes struct {
	changed func(before, after client.Object) bool
	fit     func(t reflect.Type) error // nil if it fits all
}

// written is a predicate whose function is asked about what was written since, so
// not about a resync.
func written(changed func(before, after client.Object) bool) *changes {
	return &changes{changed: func(before, after client.Object) bool {
		return !sameVersion(before, after) && changed(before, after)
	}}
}

func (c *changes) judge(e occasion) verdict {
	switch {
	case e.kind != Updates:
		return abstain
	case lifeChanged(e.before, e.after):
		return verdictOf(!e.turned) // so that it passes None, too
	default:
		return verdictOf(c.changed(e.before, e.after))
	}
}

func (c *changes) fits(t reflect.Type) error {
	if c.fit == nil {
		return nil
	}
	return c.fit(t)
}

func (c *changes) Create(e event.CreateEvent) bool   { return !isNil(e.Object) }
func (c *changes) Delete(e event.DeleteEvent) bool   { return !isNil(e.Object) }
func (c *changes) Generic(e event.GenericEvent) bool { return !isNil(e.Object) }

func (c *changes) Update(e event.UpdateEvent) bool {
	return !isNil(e.ObjectOld) && !isNil(e.ObjectNew) &&
		(lifeChanged(e.ObjectOld, e.ObjectNew) || c.changed(e.ObjectOld, e.ObjectNew))
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
		deleted, _ := metadata(u)["deletionTimestamp"].(string)
		return deleted != ""
	}
	return o.GetDeletionTimestamp() != nil
}

// metadata returns what u has as such, not a copy, or nil.
func metadata(u *unstructured.Unstructured) map[string]any {
	m, _ := u.Object["metadata"].(map[string]any)
	return m
}

// sameVersion tells whether the update is a resync: nothing was written.
// Objects that no API server has seen have no version, and are not the same.
func sameVersion(before, after client.Object) bool {
	v := after.GetResourceVersion()
	return v != "" && v == before.GetResourceVersion()
}

// isNil is null.Is where it is asked of every event: the compiler puts it there, which
// is a fifth of what SpecChanged takes.
func isNil(o client.Object) bool {
	if o == nil {
		return true
	}
	v := reflect.ValueOf(o)
	return v.Kind() == reflect.Pointer && v.IsNil()
}
