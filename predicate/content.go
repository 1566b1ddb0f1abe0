package predicate

import (
	"bytes"
	"maps"
	"reflect"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// sameContent compares all of two objects but apiVersion, kind, metadata and
// status. What it can't see counts as different: an event too many is noise,
// one too few is lost.
func sameContent(before, after client.Object) bool {
	switch b := before.(type) {
	case *corev1.Secret: // up to 1 MiB, which reflection would compare byte by byte
		a, ok := after.(*corev1.Secret)
		return ok && maps.EqualFunc(a.Data, b.Data, bytes.Equal) && maps.Equal(a.StringData, b.StringData) &&
			a.Type == b.Type && isTrue(a.Immutable) == isTrue(b.Immutable)
	case *corev1.ConfigMap:
		a, ok := after.(*corev1.ConfigMap)
		return ok && maps.Equal(a.Data, b.Data) && maps.EqualFunc(a.BinaryData, b.BinaryData, bytes.Equal) &&
			isTrue(a.Immutable) == isTrue(b.Immutable)
	case *metav1.PartialObjectMetadata:
		return false
	case runtime.Unstructured:
		a, ok := after.(runtime.Unstructured)
		return ok && covers(b.UnstructuredContent(), a.UnstructuredContent()) &&
			covers(a.UnstructuredContent(), b.UnstructuredContent())
	default:
		return sameFields(reflect.ValueOf(before), reflect.ValueOf(after))
	}
}

func isTrue(b *bool) bool { return b != nil && *b }

// covers tells whether all the content of a is in b.
func covers(b, a map[string]any) bool {
	for key, value := range a {
		switch key {
		case "apiVersion", "kind", "metadata", "status":
			continue
		}
		if other, ok := b[key]; !ok || !reflect.DeepEqual(value, other) {
			return false
		}
	}
	return true
}

// sameFields compares the fields of two structs, or pointers to some, and of
// the structs that stand inline in them, but for metadata and status. An
// unexported field is no part of what an API server stores.
func sameFields(before, after reflect.Value) bool {
	if before.Type() != after.Type() {
		return false
	}
	if before.Kind() == reflect.Pointer {
		if before.IsNil() || after.IsNil() {
			return before.IsNil() && after.IsNil()
		}
		return sameFields(before.Elem(), after.Elem())
	}
	if before.Kind() != reflect.Struct {
		return false
	}
	for i := range before.NumField() {
		field := before.Type().Field(i)
		same := true
		switch name, _, _ := strings.Cut(field.Tag.Get("json"), ","); {
		case isMetaOrStatus(field, name):
		case field.Anonymous && name == "":
			same = sameFields(before.Field(i), after.Field(i))
		case field.IsExported():
			same = sameValue(before.Field(i).Interface(), after.Field(i).Interface())
		}
		if !same {
			return false
		}
	}
	return true
}

// isMetaOrStatus tells it of a field whose JSON tag has the given name.
func isMetaOrStatus(field reflect.StructField, name string) bool {
	switch {
	case name != "":
		return name == "metadata" || name == "status"
	case field.Anonymous:
		return field.Type == reflect.TypeFor[metav1.TypeMeta]() || field.Type == reflect.TypeFor[metav1.ObjectMeta]()
	default:
		return field.Name == "Status"
	}
}

// sameValue compares as the API does: nil is empty, and a quantity is its
// value. Where that panics, at an unexported field, the stricter reflection of
// the standard library decides, since nothing recovers a panic in an informer.
func sameValue(a, b any) (same bool) {
	defer func() {
		if recover() != nil {
			same = reflect.DeepEqual(a, b)
		}
	}()
	return equality.Semantic.DeepEqual(a, b)
}
