package predicate_test

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/trimtab/trimtab/predicate"
)

// A controller that writes a status is not run again by its own write.
func ExampleSpecChanged() {
	before := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Generation: 3}}
	status := before.DeepCopy()
	status.Status.Replicas = 1
	spec := before.DeepCopy()
	spec.Generation, spec.Spec.Paused = 4, true

	p := predicate.SpecChanged()
	fmt.Println(p.Update(event.UpdateEvent{ObjectOld: before, ObjectNew: status}))
	fmt.Println(p.Update(event.UpdateEvent{ObjectOld: before, ObjectNew: spec}))
	// Output:
	// false
	// true
}

// A Secret has no generation: the stock predicate sees none of its changes.
func ExampleDataChanged() {
	before := &corev1.Secret{Data: map[string][]byte{"password": []byte("old")}}
	after := &corev1.Secret{Data: map[string][]byte{"password": []byte("new")}}
	e := event.UpdateEvent{ObjectOld: before, ObjectNew: after}

	fmt.Println(predicate.DataChanged().Update(e))
	fmt.Println(predicate.GenerationChangedPredicate{}.Update(e))
	// Output:
	// true
	// false
}

// A typed source wants a typed predicate.
func ExampleTyped() {
	p := predicate.Typed[*corev1.Secret](predicate.DataChanged())
	fmt.Println(p.Create(event.TypedCreateEvent[*corev1.Secret]{Object: &corev1.Secret{}}))
	fmt.Println(p.Create(event.TypedCreateEvent[*corev1.Secret]{}))
	// Output:
	// true
	// false
}

func ExampleNewTypedPredicateFuncs() {
	p := predicate.NewTypedPredicateFuncs(func(s *corev1.Secret) bool { return s.Type == corev1.SecretTypeTLS })
	fmt.Println(p.Create(event.TypedCreateEvent[*corev1.Secret]{Object: &corev1.Secret{Type: corev1.SecretTypeTLS}}))
	// Output: true
}

func ExampleNewPredicateFuncs() {
	p := predicate.NewPredicateFuncs(func(o client.Object) bool { return o.GetNamespace() == "prod" })
	fmt.Println(p.Create(event.CreateEvent{Object: &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "test"}}}))
	// Output: false
}

func ExampleAnd() {
	none := predicate.NewPredicateFuncs(func(client.Object) bool { return false })
	fmt.Println(predicate.And(none, predicate.SpecChanged()).Create(event.CreateEvent{Object: &corev1.Pod{}}))
	// Output: false
}

// A filter for updates passes every create: in Or, so does the whole.
func ExampleOr() {
	none := predicate.NewPredicateFuncs(func(client.Object) bool { return false })
	fmt.Println(predicate.Or(none, predicate.SpecChanged()).Create(event.CreateEvent{Object: &corev1.Pod{}}))
	// Output: true
}

// Not of a filter for updates drops every create, and so what was there before
// the process started.
func ExampleNot() {
	fmt.Println(predicate.Not(predicate.SpecChanged()).Create(event.CreateEvent{Object: &corev1.Pod{}}))
	// Output: false
}

func ExampleLabelSelectorPredicate() {
	p, err := predicate.LabelSelectorPredicate(metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Create(event.CreateEvent{Object: &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "web"}}}}))
	// Output: true
}
