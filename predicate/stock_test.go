package predicate_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	stock "sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/trimtab/trimtab/internal/parity"
	"github.com/trimtab/trimtab/predicate"
)

// Everything that controller-runtime's package exports, in the version that
// this build selected, is here: types as aliases, functions as one-line calls.
func TestParity(t *testing.T) {
	theirs, err := parity.Source(stock.NewPredicateFuncs)
	require.NoError(t, err)
	faults, err := parity.Faults("predicate", theirs, ".")
	require.NoError(t, err)
	require.Empty(t, faults)
}

// The re-exports behave as they do there, where a case says how.
func TestStockComposition_PR12(t *testing.T) {
	pod := &corev1.Pod{}
	create, update := event.CreateEvent{Object: pod}, event.UpdateEvent{ObjectOld: pod, ObjectNew: pod}
	noCreates := predicate.Funcs{CreateFunc: func(event.CreateEvent) bool { return false }}

	require.True(t, predicate.And[client.Object]().Create(create))
	require.False(t, predicate.Or[client.Object]().Create(create))
	require.False(t, predicate.Not[client.Object](predicate.GenerationChangedPredicate{}).Create(create))
	require.True(t, predicate.Or[client.Object](noCreates, predicate.GenerationChangedPredicate{}).Create(create))

	// Ours compose by the same rules: And keeps the other's creates dropped.
	require.False(t, predicate.And(noCreates, predicate.SpecChanged()).Create(create))
	require.True(t, predicate.Or(noCreates, predicate.SpecChanged()).Create(create))
	labelled := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Generation: 1, Labels: map[string]string{"a": "b"}}}
	unlabelled := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Generation: 1}}
	either := predicate.Or[client.Object](predicate.SpecChanged(), predicate.LabelChangedPredicate{})
	require.True(t, either.Update(event.UpdateEvent{ObjectOld: unlabelled, ObjectNew: labelled}))
	require.False(t, either.Update(update))
}

func TestStockFunctions(t *testing.T) {
	a := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "a", Labels: map[string]string{"app": "x"}}}
	b := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "b"}}
	isA := func(o client.Object) bool { return o.GetName() == "a" }
	selector, err := predicate.LabelSelectorPredicate(metav1.LabelSelector{MatchLabels: map[string]string{"app": "x"}})
	require.NoError(t, err)
	for name, p := range map[string]predicate.Predicate{
		"NewPredicateFuncs":      predicate.NewPredicateFuncs(isA),
		"NewTypedPredicateFuncs": predicate.NewTypedPredicateFuncs(isA),
		"LabelSelectorPredicate": selector,
	} {
		require.True(t, p.Create(event.CreateEvent{Object: a}), name)
		require.False(t, p.Create(event.CreateEvent{Object: b}), name)
	}
	_, err = predicate.LabelSelectorPredicate(metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Operator: "Near"}}})
	require.Error(t, err)
}
