package predicate_test

import (
	"encoding/json"
	"maps"
	"reflect"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
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

// changeFilters returns every predicate that filters changes, by name: it looks at
// updates alone, and passes what changes an object's life.
func changeFilters() map[string]predicate.Predicate {
	return map[string]predicate.Predicate{
		"SpecChanged":              predicate.SpecChanged(),
		"StatusChanged":            predicate.StatusChanged(),
		"DataChanged":              predicate.DataChanged(),
		"ContentChanged":           predicate.ContentChanged(),
		"LabelsChanged":            predicate.LabelsChanged("a"),
		"AnnotationsChanged":       predicate.AnnotationsChanged("a"),
		"AnnotationsChangedExcept": predicate.AnnotationsChangedExcept("a"),
		"ReconcileRequested":       predicate.ReconcileRequested("a"),
		"FinalizersChanged":        predicate.FinalizersChanged("a"),
		"OwnersChanged":            predicate.OwnersChanged(),
		"ConditionChanged":         predicate.ConditionChanged("Ready"),
		"Changed":                  predicate.Changed(readyReplicas),
		"PathChanged":              predicate.PathChanged("spec.replicas"),
		"IgnoreFieldManagers":      predicate.IgnoreFieldManagers("mine"),
	}
}

// ours returns every predicate of Trimtab's own, and some of their combinations, by
// name. All pass the object that is called a in the namespace ns.
func ours(o predicate.Observer) map[string]predicate.Predicate {
	all := changeFilters()
	maps.Copy(all, map[string]predicate.Predicate{
		"Typed":           predicate.Typed[client.Object](predicate.SpecChanged()),
		"DeletionStarted": predicate.DeletionStarted(),
		"DropResync":      predicate.DropResync(),
		"OnlyResync":      predicate.OnlyResync(),
		"On":              predicate.On(predicate.Creates | predicate.Updates | predicate.Deletes | predicate.Generics),
		"OnUpdate":        predicate.OnUpdate(predicate.Named("b")),
		"InSelector":      predicate.InSelector(labels.Everything()),
		"InNamespaces":    predicate.InNamespaces("ns"),
		"Named":           predicate.Named("a"),
		"NotPaused":       predicate.NotPaused("a"),
		"Shard":           predicate.Shard(0, 1),
		"ShardByUID":      predicate.ShardByUID(0, 1),
		"All":             predicate.All(predicate.Named("a"), predicate.SpecChanged()),
		"All of none":     predicate.All(),
		"Any":             predicate.Any(predicate.Named("a"), predicate.SpecChanged()),
		"None":            predicate.None(predicate.Named("b"), predicate.SpecChanged()),
		"None of none":    predicate.None(),
		"Guard":           predicate.Guard(o, predicate.StatusChanged()),
		"Observe":         predicate.Observe(o, trigger.Watched, "p", predicate.LabelsChanged()),
	})
	return all
}

// PR22: what is there before the process starts arrives as creates. PR13: a
// deletion that the watch missed arrives with its last known object. PR12:
// every event but an update passes, and in And they filter nothing else.
func TestOtherEventsPass_PR12_PR13_PR22(t *testing.T) {
	for name, p := range ours(&counts{}) {
		for _, o := range []client.Object{secret(), asUnstructured(t, secret()), asPartial(secret())} {
			require.True(t, p.Create(event.CreateEvent{Object: o}), name)
			require.True(t, p.Create(event.CreateEvent{Object: o, IsInInitialList: true}), name)
			require.True(t, p.Delete(event.DeleteEvent{Object: o}), name)
			require.True(t, p.Delete(event.DeleteEvent{Object: o, DeleteStateUnknown: true}), name)
			require.True(t, p.Generic(event.GenericEvent{Object: o}), name)
			require.True(t, predicate.And(p, predicate.Funcs{}).Create(event.CreateEvent{Object: o}), name)
		}
	}
}

func TestNil_PR15(t *testing.T) {
	nothing := map[string]client.Object{
		"nil":                 nil,
		"nil Secret":          (*corev1.Secret)(nil),
		"nil Unstructured":    (*unstructured.Unstructured)(nil),
		"nil partial":         (*metav1.PartialObjectMetadata)(nil),
		"nil pointer wrapped": (*wrapped)(nil),
	}
	for name, p := range ours(&counts{}) {
		for what, none := range nothing {
			require.False(t, p.Create(event.CreateEvent{Object: none}), "%s %s", name, what)
			require.False(t, p.Update(event.UpdateEvent{ObjectOld: none, ObjectNew: none}), "%s %s", name, what)
			require.False(t, p.Update(event.UpdateEvent{ObjectOld: none, ObjectNew: secret()}), "%s %s", name, what)
			require.False(t, p.Update(event.UpdateEvent{ObjectOld: secret(), ObjectNew: none}), "%s %s", name, what)
			require.False(t, p.Delete(event.DeleteEvent{Object: none}), "%s %s", name, what)
			require.False(t, p.Generic(event.GenericEvent{Object: none}), "%s %s", name, what)
		}
	}
	selector, err := predicate.LabelSelectorPredicate(metav1.LabelSelector{MatchLabels: map[string]string{"a": "b"}})
	require.NoError(t, err)
	require.Panics(t, func() { selector.Delete(event.DeleteEvent{}) }, "stock")
}

// PR26: asking has no effect, from however many goroutines (run with -race).
func TestConcurrent_PR26(t *testing.T) {
	d, s := deployment(), secret()
	events := []event.UpdateEvent{
		{ObjectOld: d, ObjectNew: change(d, func(d *appsv1.Deployment) { d.Generation++; d.Spec.Paused = true })},
		{ObjectOld: d, ObjectNew: change(d, func(d *appsv1.Deployment) { d.Generation++; d.Status.Replicas++ })},
		{ObjectOld: s, ObjectNew: change(s, func(s *corev1.Secret) { s.ResourceVersion = "2"; s.Finalizers = []string{"a"} })},
	}
	for _, e := range events {
		events = append(events, event.UpdateEvent{ObjectOld: asUnstructured(t, e.ObjectOld), ObjectNew: asUnstructured(t, e.ObjectNew)})
	}
	before, err := json.Marshal(events)
	require.NoError(t, err)

	twice := predicate.Or(predicate.SpecChanged(), predicate.DataChanged(), predicate.SpecChanged())
	var want []bool
	for _, e := range events {
		want = append(want, twice.Update(e))
	}
	require.Equal(t, []bool{true, false, true, true, false, true}, want)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				for i, e := range events {
					if twice.Update(e) != want[i] {
						t.Error("another answer for event", i)
					}
				}
			}
		})
	}
	wg.Wait()
	after, err := json.Marshal(events)
	require.NoError(t, err)
	require.JSONEq(t, string(before), string(after))
}

func TestUpdateAllocs(t *testing.T) {
	d, s := deployment(), secret()
	status := change(d, func(d *appsv1.Deployment) { d.ResourceVersion = "11"; d.Status.Replicas++ })
	labelled := change(s, func(s *corev1.Secret) { s.ResourceVersion = "2"; s.Labels = map[string]string{"a": "b"} })
	for name, tt := range map[string]struct {
		p predicate.Predicate
		e event.UpdateEvent
	}{
		"SpecChanged, same generation":          {predicate.SpecChanged(), event.UpdateEvent{ObjectOld: d, ObjectNew: status}},
		"SpecChanged, same generation, untyped": {predicate.SpecChanged(), event.UpdateEvent{ObjectOld: asUnstructured(t, d), ObjectNew: asUnstructured(t, status)}},
		"SpecChanged, resync":                   {predicate.SpecChanged(), event.UpdateEvent{ObjectOld: s, ObjectNew: s}},
		"DataChanged, resync":                   {predicate.DataChanged(), event.UpdateEvent{ObjectOld: s, ObjectNew: s.DeepCopy()}},
		"DataChanged, same data":                {predicate.DataChanged(), event.UpdateEvent{ObjectOld: s, ObjectNew: labelled}},
	} {
		require.Zero(t, testing.AllocsPerRun(1000, func() { tt.p.Update(tt.e) }), name)
	}
}

// isChange tells it of the filters that drop an update which changes nothing.
func isChange(name string) bool {
	// These can't see it: one has no Go type to go by, one no managedFields.
	return changeFilters()[name] != nil && name != "Changed" && name != "IgnoreFieldManagers"
}

// isDirected tells it of what asks which object came first.
func isDirected(name string) bool { return name == "ReconcileRequested" || name == "NotPaused" }

// deleted tells whether there is a deletionTimestamp, be it one or not.
func deleted(u *unstructured.Unstructured) bool {
	text, _, _ := unstructured.NestedString(u.Object, "metadata", "deletionTimestamp")
	return text != ""
}

// Whatever two objects hold: no panic, no change of them, a copy has not
// changed, and what differs is seen from both sides.
func FuzzUpdate(f *testing.F) {
	f.Add(`{}`, `{"spec":{}}`)
	f.Add(`{"metadata":{"generation":1,"uid":"a"},"spec":{"a":[1]}}`, `{"metadata":{"generation":2,"uid":"a"},"spec":{"a":[1]},"status":1}`)
	f.Add(`{"apiVersion":"v1","kind":"Secret","metadata":{"labels":{"a":1},"ownerReferences":[{"controller":"x"}]}}`, `{"metadata":"x","data":null}`)
	f.Add(`{"metadata":{"deletionTimestamp":1,"finalizers":[1]}}`, `{"metadata":{"deletionTimestamp":"2026-01-01T00:00:00Z","annotations":[]}}`)
	f.Add(`{}`, `{"metadata":{"deletionTimestamp":"0"}}`)
	f.Fuzz(func(t *testing.T, before, after string) {
		b, a := &unstructured.Unstructured{}, &unstructured.Unstructured{}
		if json.Unmarshal([]byte(before), &b.Object) != nil || json.Unmarshal([]byte(after), &a.Object) != nil {
			return
		}
		for name, p := range ours(&counts{}) {
			update(t, p, b, a)
			if !isDirected(name) && !deleted(b) && !deleted(a) && update(t, p, b, a) != update(t, p, a, b) {
				t.Fatalf("%s: changed from one side only", name)
			}
			if !isChange(name) {
				continue
			}
			if update(t, p, b, b.DeepCopy()) {
				t.Fatalf("%s: a copy has changed", name)
			}
			if name != "SpecChanged" && name != "DataChanged" {
				continue
			}
			status := b.DeepCopy()
			status.SetResourceVersion("another")
			if len(status.Object) > 0 && reflect.TypeOf(b.Object["metadata"]) == reflect.TypeOf(status.Object["metadata"]) {
				status.Object["status"] = after
				if update(t, p, b, status) {
					t.Fatalf("%s: a status counts", name)
				}
			}
		}
	})
}

func eventOf(before, after client.Object) event.UpdateEvent {
	return event.UpdateEvent{ObjectOld: before, ObjectNew: after}
}
