package predicate_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/trimtab/trimtab/predicate"
	"github.com/trimtab/trimtab/trigger"
)

// A warm predicate takes no memory, whatever the event: neither for what it drops by
// the first look, nor for what it compares to the end.
func TestAllocs(t *testing.T) {
	full := as(deployment(), func(d *appsv1.Deployment) {
		d.Labels = map[string]string{"a": "b", "c": "d"}
		d.Annotations = map[string]string{"a": "b", "c": "d"}
		d.Finalizers = []string{"a", "b"}
		d.OwnerReferences = []metav1.OwnerReference{{Name: "a", UID: "3"}}
		d.Spec.Template.Labels = map[string]string{"a": "b"}
		d.Status.Conditions = []appsv1.DeploymentCondition{{Type: "Ready", Status: "True"}, {Type: "Available", Status: "False"}}
	})
	written := as(full, func(d *appsv1.Deployment) { d.ManagedFields[0].Time = &sooner })
	raised := as(full, func(d *appsv1.Deployment) { d.Generation++; d.Status.Replicas++ })
	s := secret()
	same := as(s, func(s *corev1.Secret) { s.Finalizers = []string{"a"} })

	for name, p := range ours(discard{}) {
		for what, e := range map[string]event.UpdateEvent{
			"resync":          {ObjectOld: full, ObjectNew: full},
			"nothing changed": {ObjectOld: full, ObjectNew: written},
			"status":          {ObjectOld: full, ObjectNew: raised},
			"secret":          {ObjectOld: s, ObjectNew: same},
			"metadata only":   {ObjectOld: asPartial(full), ObjectNew: asPartial(written)},
		} {
			require.Zero(t, testing.AllocsPerRun(100, func() {
				p.Create(event.CreateEvent{Object: e.ObjectNew})
				p.Update(e)
				p.Delete(event.DeleteEvent{Object: e.ObjectNew})
			}), "%s: %s", name, what)
		}
		matches := testing.AllocsPerRun(100, func() { predicate.Matches(p, full) })
		if name != "Typed" { // somebody else's, as Matches sees it
			require.Zero(t, matches, "%s: Matches", name)
		}
	}

	// Nor is what an Unstructured holds copied, but by these.
	copies := map[string]string{
		"IgnoreFieldManagers": "managedFields are made from it", "FinalizersChanged": "its own names are looked for in a copy",
	}
	u, w := asUnstructured(t, full), asUnstructured(t, written)
	for name, p := range ours(discard{}) {
		if copies[name] == "" {
			require.Zero(t, testing.AllocsPerRun(100, func() { p.Update(event.UpdateEvent{ObjectOld: u, ObjectNew: w}) }), "%s, unstructured", name)
		}
	}
}

// discard is an observer that remembers nothing.
type discard struct{}

func (discard) Filtered(trigger.Source, string, bool) {}
func (discard) PredicatePanicked(string)              {}
