package predicate_test

import (
	"fmt"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/trimtab/trimtab/predicate"
	"github.com/trimtab/trimtab/trigger"
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

// updated prints whether an update passes.
func updated(p predicate.Predicate, before, after client.Object) {
	fmt.Println(p.Update(event.UpdateEvent{ObjectOld: before, ObjectNew: after}))
}

// Readiness of a Deployment that is owned: its status is the input.
func ExampleStatusChanged() {
	before := &appsv1.Deployment{}
	after := before.DeepCopy()
	after.Status.ReadyReplicas = 1

	updated(predicate.StatusChanged(), before, after)
	updated(predicate.SpecChanged(), before, after)
	// Output:
	// true
	// false
}

// An apply that changes nothing leaves a resourceVersion behind.
func ExampleContentChanged() {
	before := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{ResourceVersion: "1"}}
	after := before.DeepCopy()
	after.ResourceVersion = "2"

	updated(predicate.ContentChanged(), before, after)
	// Output: false
}

func ExampleLabelsChanged() {
	before := &corev1.Pod{}
	after := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"tier": "web"}}}

	updated(predicate.LabelsChanged("tier"), before, after)
	updated(predicate.LabelsChanged("app"), before, after)
	// Output:
	// true
	// false
}

func ExampleAnnotationsChanged() {
	before := &corev1.Pod{}
	after := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{corev1.LastAppliedConfigAnnotation: "{}"}}}

	updated(predicate.AnnotationsChanged("example.com/force"), before, after)
	// Output: false
}

func ExampleAnnotationsChangedExcept() {
	before := &corev1.Pod{}
	after := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{corev1.LastAppliedConfigAnnotation: "{}"}}}

	updated(predicate.AnnotationsChangedExcept(corev1.LastAppliedConfigAnnotation), before, after)
	// Output: false
}

// A user asks for a run with kubectl annotate.
func ExampleReconcileRequested() {
	before := &corev1.Pod{}
	after := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{"example.com/requested-at": "2026-06-01T12:00:00Z"}}}

	updated(predicate.Any(predicate.SpecChanged(), predicate.ReconcileRequested("example.com/requested-at")), before, after)
	// Output: true
}

// Somebody has taken the finalizer away.
func ExampleFinalizersChanged() {
	before := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Finalizers: []string{"example.com/backup"}}}

	updated(predicate.FinalizersChanged("example.com/backup"), before, &corev1.Pod{})
	// Output: true
}

// Somebody has taken the object from its owner.
func ExampleOwnersChanged() {
	before := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{OwnerReferences: []metav1.OwnerReference{{UID: "1"}}}}

	updated(predicate.OwnersChanged(), before, &corev1.Pod{})
	// Output: true
}

func ExampleDeletionStarted() {
	before := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Finalizers: []string{"example.com/backup"}}}
	after := before.DeepCopy()
	after.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}

	updated(predicate.DeletionStarted(), before, after)
	updated(predicate.DeletionStarted(), after, after)
	// Output:
	// true
	// false
}

// A heartbeat is no change of a condition.
func ExampleConditionChanged() {
	ready := func(status corev1.ConditionStatus, heartbeat int64) *corev1.Node {
		return &corev1.Node{Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{
			{Type: corev1.NodeReady, Status: status, LastHeartbeatTime: metav1.Unix(heartbeat, 0)},
		}}}
	}
	updated(predicate.ConditionChanged("Ready"), ready("True", 1), ready("True", 2))
	updated(predicate.ConditionChanged("Ready"), ready("True", 1), ready("False", 2))
	// Output:
	// false
	// true
}

func ExampleChanged() {
	p := predicate.Changed(func(d *appsv1.Deployment) int32 { return d.Status.ReadyReplicas })
	before := &appsv1.Deployment{}
	after := before.DeepCopy()
	after.Status.ObservedGeneration = 1

	updated(p, before, after)
	// Output: false
}

func ExampleChangedFunc() {
	p := predicate.ChangedFunc(func(s *corev1.Service) []corev1.ServicePort { return s.Spec.Ports }, slices.Equal)
	after := &corev1.Service{Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80}}}}

	updated(p, &corev1.Service{}, after)
	// Output: true
}

func ExamplePathChanged() {
	object := func(replicas int64) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"replicas": replicas}}}
	}
	updated(predicate.PathChanged("spec.replicas"), object(1), object(2))
	updated(predicate.PathChanged("spec.template"), object(1), object(2))
	// Output:
	// true
	// false
}

// An object that leaves passes once more, and Matches knows that it has left.
func ExampleInSelector() {
	web, err := labels.Parse("tier=web")
	if err != nil {
		fmt.Println(err)
		return
	}
	p := predicate.InSelector(web, predicate.SpecChanged())
	before := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"tier": "web"}}}
	after := &corev1.Pod{}

	updated(p, before, after)
	fmt.Println(predicate.Matches(p, after))
	// Output:
	// true
	// false
}

func ExampleInNamespaces() {
	p := predicate.InNamespaces("prod")
	fmt.Println(p.Create(event.CreateEvent{Object: &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "test"}}}))
	// Output: false
}

func ExampleNamed() {
	p := predicate.Named("ca", "old-ca")
	fmt.Println(p.Create(event.CreateEvent{Object: &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "ca"}}}))
	// Output: true
}

// The end of a pause passes, though it changes no spec.
func ExampleNotPaused() {
	p := predicate.NotPaused("example.com/paused", predicate.SpecChanged())
	paused := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{"example.com/paused": "true"}}}

	fmt.Println(p.Create(event.CreateEvent{Object: paused}))
	updated(p, paused, &corev1.Pod{})
	// Output:
	// false
	// true
}

// Related objects need no run at a resync.
func ExampleDropResync() {
	s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{ResourceVersion: "1"}}
	updated(predicate.DropResync(), s, s)
	// Output: false
}

// The objects themselves do, where it repairs what others have changed outside.
func ExampleOnlyResync() {
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Generation: 1, ResourceVersion: "1"}}
	updated(predicate.Any(predicate.SpecChanged(), predicate.OnlyResync()), d, d)
	// Output: true
}

// What the controller has applied itself is not news.
func ExampleIgnoreFieldManagers() {
	applied := func(seconds int64) *corev1.Secret {
		at := metav1.Unix(seconds, 0)
		return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "certrotator", Time: &at}}}}
	}
	updated(predicate.IgnoreFieldManagers("certrotator"), applied(1), applied(2))
	updated(predicate.IgnoreFieldManagers("another"), applied(1), applied(2))
	// Output:
	// false
	// true
}

// Deletes only, and what filters them.
func ExampleOn() {
	p := predicate.All(predicate.On(predicate.Deletes), predicate.Named("ca"))
	ca := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "ca"}}
	fmt.Println(p.Create(event.CreateEvent{Object: ca}), p.Delete(event.DeleteEvent{Object: ca}))
	// Output: false true
}

// A predicate that drops creates is asked about updates alone.
func ExampleOnUpdate() {
	p := predicate.OnUpdate(predicate.Not(predicate.SpecChanged()))
	fmt.Println(p.Create(event.CreateEvent{Object: &corev1.Pod{}}))
	updated(p, &corev1.Secret{}, &corev1.Secret{Type: corev1.SecretTypeTLS})
	// Output:
	// true
	// false
}

func ExampleAll() {
	p := predicate.All(predicate.InNamespaces("prod"), predicate.SpecChanged())
	fmt.Println(p.Create(event.CreateEvent{Object: &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "prod"}}}))
	// Output: true
}

// SpecChanged has nothing to say of a create, so it does not let this one pass.
func ExampleAny() {
	p := predicate.Any(predicate.InNamespaces("prod"), predicate.SpecChanged())
	fmt.Println(p.Create(event.CreateEvent{Object: &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "test"}}}))
	// Output: false
}

// None of a filter for updates drops no create, as Not does.
func ExampleNone() {
	p := predicate.None(predicate.LabelsChanged("heartbeat"))
	fmt.Println(p.Create(event.CreateEvent{Object: &corev1.Pod{}}))
	updated(p, &corev1.Pod{}, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"heartbeat": "12:00"}}})
	// Output:
	// true
	// false
}

// Each object falls to one of three processes.
func ExampleShard() {
	web := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "prod", Name: "web-0"}}
	for index := range 3 {
		fmt.Println(index, predicate.Matches(predicate.Shard(index, 3), web))
	}
	// Output:
	// 0 false
	// 1 true
	// 2 false
}

func ExampleShardByUID() {
	web := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: "7d0e1b1a-4b1f-4a9f-9f0e-2f2f8a3d7d5c"}}
	for index := range 3 {
		fmt.Println(index, predicate.Matches(predicate.ShardByUID(index, 3), web))
	}
	// Output:
	// 0 true
	// 1 false
	// 2 false
}

// The sharder asks the shard to let go of an object.
func ExampleShardLabel() {
	p := predicate.ShardLabel("example", "shard-a", predicate.SpecChanged())
	before := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Generation: 1, Labels: map[string]string{
		"shard.alpha.sharding.timebertt.dev/example": "shard-a",
	}}}
	after := before.DeepCopy()
	after.Labels["drain.alpha.sharding.timebertt.dev/example"] = "true"

	updated(p, before, after)
	// Output: true
}

// The informer survives what a predicate does wrong, and the event passes.
func ExampleGuard() {
	p := predicate.Guard(nil, predicate.NewPredicateFuncs(func(o client.Object) bool {
		return *o.(*appsv1.Deployment).Spec.Replicas > 0
	}))
	fmt.Println(p.Create(event.CreateEvent{Object: &appsv1.Deployment{}}))
	// Output: true
}

// printer is an observer.
type printer struct{}

func (printer) Filtered(source trigger.Source, predicate string, admitted bool) {
	fmt.Println(source, predicate, admitted)
}
func (printer) PredicatePanicked(predicate string) { fmt.Println(predicate, "panicked") }

func ExampleObserve() {
	p := predicate.Observe(printer{}, trigger.Watched, "DataChanged", predicate.DataChanged())
	p.Update(event.UpdateEvent{ObjectOld: &corev1.Secret{}, ObjectNew: &corev1.Secret{}})
	// Output: watched DataChanged false
}

// A reconciler asks whether the object still is its own: a request that comes back by a
// timer has seen no predicate.
func ExampleMatches() {
	mine := predicate.All(predicate.NotPaused("example.com/paused"), predicate.SpecChanged())
	paused := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{"example.com/paused": "true"}}}
	fmt.Println(predicate.Matches(mine, paused), predicate.Matches(mine, &corev1.Pod{}))
	// Output: false true
}
