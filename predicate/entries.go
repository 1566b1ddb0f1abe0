package predicate

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// table is the labels or the annotations of objects, which Unstructured would copy.
type table struct {
	name string // in metadata
	of   func(client.Object) map[string]string
}

func tableOf(name string) table {
	if name == "labels" {
		return table{name, client.Object.GetLabels}
	}
	return table{name, client.Object.GetAnnotations}
}

// changed tells whether two objects differ in an entry whose key counts. Nil means
// that all do.
func (t table) changed(before, after client.Object, counts func(key string) bool) bool {
	b, okB := before.(*unstructured.Unstructured)
	a, okA := after.(*unstructured.Unstructured)
	if okB && okA {
		return differ(t.raw(b), t.raw(a), sameJSON, counts)
	}
	return differ(t.of(before), t.of(after), sameText, counts)
}

// value returns the entry of that key, and whether there is one.
func (t table) value(o client.Object, key string) (value string, ok bool) {
	if u, isRaw := o.(*unstructured.Unstructured); isRaw {
		value, ok = t.raw(u)[key].(string)
		return value, ok
	}
	value, ok = t.of(o)[key]
	return value, ok
}

func (t table) raw(u *unstructured.Unstructured) map[string]any {
	m, _ := metadata(u)[t.name].(map[string]any)
	return m
}

// keysOf checks the keys of labels or annotations that function f was given, and
// returns what knows them. Nil means all keys.
func keysOf(f string, keys []string) func(key string) bool {
	if len(keys) == 0 {
		return nil
	}
	for _, key := range keys {
		mustBeKey(f, key)
	}
	keys = slices.Clone(keys)
	return func(key string) bool { return slices.Contains(keys, key) }
}

// mustBeKey panics if no label or annotation can have that key.
func mustBeKey(f, key string) {
	if faults := validation.IsQualifiedName(strings.ToLower(key)); len(faults) > 0 {
		panic(fmt.Errorf("predicate: %s: key %q: %s", f, key, strings.Join(faults, "; ")))
	}
}
