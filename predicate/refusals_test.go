package predicate_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trimtab/trimtab/predicate"
	"github.com/trimtab/trimtab/trigger"
)

// What can't work is refused where it is made, with the name and the value.
func TestRefusals(t *testing.T) {
	o, p := &counts{}, predicate.SpecChanged()
	for want, f := range map[string]func(){
		"predicate: LabelsChanged: key \"a b\": ":                            func() { predicate.LabelsChanged("x", "a b") },
		"predicate: LabelsChanged: key \"\": ":                               func() { predicate.LabelsChanged("") },
		"predicate: AnnotationsChanged: key \"/a\": ":                        func() { predicate.AnnotationsChanged("/a") },
		"predicate: AnnotationsChangedExcept(): must have":                   func() { predicate.AnnotationsChangedExcept() },
		"predicate: AnnotationsChangedExcept: key \"a/b/c\": ":               func() { predicate.AnnotationsChangedExcept("a/b/c") },
		"predicate: ReconcileRequested: key \"\": ":                          func() { predicate.ReconcileRequested("") },
		"predicate: NotPaused: key \"-\": ":                                  func() { predicate.NotPaused("-") },
		"predicate: FinalizersChanged: key \"a b\": ":                        func() { predicate.FinalizersChanged("a b") },
		"predicate: ConditionChanged([\"Ready\" \"\"]): no type":             func() { predicate.ConditionChanged("Ready", "") },
		"predicate: Changed(nil): ":                                          func() { predicate.Changed[client.Object, int](nil) },
		"predicate: ChangedFunc: the functions":                              func() { predicate.ChangedFunc(readyReplicas, nil) },
		"predicate: PathChanged(): ":                                         func() { predicate.PathChanged() },
		"predicate: PathChanged: path \"spec..a\": ":                         func() { predicate.PathChanged("spec", "spec..a") },
		"predicate: PathChanged: path \".spec\": ":                           func() { predicate.PathChanged(".spec") },
		"predicate: IgnoreFieldManagers(): ":                                 func() { predicate.IgnoreFieldManagers() },
		"predicate: IgnoreFieldManagers([\"\"]): ":                           func() { predicate.IgnoreFieldManagers("") },
		"predicate: InSelector(nil): ":                                       func() { predicate.InSelector(nil) },
		"predicate: InSelector(nil): the selector":                           func() { predicate.InSelector((*wrongSelector)(nil)) },
		"predicate: InNamespaces(): ":                                        func() { predicate.InNamespaces() },
		"predicate: InNamespaces: namespace \"A\": ":                         func() { predicate.InNamespaces("a", "A") },
		"predicate: Named(): ":                                               func() { predicate.Named() },
		"predicate: Named([\"a\" \"\"]): ":                                   func() { predicate.Named("a", "") },
		"predicate: Shard(1, 1): must be 0 ≤ index < total":                  func() { predicate.Shard(1, 1) },
		"predicate: Shard(-1, 3): ":                                          func() { predicate.Shard(-1, 3) },
		"predicate: ShardByUID(0, 0): ":                                      func() { predicate.ShardByUID(0, 0) },
		"predicate: ShardLabel: ring \"\": ":                                 func() { predicate.ShardLabel("", "a") },
		"predicate: ShardLabel: shard \"\": ":                                func() { predicate.ShardLabel("a", "") },
		"predicate: ShardLabel: shard \"a/b\": ":                             func() { predicate.ShardLabel("a", "a/b") },
		"predicate: ShardLabel: predicate 0 is nil":                          func() { predicate.ShardLabel("a", "b", nil) },
		"predicate: InSelector: predicate 1 is nil":                          func() { predicate.InSelector(labels.Everything(), p, nil) },
		"predicate: NotPaused: predicate 0 is nil":                           func() { predicate.NotPaused("a", nil) },
		"predicate: On(0b0): ":                                               func() { predicate.On(0) },
		"predicate: On(0b10001): ":                                           func() { predicate.On(17) },
		"predicate: OnUpdate(nil): ":                                         func() { predicate.OnUpdate(nil) },
		"predicate: All: predicate 0 is nil":                                 func() { predicate.All(nil) },
		"predicate: Any: predicate 1 is nil":                                 func() { predicate.Any(p, nil) },
		"predicate: Any(): must have at least one":                           func() { predicate.Any() },
		"predicate: None: predicate 0 is nil":                                func() { predicate.None(nil) },
		"predicate: Guard(…, nil): ":                                         func() { predicate.Guard(o, nil) },
		"predicate: Matches(nil, …): ":                                       func() { predicate.Matches(nil, secret()) },
		"predicate: Observe(nil, watched, \"p\", …): the observer":           func() { predicate.Observe(nil, trigger.Watched, "p", p) },
		"predicate: Observe(…, 77, \"p\", …): no such trigger.Source":        func() { predicate.Observe(o, 77, "p", p) },
		"predicate: Observe: name \"\": must not be empty":                   func() { predicate.Observe(o, trigger.Watched, "", p) },
		"predicate: Observe(…, primary, \"p\", nil): the predicate must not": func() { predicate.Observe(o, trigger.Primary, "p", nil) },
	} {
		func() {
			defer func() {
				err, _ := recover().(error)
				require.ErrorContains(t, err, want)
			}()
			f()
			require.Fail(t, "no panic", want)
		}()
	}
}

type wrongSelector struct{ labels.Selector }

// no tells that the predicate was refused for the type, and why.
func no[T client.Object](p predicate.Predicate) func(*testing.T, string) {
	return func(t *testing.T, why string) {
		t.Helper()
		require.PanicsWithError(t, why, func() { predicate.Typed[T](p) })
	}
}

// A predicate that has nothing to go by in the objects of a type is refused for it, in
// whatever it is wrapped.
func TestTypedRefuses(t *testing.T) {
	ready := predicate.Changed(readyReplicas)
	for why, refused := range map[string]func(*testing.T, string){
		"predicate: Typed[*v1.PartialObjectMetadata]: StatusChanged: *v1.PartialObjectMetadata has metadata only":                no[*metav1.PartialObjectMetadata](predicate.StatusChanged()),
		"predicate: Typed[*v1.PartialObjectMetadata]: DataChanged: *v1.PartialObjectMetadata has metadata only":                  no[*metav1.PartialObjectMetadata](predicate.All(predicate.DataChanged())),
		"predicate: Typed[*v1.PartialObjectMetadata]: ContentChanged: *v1.PartialObjectMetadata has metadata only":               no[*metav1.PartialObjectMetadata](predicate.Guard(nil, predicate.ContentChanged())),
		"predicate: Typed[*v1.PartialObjectMetadata]: ConditionChanged: *v1.PartialObjectMetadata has metadata only":             no[*metav1.PartialObjectMetadata](predicate.ConditionChanged()),
		"predicate: Typed[*v1.Secret]: StatusChanged: *v1.Secret has no status":                                                  no[*corev1.Secret](predicate.Any(predicate.SpecChanged(), predicate.StatusChanged())),
		"predicate: Typed[*v1.Secret]: ConditionChanged: *v1.Secret has no conditions in its status":                             no[*corev1.Secret](predicate.OnUpdate(predicate.ConditionChanged())),
		"predicate: Typed[*predicate_test.untagged]: ConditionChanged: *predicate_test.untagged has no conditions in its status": no[*untagged](predicate.ConditionChanged()),
		"predicate: Typed[*v1.Secret]: Changed: *v1.Secret is no *v1.Deployment":                                                 no[*corev1.Secret](predicate.Observe(&counts{}, 0, "p", ready)),
		"predicate: Typed[*unstructured.Unstructured]: Changed: *unstructured.Unstructured is no *v1.Deployment":                 no[*unstructured.Unstructured](ready),
		"predicate: Typed[*v1.Deployment]: PathChanged: *v1.Deployment is not unstructured":                                      no[*appsv1.Deployment](predicate.None(predicate.PathChanged("spec"))),
	} {
		refused(t, why)
	}
	predicate.Typed[*appsv1.Deployment](ready)
	predicate.Typed[*appsv1.Deployment](predicate.All(predicate.StatusChanged(), predicate.ConditionChanged(), predicate.ContentChanged()))
	predicate.Typed[*corev1.Node](predicate.ConditionChanged("Ready"))
	predicate.Typed[*unstructured.Unstructured](predicate.Any(predicate.StatusChanged(), predicate.ConditionChanged(), predicate.PathChanged("spec")))
	predicate.Typed[client.Object](predicate.Any(ready, predicate.PathChanged("spec"), predicate.StatusChanged()))
	predicate.Typed[*metav1.PartialObjectMetadata](predicate.Any(predicate.SpecChanged(), predicate.LabelsChanged(), isA{}))
	predicate.Typed[*corev1.Secret](predicate.Changed(func(o client.Object) string { return o.GetName() }))
}

// Conditions are found in authors' own types, however these are built.
type (
	embedded struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata,omitzero"`
		Status            *embeddedStatus `json:"status,omitempty"`
	}
	embeddedStatus struct {
		*Conditioned `json:",inline"`
	}
	Conditioned struct {
		Conditions []*ownCondition `json:"conditions,omitempty"`
	}
	ownCondition struct {
		metav1.Condition `json:",inline"`
		Severity         string
	}
	strange struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata,omitzero"`
		Status            struct {
			Conditions map[string]string `json:"conditions"`
		} `json:"status"`
	}
)

func (o *embedded) DeepCopyObject() runtime.Object {
	c := *o
	if o.Status != nil && o.Status.Conditioned != nil {
		c.Status = &embeddedStatus{&Conditioned{}}
		for _, condition := range o.Status.Conditions {
			if condition != nil {
				copied := *condition
				condition = &copied
			}
			c.Status.Conditions = append(c.Status.Conditions, condition)
		}
	}
	return &c
}
func (o *strange) DeepCopyObject() runtime.Object { c := *o; return &c }

func TestConditionsOfOwnTypes_PR18(t *testing.T) {
	p := predicate.ConditionChanged("Ready")
	none := &embedded{}
	ready := &embedded{Status: &embeddedStatus{&Conditioned{[]*ownCondition{nil, {Condition: metav1.Condition{Type: "Ready", Status: "True"}}}}}}
	with := func(f func(*ownCondition)) *embedded {
		return change(ready, func(o *embedded) { f(o.Status.Conditions[1]) })
	}
	require.True(t, update(t, p, none, ready))
	require.False(t, update(t, p, none, &embedded{Status: &embeddedStatus{}}))
	require.False(t, update(t, p, ready, with(func(c *ownCondition) { c.LastTransitionTime, c.Severity = deletedAt, "x" })))
	require.True(t, update(t, p, ready, with(func(c *ownCondition) { c.Reason = "x" })))
	require.True(t, update(t, p, ready, with(func(c *ownCondition) { c.ObservedGeneration++ })), "ready, but for what?")

	// A status whose conditions are something else is compared as a whole.
	odd := &strange{}
	require.False(t, update(t, p, odd, change(odd, func(o *strange) { o.Labels = map[string]string{"a": "b"} })))
	require.True(t, update(t, p, odd, change(odd, func(o *strange) { o.Status.Conditions = map[string]string{"Ready": "True"} })))
}
