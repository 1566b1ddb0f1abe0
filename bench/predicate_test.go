package bench_test

import (
	"bytes"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/event"
	crpredicate "sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/trimtab/trimtab/metrics"
	"github.com/trimtab/trimtab/predicate"
	"github.com/trimtab/trimtab/trigger"
)

// BenchmarkPredicate asks predicates about an update, ours beside the one of
// controller-runtime that comes closest, where there is one.
func BenchmarkPredicate(b *testing.B) {
	d := wideDeployment()
	status := rewritten(d, func(d *appsv1.Deployment) { d.Status.ReadyReplicas++ })
	raised := rewritten(d, func(d *appsv1.Deployment) { d.Generation++; d.Status.ReadyReplicas++ })
	s := &corev1.Secret{ObjectMeta: d.ObjectMeta, Data: map[string][]byte{"big": bytes.Repeat([]byte("x"), 1<<20)}}
	s.Generation = 0
	labelled := s.DeepCopy()
	labelled.ResourceVersion, labelled.Labels["a"] = "2", "c"

	tier := metav1.LabelSelector{MatchLabels: map[string]string{"tier": "web"}}
	stockSelector, err := crpredicate.LabelSelectorPredicate(tier)
	if err != nil {
		b.Fatal(err)
	}
	selector := predicate.InSelector(labels.SelectorFromSet(tier.MatchLabels))
	generation, stockLabels := crpredicate.GenerationChangedPredicate{}, crpredicate.LabelChangedPredicate{}
	counted := predicate.Observe(metrics.New(metrics.Options{}).Controller("c"), trigger.Primary, "SpecChanged", predicate.SpecChanged())
	for _, bb := range []struct {
		op     string
		ours   predicate.Predicate
		theirs predicate.Predicate
		e      event.UpdateEvent
	}{
		{"spec,-equal-generations", predicate.SpecChanged(), generation, event.UpdateEvent{ObjectOld: d, ObjectNew: status}},
		{"spec,-generation-raised-by-a-status", predicate.SpecChanged(), generation, event.UpdateEvent{ObjectOld: d, ObjectNew: raised}},
		{"spec,-counted", counted, nil, event.UpdateEvent{ObjectOld: d, ObjectNew: status}},
		{"data,-resync-of-1-MiB", predicate.DataChanged(), crpredicate.ResourceVersionChangedPredicate{}, event.UpdateEvent{ObjectOld: s, ObjectNew: s.DeepCopy()}},
		{"data,-label-on-1-MiB", predicate.DataChanged(), nil, event.UpdateEvent{ObjectOld: s, ObjectNew: labelled}},
		{"labels", predicate.LabelsChanged("tier"), stockLabels, event.UpdateEvent{ObjectOld: d, ObjectNew: status}},
		{"selector", selector, stockSelector, event.UpdateEvent{ObjectOld: d, ObjectNew: status}},
		{"spec-or-labels", predicate.Any(predicate.SpecChanged(), predicate.LabelsChanged("tier")), crpredicate.Or(generation, stockLabels), event.UpdateEvent{ObjectOld: d, ObjectNew: status}},
		{"status", predicate.StatusChanged(), nil, event.UpdateEvent{ObjectOld: d, ObjectNew: status}},
		{"condition", predicate.ConditionChanged("Available"), nil, event.UpdateEvent{ObjectOld: d, ObjectNew: status}},
		{"content,-nothing-changed", predicate.ContentChanged(), nil, event.UpdateEvent{ObjectOld: d, ObjectNew: rewritten(d, func(*appsv1.Deployment) {})}},
		{"shard,-one-of-16", predicate.Shard(3, 16), nil, event.UpdateEvent{ObjectOld: d, ObjectNew: status}},
	} {
		for _, c := range []struct {
			by string
			p  predicate.Predicate
		}{{ours, bb.ours}, {controllerRuntime, bb.theirs}} {
			if c.p == nil {
				continue
			}
			b.Run("op="+bb.op+"/by="+c.by, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					c.p.Update(bb.e)
				}
			})
		}
	}
}

// wideDeployment is one as operators see them.
func wideDeployment() *appsv1.Deployment {
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{
		Namespace: "prod", Name: "web", UID: "7d0e1b1a-4b1f-4a9f-9f0e-2f2f8a3d7d5c", Generation: 7, ResourceVersion: "1234567",
		Labels:      map[string]string{"app": "web", "tier": "web", "team": "blue"},
		Annotations: map[string]string{"deployment.kubernetes.io/revision": "7"},
	}}
	d.Spec.Template.Labels = d.Labels
	for _, name := range []string{"web", "proxy"} {
		c := corev1.Container{Name: name, Image: "registry.example/" + name + ":1"}
		for _, env := range []string{"A", "B", "C", "D"} {
			c.Env = append(c.Env, corev1.EnvVar{Name: env, Value: "value"})
		}
		d.Spec.Template.Spec.Containers = append(d.Spec.Template.Spec.Containers, c)
	}
	d.Status.Conditions = []appsv1.DeploymentCondition{{Type: "Progressing", Status: "True"}, {Type: "Available", Status: "True"}}
	return d
}

// rewritten is d after a write that changes it by f.
func rewritten(d *appsv1.Deployment, f func(*appsv1.Deployment)) *appsv1.Deployment {
	d = d.DeepCopy()
	d.ResourceVersion += "1"
	f(d)
	return d
}
