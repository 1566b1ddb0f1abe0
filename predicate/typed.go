package predicate

import (
	"errors"
	"fmt"
	"reflect"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/trimtab/trimtab/internal/null"
)

// Typed returns p for the events of one Go type, as builder.TypedControllerManagedBy
// and source.Kind want it:
//
//	source.Kind(cache, &corev1.Secret{}, h, predicate.Typed[*corev1.Secret](predicate.DataChanged()))
//
// It asks p about every event with an object, and about both objects of an
// update; without them it returns false, whatever p would say. It panics if p
// is nil, and if a predicate of this package in p has nothing to go by in such
// objects, as [StatusChanged] has not in PartialObjectMetadata.
func Typed[object client.Object](p Predicate) TypedPredicate[object] {
	if null.Is(p) {
		panic(errors.New("predicate: the predicate for Typed is nil"))
	}
	if t := reflect.TypeFor[object](); t.Kind() != reflect.Interface {
		if err := judged(p).fits(t); err != nil {
			panic(fmt.Errorf("predicate: Typed[%s]: %w", t, err))
		}
	}
	return typed[object]{p}
}

type typed[object client.Object] struct{ p Predicate }

func (t typed[object]) Create(e event.TypedCreateEvent[object]) bool {
	return !null.Is(e.Object) && t.p.Create(event.CreateEvent{Object: e.Object, IsInInitialList: e.IsInInitialList})
}

func (t typed[object]) Update(e event.TypedUpdateEvent[object]) bool {
	return !null.Is(e.ObjectOld) && !null.Is(e.ObjectNew) &&
		t.p.Update(event.UpdateEvent{ObjectOld: e.ObjectOld, ObjectNew: e.ObjectNew})
}

func (t typed[object]) Delete(e event.TypedDeleteEvent[object]) bool {
	return !null.Is(e.Object) && t.p.Delete(event.DeleteEvent{Object: e.Object, DeleteStateUnknown: e.DeleteStateUnknown})
}

func (t typed[object]) Generic(e event.TypedGenericEvent[object]) bool {
	return !null.Is(e.Object) && t.p.Generic(event.GenericEvent{Object: e.Object})
}
