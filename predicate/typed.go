package predicate

import (
	"errors"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
)

// Typed returns p for the events of one Go type, as builder.TypedControllerManagedBy
// and source.Kind want it:
//
//	source.Kind(cache, &corev1.Secret{}, h, predicate.Typed[*corev1.Secret](predicate.DataChanged()))
//
// It asks p about every event with an object, and about both objects of an
// update; without them it returns false, whatever p would say. It panics if p
// is nil.
func Typed[object client.Object](p Predicate) TypedPredicate[object] {
	if p == nil {
		panic(errors.New("predicate: the predicate for Typed is nil"))
	}
	return typed[object]{p}
}

type typed[object client.Object] struct{ p Predicate }

func (t typed[object]) Create(e event.TypedCreateEvent[object]) bool {
	return !isNil(e.Object) && t.p.Create(event.CreateEvent{Object: e.Object, IsInInitialList: e.IsInInitialList})
}

func (t typed[object]) Update(e event.TypedUpdateEvent[object]) bool {
	return !isNil(e.ObjectOld) && !isNil(e.ObjectNew) &&
		t.p.Update(event.UpdateEvent{ObjectOld: e.ObjectOld, ObjectNew: e.ObjectNew})
}

func (t typed[object]) Delete(e event.TypedDeleteEvent[object]) bool {
	return !isNil(e.Object) && t.p.Delete(event.DeleteEvent{Object: e.Object, DeleteStateUnknown: e.DeleteStateUnknown})
}

func (t typed[object]) Generic(e event.TypedGenericEvent[object]) bool {
	return !isNil(e.Object) && t.p.Generic(event.GenericEvent{Object: e.Object})
}
