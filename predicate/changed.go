package predicate

import (
	"errors"
	"fmt"
	"reflect"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Changed returns a predicate that passes an update which changes what the function
// says of the object:
//
//	predicate.Changed(func(d *appsv1.Deployment) int32 { return d.Status.ReadyReplicas })
//
// An object that is no T, such as one without its Go type, can't be asked: its updates
// pass but for resyncs, and [Typed] refuses to lift the predicate to such a type. With
// client.Object as T all can be asked. The function must not change the object; if it
// panics, the event passes and the panic is logged, as with [Guard].
//
// Updates that start the deletion pass, too, and so do creates, deletes and generic
// events. Changed panics if the function is nil.
func Changed[T client.Object, V comparable](of func(T) V) Predicate {
	if of == nil {
		panic(errors.New("predicate: Changed(nil): the function must not be nil"))
	}
	return changedFunc("Changed", of, func(a, b V) bool { return a == b })
}

// ChangedFunc is [Changed] for values that == does not compare:
//
//	predicate.ChangedFunc(func(i *networkingv1.Ingress) []networkingv1.IngressRule { return i.Spec.Rules },
//		func(a, b []networkingv1.IngressRule) bool { return equality.Semantic.DeepEqual(a, b) })
//
// It panics if a function is nil.
func ChangedFunc[T client.Object, V any](of func(T) V, equal func(a, b V) bool) Predicate {
	if of == nil || equal == nil {
		panic(errors.New("predicate: ChangedFunc: the functions must not be nil"))
	}
	return changedFunc("ChangedFunc", of, equal)
}

func changedFunc[T client.Object, V any](name string, of func(T) V, equal func(a, b V) bool) Predicate {
	c := written(func(before, after client.Object) bool {
		b, okB := before.(T)
		a, okA := after.(T)
		return !okB || !okA || !equal(of(b), of(a))
	})
	c.fit = func(t reflect.Type) error {
		if want := reflect.TypeFor[T](); !t.AssignableTo(want) {
			return fmt.Errorf("%s: %s is no %s", name, t, want)
		}
		return nil
	}
	return Guard(nil, c)
}
