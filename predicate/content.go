package predicate

import (
	"bytes"
	"maps"
	"reflect"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// sameContent compares all of two objects but apiVersion, kind, metadata and
// status. What it can't see counts as different: an event too many is noise,
// one too few is lost.
func (l *layouts) sameContent(before, after client.Object) bool {
	switch b := before.(type) {
	case *corev1.Secret: // up to 1 MiB; these two are most of what has no generation
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
		return ok && !differ(b.UnstructuredContent(), a.UnstructuredContent(), sameJSON, isContent)
	default:
		return l.sameParts(before, after, func(l *layout) [][]int { return l.content })
	}
}

func isTrue(b *bool) bool { return b != nil && *b }

// isContent tells it of a key of an object in JSON.
func isContent(key string) bool {
	switch key {
	case "apiVersion", "kind", "metadata", "status":
		return false
	}
	return true
}

// sameStatus compares the status of two objects. What it can't see counts as
// different.
func (l *layouts) sameStatus(before, after client.Object) bool {
	switch b := before.(type) {
	case *metav1.PartialObjectMetadata:
		return false
	case runtime.Unstructured:
		a, ok := after.(runtime.Unstructured)
		return ok && sameJSON(b.UnstructuredContent()["status"], a.UnstructuredContent()["status"])
	default:
		return l.sameParts(before, after, func(l *layout) [][]int { return l.status })
	}
}

// sameParts compares those parts of two Go structs.
func (l *layouts) sameParts(before, after client.Object, parts func(*layout) [][]int) bool {
	b, a := reflect.ValueOf(before), reflect.ValueOf(after)
	if b.Type() != a.Type() {
		return false
	}
	layout := l.of(b.Type())
	if layout == nil {
		return false
	}
	for _, path := range parts(layout) {
		if !samePart(b.Elem(), a.Elem(), path) {
			return false
		}
	}
	return true
}

// sameMetadata compares what of metadata somebody wants, and not what the API
// server notes.
func sameMetadata(before, after client.Object) bool {
	return !tableOf("labels").changed(before, after, nil) &&
		!tableOf("annotations").changed(before, after, nil) &&
		sameFinalizers(before, after) && sameOwners(before, after) && sameEnd(before, after)
}

// sameEnd compares when two objects are to be deleted.
func sameEnd(before, after client.Object) bool {
	b, okB := before.(*unstructured.Unstructured)
	a, okA := after.(*unstructured.Unstructured)
	if okB && okA {
		return sameJSON(metadata(b)["deletionTimestamp"], metadata(a)["deletionTimestamp"])
	}
	return before.GetDeletionTimestamp().Equal(after.GetDeletionTimestamp())
}
