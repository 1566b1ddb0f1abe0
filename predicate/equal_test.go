package predicate_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trimtab/trimtab/predicate"
)

// populate gives everything in v a value that is not zero.
func populate(v reflect.Value) {
	switch x := v.Addr().Interface().(type) {
	case *resource.Quantity:
		*x = resource.MustParse("1")
		return
	case *metav1.Time:
		*x = deletedAt
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				populate(v.Field(i))
			}
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		populate(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		populate(v.Index(0))
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		populate(key)
		populate(value)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int32, reflect.Int64, reflect.Int:
		v.SetInt(1)
	case reflect.Uint8:
		v.SetUint(1)
	case reflect.Interface: // runtime.Object in a RawExtension, which is not stored
	default:
		panic("another kind: " + v.Type().String())
	}
}

// eachChange calls f once for each value in v, while that is another one.
func eachChange(path string, v reflect.Value, f func(path string)) {
	changed := func(set func()) {
		before := reflect.New(v.Type()).Elem()
		before.Set(v)
		set()
		f(path)
		v.Set(before)
	}
	switch x := v.Addr().Interface().(type) {
	case *resource.Quantity:
		changed(func() { *x = resource.MustParse("1001m") })
		return
	case *metav1.Time:
		changed(func() { *x = sooner })
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if f2 := v.Type().Field(i); f2.IsExported() {
				eachChange(path+"."+f2.Name, v.Field(i), f)
			}
		}
	case reflect.Pointer:
		changed(func() { v.SetZero() })
		eachChange(path, v.Elem(), f)
	case reflect.Slice:
		changed(func() { v.Set(reflect.AppendSlice(reflect.MakeSlice(v.Type(), 0, 2), reflect.AppendSlice(v, v))) })
		changed(func() { v.SetZero() })
		eachChange(path, v.Index(0), f)
	case reflect.Map:
		key := v.MapKeys()[0]
		changed(func() { v.SetZero() })
		value := reflect.New(v.Type().Elem()).Elem()
		value.Set(v.MapIndex(key))
		eachChange(path, value, func(path string) {
			before := v.MapIndex(key)
			v.SetMapIndex(key, value)
			f(path)
			v.SetMapIndex(key, before)
		})
	case reflect.String:
		changed(func() { v.SetString("y") })
	case reflect.Bool:
		changed(func() { v.SetBool(false) })
	case reflect.Int32, reflect.Int64, reflect.Int:
		changed(func() { v.SetInt(2) })
	case reflect.Uint8:
		changed(func() { v.SetUint(2) })
	default:
	}
}

// No field of a spec is too deep to be seen, whatever kind of value it is: what differs
// for the API differs here, and a copy doesn't.
func TestEveryFieldCounts(t *testing.T) {
	p, status := predicate.DataChanged(), predicate.StatusChanged()
	d := &appsv1.Deployment{}
	populate(reflect.ValueOf(&d.Spec).Elem())
	populate(reflect.ValueOf(&d.Status).Elem())
	before := d.DeepCopy()
	require.False(t, update(t, p, before, d), "a copy")
	require.False(t, update(t, status, before, d), "a copy")

	fields := 0
	eachChange("spec", reflect.ValueOf(&d.Spec).Elem(), func(path string) {
		fields++
		if !ask(p, before, d) || ask(status, before, d) {
			t.Error("not seen: ", path)
		}
	})
	require.Greater(t, fields, 500)
	require.False(t, update(t, p, before, d), "the test puts all back")
	eachChange("status", reflect.ValueOf(&d.Status).Elem(), func(path string) {
		if ask(p, before, d) || !ask(status, before, d) {
			t.Error("not seen: ", path)
		}
	})
	empty := &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{}, NodeSelector: map[string]string{}}}
	require.True(t, equality.Semantic.DeepEqual(&corev1.Pod{}, empty))
	require.False(t, update(t, p, &corev1.Pod{}, empty), "nil is empty")
}

func ask(p predicate.Predicate, before, after client.Object) bool {
	return p.Update(eventOf(before, after))
}

// odd holds what no API has, but Go's types can.
type odd struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`
	Array             [2]string
	Any               any
	Func              func()
	At                time.Time
	Ratio             float64
	Structs           map[string]struct{ A []int }
	Self              *odd
	quantity          resource.Quantity
}

// endless is a struct that stands inline in itself.
type endless struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`
	*Endless          `json:",inline"`
}

type Endless struct {
	Text     string
	*Endless `json:",inline"`
}

func (o *endless) DeepCopyObject() runtime.Object { c := *o; return &c }

func (o *odd) DeepCopyObject() runtime.Object { c := *o; return &c }

func TestOddValues(t *testing.T) {
	p := predicate.DataChanged()
	base := func() *odd {
		return &odd{Any: []int{1}, At: deletedAt.Time, Structs: map[string]struct{ A []int }{"a": {A: []int{1}}}, Ratio: 0.5}
	}
	for name, tt := range map[string]struct {
		f    func(*odd)
		want bool
	}{
		"nothing":             {func(*odd) {}, false},
		"array":               {func(o *odd) { o.Array[1] = "x" }, true},
		"in an interface":     {func(o *odd) { o.Any = []int{2} }, true},
		"another type":        {func(o *odd) { o.Any = []int64{1} }, true},
		"no interface":        {func(o *odd) { o.Any = nil }, true},
		"func":                {func(o *odd) { o.Func = func() {} }, true},
		"time, other zone":    {func(o *odd) { o.At = o.At.In(time.FixedZone("x", 3600)) }, false},
		"time":                {func(o *odd) { o.At = o.At.Add(1) }, true},
		"float":               {func(o *odd) { o.Ratio = 0.25 }, true},
		"in a map of structs": {func(o *odd) { o.Structs = map[string]struct{ A []int }{"a": {A: []int{2}}} }, true},
		"another key":         {func(o *odd) { o.Structs = map[string]struct{ A []int }{"b": {A: []int{1}}} }, true},
		"unexported":          {func(o *odd) { o.quantity = resource.MustParse("2") }, false}, // at the top, no part of what is stored
	} {
		changed := base()
		tt.f(changed)
		require.Equal(t, tt.want, ask(p, base(), changed), name)
	}
	// What holds itself ends no informer. It counts as different.
	ring, other := base(), base()
	ring.Self, other.Self = ring, other
	require.True(t, ask(p, ring, other))

	p = predicate.DataChanged()
	require.True(t, ask(p, &endless{}, &endless{Endless: &Endless{Text: "x"}}))
	require.False(t, ask(p, &endless{Endless: &Endless{Text: "x"}}, &endless{Endless: &Endless{Text: "x"}}))
}
