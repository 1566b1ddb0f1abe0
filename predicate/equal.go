package predicate

import (
	"bytes"
	"reflect"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// tooDeep bounds how deep values are compared, so that one which holds itself ends
// no informer. It counts as different.
const tooDeep = 200

// sameValue compares two values of one type as the API does: nil is empty, and
// quantities and times are what they say. It does so without a copy of them.
func sameValue(a, b reflect.Value, depth int) bool {
	if depth > tooDeep {
		return false
	}
	depth++
	switch a.Kind() {
	case reflect.Struct:
		return sameStruct(a, b, depth)
	case reflect.Pointer:
		if a.IsNil() || b.IsNil() || a.UnsafePointer() == b.UnsafePointer() {
			return a.IsNil() == b.IsNil()
		}
		return sameValue(a.Elem(), b.Elem(), depth)
	case reflect.Interface:
		if a.IsNil() || b.IsNil() {
			return a.IsNil() == b.IsNil()
		}
		return a.Elem().Type() == b.Elem().Type() && sameValue(a.Elem(), b.Elem(), depth)
	case reflect.Slice:
		if a.Type().Elem().Kind() == reflect.Uint8 {
			return bytes.Equal(a.Bytes(), b.Bytes())
		}
		return a.Len() == b.Len() && (a.UnsafePointer() == b.UnsafePointer() || sameElements(a, b, depth))
	case reflect.Array:
		return sameElements(a, b, depth)
	case reflect.Map:
		return sameMap(a, b, depth)
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		return a.IsZero() && b.IsZero()
	default:
		return a.Equal(b)
	}
}

func sameStruct(a, b reflect.Value, depth int) bool {
	switch a.Type() {
	case reflect.TypeFor[resource.Quantity]():
		if a.CanInterface() && b.CanInterface() {
			x, y := pointer[resource.Quantity](a), pointer[resource.Quantity](b)
			return x.Cmp(*y) == 0
		}
	case reflect.TypeFor[time.Time]():
		if a.CanInterface() && b.CanInterface() {
			return pointer[time.Time](a).Equal(*pointer[time.Time](b))
		}
	}
	for i := range a.NumField() {
		if !sameValue(a.Field(i), b.Field(i), depth) {
			return false
		}
	}
	return true
}

// pointer returns what v holds, without a copy where v has a place.
func pointer[T any](v reflect.Value) *T {
	if v.CanAddr() {
		return v.Addr().Interface().(*T)
	}
	t := v.Interface().(T)
	return &t
}

func sameElements(a, b reflect.Value, depth int) bool {
	for i := range a.Len() {
		if !sameValue(a.Index(i), b.Index(i), depth) {
			return false
		}
	}
	return true
}

func sameMap(a, b reflect.Value, depth int) bool {
	if a.Len() != b.Len() {
		return false
	}
	if a.Len() == 0 || a.UnsafePointer() == b.UnsafePointer() {
		return true
	}
	if a.CanInterface() && b.CanInterface() { // most maps are of these, and the general way copies
		switch x := a.Interface().(type) {
		case map[string]string:
			return !differ(x, b.Interface().(map[string]string), sameText, nil)
		case corev1.ResourceList:
			return !differ(x, b.Interface().(corev1.ResourceList), sameQuantity, nil)
		}
	}
	for entries := a.MapRange(); entries.Next(); {
		other := b.MapIndex(entries.Key())
		if !other.IsValid() || !sameValue(entries.Value(), other, depth) {
			return false
		}
	}
	return true
}

func sameText(a, b string) bool { return a == b }

func sameQuantity(a, b resource.Quantity) bool { return a.Cmp(b) == 0 }

// differ tells whether the maps differ in an entry whose key counts. Nil means that
// all do.
func differ[K ~string, V any](before, after map[K]V, same func(a, b V) bool, counts func(key K) bool) bool {
	for key, b := range before {
		if counts != nil && !counts(key) {
			continue
		}
		if a, ok := after[key]; !ok || !same(a, b) {
			return true
		}
	}
	for key := range after {
		if counts != nil && !counts(key) {
			continue
		}
		if _, ok := before[key]; !ok {
			return true
		}
	}
	return false
}

// sameJSON compares what Unstructured holds.
func sameJSON(a, b any) bool {
	switch a := a.(type) {
	case nil:
		return b == nil
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && !differ(a, b, sameJSON, nil)
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !sameJSON(a[i], b[i]) {
				return false
			}
		}
		return true
	case string, bool, int64, float64:
		return a == b
	default: // what JSON does not have, but somebody has put there
		x, y := reflect.ValueOf(a), reflect.ValueOf(b)
		return y.IsValid() && x.Type() == y.Type() && sameValue(x, y, 0)
	}
}
