package predicate

import (
	"fmt"
	"reflect"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// ConditionChanged returns a predicate that passes an update in which a
// condition of one of these types comes, goes, or has another status, reason or
// observedGeneration; without types, any condition. Times and messages don't
// count: a heartbeat is no change, and a message often has a time or a number
// in it.
//
//	predicate.ConditionChanged("Ready")
//
// Conditions are the list status.conditions, typed or not, whose elements have
// a type and a status: metav1.Condition, and those of Node, Pod or Deployment.
// If a Go type has another status, all of it counts, and [Typed] refuses it; of
// PartialObjectMetadata, which has none, every update passes but a resync.
//
// It passes changes of the state, and no state: what went from True to False
// and back between two looks has not changed. Who waits for a condition must
// look, and come back by itself, too.
//
// Updates that start the deletion pass, too, and so do creates, deletes and
// generic events. It panics if a type is empty.
func ConditionChanged(types ...string) Predicate {
	if slices.Contains(types, "") {
		panic(fmt.Errorf("predicate: ConditionChanged(%q): no type may be empty", types))
	}
	types = slices.Clone(types)
	l := &layouts{}
	c := written(func(before, after client.Object) bool { return l.conditionChanged(before, after, types) })
	c.fit = func(t reflect.Type) error {
		if err := hasContent("ConditionChanged")(t); err != nil {
			return err
		}
		if known := l.of(t); known != nil && known.conditions == nil && !isUnstructured(t) {
			return fmt.Errorf("ConditionChanged: %s has no conditions in its status", t)
		}
		return nil
	}
	return c
}

func (l *layouts) conditionChanged(before, after client.Object, types []string) bool {
	switch b := before.(type) {
	case *metav1.PartialObjectMetadata:
		return true
	case runtime.Unstructured:
		a, ok := after.(runtime.Unstructured)
		return !ok || conditionsDiffer(rawConditions(b), rawConditions(a), types)
	}
	b, a := reflect.ValueOf(before), reflect.ValueOf(after)
	if b.Type() != a.Type() {
		return true
	}
	layout := l.of(b.Type())
	if layout == nil || layout.conditions == nil {
		return !l.sameStatus(before, after)
	}
	return conditionsDiffer(layout.conditions.of(b.Elem()), layout.conditions.of(a.Elem()), types)
}

// condition is what counts of one.
type condition struct {
	kind, status, reason string
	generation           int64
}

// conditions are those of an object, with its Go type or without.
type conditions struct {
	raw    []any
	typed  reflect.Value // a slice, if there are any
	layout *conditionLayout
}

func (c conditions) len() int {
	if c.layout != nil && c.typed.IsValid() {
		return c.typed.Len()
	}
	return len(c.raw)
}

func (c conditions) at(i int) condition {
	if c.layout != nil {
		return c.layout.condition(c.typed.Index(i))
	}
	raw, _ := c.raw[i].(map[string]any)
	kind, _ := raw["type"].(string)
	status, _ := raw["status"].(string)
	reason, _ := raw["reason"].(string)
	generation, _ := raw["observedGeneration"].(int64)
	return condition{kind, status, reason, generation}
}

// find returns the first of a type.
func (c conditions) find(kind string) (condition, bool) {
	for i := range c.len() {
		if found := c.at(i); found.kind == kind {
			return found, true
		}
	}
	return condition{}, false
}

func conditionsDiffer(before, after conditions, types []string) bool {
	return lacks(before, after, types) || lacks(after, before, types)
}

// lacks tells whether others has not what c has.
func lacks(others, c conditions, types []string) bool {
	for i := range c.len() {
		mine := c.at(i)
		if len(types) > 0 && !slices.Contains(types, mine.kind) {
			continue
		}
		if i < others.len() && others.at(i) == mine { // as a rule
			continue
		}
		if other, ok := others.find(mine.kind); !ok || other != mine {
			return true
		}
	}
	return false
}

func rawConditions(u runtime.Unstructured) conditions {
	status, _ := u.UnstructuredContent()["status"].(map[string]any)
	raw, _ := status["conditions"].([]any)
	return conditions{raw: raw}
}
