package predicate

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// PathChanged returns a predicate for unstructured objects that passes an
// update which changes what stands at one of these paths, such as
// "spec.replicas". A path that comes to a list goes no further: the whole list
// counts. For labels and annotations, whose keys have dots, there are
// [LabelsChanged] and [AnnotationsChanged].
//
// Objects of other types pass but for resyncs, and [Typed] refuses to lift the
// predicate to them: see [Changed].
//
// Updates that start the deletion pass, too, and so do creates, deletes and
// generic events. It panics without paths, and if a path or a part of one is
// empty.
func PathChanged(paths ...string) Predicate {
	if len(paths) == 0 {
		panic(errors.New("predicate: PathChanged(): must have at least one path"))
	}
	split := make([][]string, len(paths))
	for i, path := range paths {
		split[i] = strings.Split(path, ".")
		if slices.Contains(split[i], "") {
			panic(fmt.Errorf("predicate: PathChanged: path %q: no part may be empty", path))
		}
	}
	c := written(func(before, after client.Object) bool {
		b, okB := before.(runtime.Unstructured)
		a, okA := after.(runtime.Unstructured)
		return !okB || !okA || pathsChanged(b.UnstructuredContent(), a.UnstructuredContent(), split)
	})
	c.fit = func(t reflect.Type) error {
		if t.Kind() != reflect.Interface && !isUnstructured(t) {
			return fmt.Errorf("PathChanged: %s is not unstructured", t)
		}
		return nil
	}
	return c
}

func isUnstructured(t reflect.Type) bool {
	return t.Implements(reflect.TypeFor[runtime.Unstructured]())
}

func pathsChanged(before, after map[string]any, paths [][]string) bool {
	for _, path := range paths {
		b, okB := at(before, path)
		a, okA := at(after, path)
		if okB != okA || !sameJSON(b, a) {
			return true
		}
	}
	return false
}

// at returns what stands at the path, or the last that is no map on the way there.
func at(content map[string]any, path []string) (value any, ok bool) {
	for i, key := range path {
		if value, ok = content[key]; !ok || i == len(path)-1 {
			return value, ok
		}
		next, isMap := value.(map[string]any)
		if !isMap {
			return value, true
		}
		content = next
	}
	return value, ok
}
