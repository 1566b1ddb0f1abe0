package predicate

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
)

// Predicate is controller-runtime's.
type Predicate = predicate.Predicate

// TypedPredicate is controller-runtime's.
type TypedPredicate[object any] = predicate.TypedPredicate[object]

// Funcs is controller-runtime's.
type Funcs = predicate.Funcs

// TypedFuncs is controller-runtime's.
type TypedFuncs[object any] = predicate.TypedFuncs[object]

// ResourceVersionChangedPredicate is controller-runtime's.
type ResourceVersionChangedPredicate = predicate.ResourceVersionChangedPredicate

// TypedResourceVersionChangedPredicate is controller-runtime's.
type TypedResourceVersionChangedPredicate[T metav1.Object] = predicate.TypedResourceVersionChangedPredicate[T]

// GenerationChangedPredicate is controller-runtime's. See [SpecChanged] for
// kinds without a generation, and for those that raise it with their status.
type GenerationChangedPredicate = predicate.GenerationChangedPredicate

// TypedGenerationChangedPredicate is controller-runtime's.
type TypedGenerationChangedPredicate[object metav1.Object] = predicate.TypedGenerationChangedPredicate[object]

// AnnotationChangedPredicate is controller-runtime's.
type AnnotationChangedPredicate = predicate.AnnotationChangedPredicate

// TypedAnnotationChangedPredicate is controller-runtime's.
type TypedAnnotationChangedPredicate[object metav1.Object] = predicate.TypedAnnotationChangedPredicate[object]

// LabelChangedPredicate is controller-runtime's.
type LabelChangedPredicate = predicate.LabelChangedPredicate

// TypedLabelChangedPredicate is controller-runtime's.
type TypedLabelChangedPredicate[object metav1.Object] = predicate.TypedLabelChangedPredicate[object]

// NewPredicateFuncs is controller-runtime's.
func NewPredicateFuncs(filter func(object client.Object) bool) Funcs {
	return predicate.NewPredicateFuncs(filter)
}

// NewTypedPredicateFuncs is controller-runtime's.
func NewTypedPredicateFuncs[object any](filter func(object object) bool) TypedFuncs[object] {
	return predicate.NewTypedPredicateFuncs(filter)
}

// And is controller-runtime's: true if all are, and if there is none.
func And[object any](predicates ...TypedPredicate[object]) TypedPredicate[object] {
	return predicate.And(predicates...)
}

// Or is controller-runtime's: true if one is, false if there is none.
func Or[object any](predicates ...TypedPredicate[object]) TypedPredicate[object] {
	return predicate.Or(predicates...)
}

// Not is controller-runtime's. It turns round the answer for every event, so
// that Not of a filter for updates drops creates and deletes.
func Not[object any](p TypedPredicate[object]) TypedPredicate[object] {
	return predicate.Not(p)
}

// LabelSelectorPredicate is controller-runtime's. It looks at the new object
// alone, and panics if that is nil.
func LabelSelectorPredicate(s metav1.LabelSelector) (Predicate, error) {
	return predicate.LabelSelectorPredicate(s)
}
