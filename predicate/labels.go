package predicate

import (
	"errors"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// LabelsChanged returns a predicate that passes an update which adds, removes or
// changes one of these labels; without keys, any label. No labels and an empty map of
// them are the same.
//
// Updates that start the deletion pass, too, and so do creates, deletes and generic
// events. It panics if no label can have one of the keys.
func LabelsChanged(keys ...string) Predicate {
	return tableOf("labels").changes("LabelsChanged", keys)
}

// AnnotationsChanged returns a predicate that passes an update which adds, removes or
// changes one of these annotations; without keys, any annotation, and so those that
// kubectl and other tools write for themselves.
//
// Updates that start the deletion pass, too, and so do creates, deletes and generic
// events. It panics if no annotation can have one of the keys.
func AnnotationsChanged(keys ...string) Predicate {
	return tableOf("annotations").changes("AnnotationsChanged", keys)
}

// AnnotationsChangedExcept returns a predicate that passes an update which adds,
// removes or changes an annotation other than these:
//
//	predicate.AnnotationsChangedExcept(corev1.LastAppliedConfigAnnotation)
//
// Updates that start the deletion pass, too, and so do creates, deletes and generic
// events. It panics without keys, and if no annotation can have one of them.
func AnnotationsChangedExcept(keys ...string) Predicate {
	known := keysOf("AnnotationsChangedExcept", keys)
	if known == nil {
		panic(errors.New("predicate: AnnotationsChangedExcept(): must have at least one key; AnnotationsChanged() is for all"))
	}
	others := func(key string) bool { return !known(key) }
	t := tableOf("annotations")
	return written(func(before, after client.Object) bool { return t.changed(before, after, others) })
}

// changes is the predicate for changes of the entries with these keys, or of all.
func (t table) changes(f string, keys []string) Predicate {
	if keysOf(f, keys) == nil {
		return written(func(before, after client.Object) bool { return t.changed(before, after, nil) })
	}
	keys = slices.Clone(keys)
	return written(func(before, after client.Object) bool {
		for _, key := range keys {
			was, had := t.value(before, key)
			if is, has := t.value(after, key); has != had || is != was {
				return true
			}
		}
		return false
	})
}

// ReconcileRequested returns a predicate that passes an update which gives this
// annotation a value, or another one: that is how a user asks for a run now, usually
// with the time as the value. That the annotation has gone does not count.
//
// Updates that start the deletion pass, too, and so do creates, deletes and generic
// events. It panics if no annotation can have the key.
func ReconcileRequested(annotation string) Predicate {
	mustBeKey("ReconcileRequested", annotation)
	t := tableOf("annotations")
	return written(func(before, after client.Object) bool {
		was, _ := t.value(before, annotation)
		is, _ := t.value(after, annotation)
		return is != "" && is != was
	})
}
