package predicate_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/trimtab/trimtab/predicate"
)

// fill sets each field of an event, objects aside, to something other than
// zero, so that a field which Typed does not carry over shows.
func fill[E any](t *testing.T, e E, objects ...client.Object) E {
	t.Helper()
	v := reflect.ValueOf(&e).Elem()
	for i := range v.NumField() {
		switch f := v.Field(i); {
		case f.Kind() == reflect.Bool:
			f.SetBool(true)
		case f.Type() == reflect.TypeFor[client.Object](), f.Type() == reflect.TypeFor[*corev1.Pod]():
			f.Set(reflect.ValueOf(objects[0]))
			objects = objects[1:]
		default:
			t.Fatalf("%T has a field that is new: %s", e, v.Type().Field(i).Name)
		}
	}
	return e
}

// In every supported version, Typed hands over all that an event holds.
func TestTypedHandsOverAll(t *testing.T) {
	var got []any
	spy := predicate.Funcs{
		CreateFunc:  func(e event.CreateEvent) bool { got = append(got, e); return true },
		UpdateFunc:  func(e event.UpdateEvent) bool { got = append(got, e); return true },
		DeleteFunc:  func(e event.DeleteEvent) bool { got = append(got, e); return true },
		GenericFunc: func(e event.GenericEvent) bool { got = append(got, e); return true },
	}
	a, b := &corev1.Pod{}, &corev1.Pod{}
	p := predicate.Typed[*corev1.Pod](spy)
	require.True(t, p.Create(fill(t, event.TypedCreateEvent[*corev1.Pod]{}, a)))
	require.True(t, p.Update(fill(t, event.TypedUpdateEvent[*corev1.Pod]{}, a, b)))
	require.True(t, p.Delete(fill(t, event.TypedDeleteEvent[*corev1.Pod]{}, a)))
	require.True(t, p.Generic(fill(t, event.TypedGenericEvent[*corev1.Pod]{}, a)))
	want := []any{
		fill(t, event.CreateEvent{}, a), fill(t, event.UpdateEvent{}, a, b),
		fill(t, event.DeleteEvent{}, a), fill(t, event.GenericEvent{}, a),
	}
	require.Equal(t, want, got)
	require.Same(t, b, got[1].(event.UpdateEvent).ObjectNew)
}

func TestTypedAnswers(t *testing.T) {
	no := predicate.Typed[*corev1.Pod](predicate.Not[client.Object](predicate.Funcs{}))
	pod := &corev1.Pod{}
	require.False(t, no.Create(event.TypedCreateEvent[*corev1.Pod]{Object: pod}))
	require.False(t, no.Update(event.TypedUpdateEvent[*corev1.Pod]{ObjectOld: pod, ObjectNew: pod}))
	require.False(t, no.Delete(event.TypedDeleteEvent[*corev1.Pod]{Object: pod}))
	require.False(t, no.Generic(event.TypedGenericEvent[*corev1.Pod]{Object: pod}))
	require.PanicsWithError(t, "predicate: the predicate for Typed is nil", func() { predicate.Typed[*corev1.Pod](nil) })
}

// PR15, for a predicate that is not ours and would panic.
func TestTypedNil_PR15(t *testing.T) {
	named := predicate.NewPredicateFuncs(func(o client.Object) bool { return o.GetName() == "a" })
	pod := &corev1.Pod{}

	p := predicate.Typed[*corev1.Pod](named)
	require.False(t, p.Create(event.TypedCreateEvent[*corev1.Pod]{}))
	require.False(t, p.Update(event.TypedUpdateEvent[*corev1.Pod]{ObjectOld: pod}))
	require.False(t, p.Update(event.TypedUpdateEvent[*corev1.Pod]{ObjectNew: pod}))
	require.False(t, p.Delete(event.TypedDeleteEvent[*corev1.Pod]{DeleteStateUnknown: true}))
	require.False(t, p.Generic(event.TypedGenericEvent[*corev1.Pod]{}))

	untyped := predicate.Typed[client.Object](named)
	require.False(t, untyped.Create(event.CreateEvent{}))
	require.False(t, untyped.Delete(event.DeleteEvent{Object: (*corev1.Pod)(nil)}))
}

func TestTypedAllocs(t *testing.T) {
	p := predicate.Typed[*corev1.Pod](predicate.SpecChanged())
	pod := &corev1.Pod{}
	pod.Generation = 1
	require.Zero(t, testing.AllocsPerRun(1000, func() {
		p.Create(event.TypedCreateEvent[*corev1.Pod]{Object: pod})
		p.Update(event.TypedUpdateEvent[*corev1.Pod]{ObjectOld: pod, ObjectNew: pod})
	}))
}
