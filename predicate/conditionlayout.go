package predicate

import (
	"reflect"
	"slices"
)

// conditionLayout is where a Go type has its conditions, and these their fields.
type conditionLayout struct {
	list                 []int // from the object, a slice of structs or of pointers to some
	kind, status, reason []int // from a condition, strings; reason nil if there is none
	generation           []int // an integer, nil if there is none
}

// newConditionLayout returns where the status that f is has its conditions, or nil if
// it has none that have a type and a status.
func newConditionLayout(f field) *conditionLayout {
	for _, list := range structFields(f.kind) {
		if list.name != "conditions" || list.kind.Kind() != reflect.Slice {
			continue
		}
		l := &conditionLayout{list: append(slices.Clip(f.path), list.path...)}
		for _, part := range structFields(list.kind.Elem()) {
			switch isText := part.kind.Kind() == reflect.String; {
			case part.name == "type" && isText:
				l.kind = part.path
			case part.name == "status" && isText:
				l.status = part.path
			case part.name == "reason" && isText:
				l.reason = part.path
			case part.name == "observedGeneration" && part.kind.Kind() == reflect.Int64:
				l.generation = part.path
			}
		}
		if l.kind != nil && l.status != nil {
			return l
		}
	}
	return nil
}

// structFields returns the fields of a struct, or of one that t points to, if it is
// either.
func structFields(t reflect.Type) []field {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	return fieldsOf(t)
}

// of returns the conditions of an object, a struct.
func (l *conditionLayout) of(o reflect.Value) conditions {
	list, _ := follow(o, l.list)
	return conditions{typed: list, layout: l}
}

func (l *conditionLayout) condition(v reflect.Value) condition {
	c := condition{kind: text(v, l.kind), status: text(v, l.status), reason: text(v, l.reason)}
	if g, ok := follow(v, l.generation); ok && l.generation != nil {
		c.generation = g.Int()
	}
	return c
}

func text(v reflect.Value, path []int) string {
	if path == nil {
		return ""
	}
	if s, ok := follow(v, path); ok {
		return s.String()
	}
	return ""
}
