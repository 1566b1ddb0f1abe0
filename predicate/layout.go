package predicate

import (
	"reflect"
	"slices"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// layouts knows where the Go types of objects have their parts. Each predicate that
// needs that has its own, since there is no place for what all share. The zero value
// is ready for use.
type layouts struct{ known sync.Map } // of *layout, by reflect.Type

// layout is where the Go type of an object, a pointer to a struct, has its parts. A
// part is the way to it, from field to field, as reflect's FieldByIndex has it.
type layout struct {
	content    [][]int          // all but TypeMeta, metadata and status
	status     [][]int          // one, or none
	conditions *conditionLayout // nil if the status has none
}

// of returns the layout of type t, or nil if that is no pointer to a struct.
func (l *layouts) of(t reflect.Type) *layout {
	if known, ok := l.known.Load(t); ok {
		return known.(*layout)
	}
	known, _ := l.known.LoadOrStore(t, newLayout(t))
	return known.(*layout)
}

func newLayout(t reflect.Type) *layout {
	if t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct {
		return nil
	}
	l := &layout{}
	for _, f := range fieldsOf(t.Elem()) {
		switch {
		case f.name == "status":
			l.status = [][]int{f.path}
			l.conditions = newConditionLayout(f)
		case f.name != "metadata":
			l.content = append(l.content, f.path)
		}
	}
	return l
}

// field is one that an API server stores, and the way to it.
type field struct {
	name string // in JSON
	path []int
	kind reflect.Type
}

// fieldsOf returns the fields of a struct, and of the structs that stand inline in it.
func fieldsOf(t reflect.Type) []field { return appendFields(nil, t, nil, nil) }

func appendFields(all []field, t reflect.Type, path []int, within []reflect.Type) []field {
	if slices.Contains(within, t) {
		return all // a struct that holds itself
	}
	within = append(slices.Clip(within), t)
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		way := append(slices.Clip(path), i)
		inline := f.Type
		if inline.Kind() == reflect.Pointer {
			inline = inline.Elem()
		}
		switch {
		case name == "" && f.Anonymous && isMeta(inline):
		case name == "" && f.Anonymous && inline.Kind() == reflect.Struct:
			all = appendFields(all, inline, way, within)
		case !f.IsExported() || name == "-":
		case name != "":
			all = append(all, field{name, way, f.Type})
		case f.Name == "Status":
			all = append(all, field{"status", way, f.Type})
		default:
			all = append(all, field{f.Name, way, f.Type})
		}
	}
	return all
}

func isMeta(t reflect.Type) bool {
	return t == reflect.TypeFor[metav1.TypeMeta]() || t == reflect.TypeFor[metav1.ObjectMeta]()
}

// follow goes that way from struct v. It reports false where a pointer on it is nil.
func follow(v reflect.Value, path []int) (reflect.Value, bool) {
	for _, i := range path {
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return reflect.Value{}, false
			}
			v = v.Elem()
		}
		v = v.Field(i)
	}
	return v, true
}

// samePart compares what two structs of one type have at the end of a way.
func samePart(before, after reflect.Value, path []int) bool {
	b, okB := follow(before, path)
	a, okA := follow(after, path)
	if !okB || !okA {
		return okB == okA
	}
	return sameValue(b, a, 0)
}
