package predicate_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/trimtab/trimtab/predicate"
)

// in is the forms of objects that have what a predicate looks at. The updates of
// others pass but for resyncs.
type in int

const (
	everyForm in = iota
	withContent
	typedOnly
	untypedOnly
)

// A pair is one update, and what a predicate says of it.
type pair struct {
	name          string
	before, after client.Object
	want          bool
}

// as returns o with a change, written.
func as[T client.Object](o T, f func(T)) T {
	return change(o, func(o T) { o.SetResourceVersion(o.GetResourceVersion() + "1"); f(o) })
}

func annotated(entries map[string]string) *corev1.Secret {
	return as(secret(), func(s *corev1.Secret) { s.Annotations = entries })
}

func labelled(entries map[string]string) *corev1.Secret {
	return as(secret(), func(s *corev1.Secret) { s.Labels = entries })
}

func finalized(names ...string) *corev1.Secret {
	return as(secret(), func(s *corev1.Secret) { s.Finalizers = names })
}

func ending(s *corev1.Secret) *corev1.Secret {
	return as(s, func(s *corev1.Secret) { s.DeletionTimestamp = &deletedAt })
}

func owned(uids ...string) *corev1.Secret {
	return as(secret(), func(s *corev1.Secret) {
		for _, uid := range uids {
			s.OwnerReferences = append(s.OwnerReferences, metav1.OwnerReference{Kind: "App", Name: uid, UID: "uid"})
		}
	})
}

// node returns a Node with the conditions that f has changed.
func node(f func(ready, disk *corev1.NodeCondition)) *corev1.Node {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n", UID: "1", ResourceVersion: "1"}}
	n.Status.Conditions = []corev1.NodeCondition{
		{Type: "Ready", Status: "True", Reason: "KubeletReady", LastHeartbeatTime: sooner},
		{Type: "DiskPressure", Status: "False", LastHeartbeatTime: sooner},
	}
	if f != nil {
		n.ResourceVersion = "2"
		f(&n.Status.Conditions[0], &n.Status.Conditions[1])
	}
	return n
}

// managed returns a Secret whose entries of managedFields f has changed.
func managed(f func(own, other *metav1.ManagedFieldsEntry)) *corev1.Secret {
	s := secret()
	s.ManagedFields = []metav1.ManagedFieldsEntry{
		{Manager: "mine", Operation: "Apply", Time: &sooner, FieldsV1: &metav1.FieldsV1{Raw: []byte(`{"f:data":{}}`)}},
		{Manager: "kubectl", Operation: "Update", Time: &sooner, FieldsV1: &metav1.FieldsV1{Raw: []byte(`{"f:type":{}}`)}},
	}
	if f != nil {
		s.ResourceVersion = "2"
		f(&s.ManagedFields[0], &s.ManagedFields[1])
	}
	return s
}

func selector(tb testing.TB, text string) labels.Selector {
	tb.Helper()
	s, err := labels.Parse(text)
	require.NoError(tb, err)
	return s
}

func readyReplicas(d *appsv1.Deployment) int32 { return d.Status.ReadyReplicas }

// What each filter says of updates, in every form of object.
func TestFilters(t *testing.T) {
	d, s := deployment(), secret()
	with := func(f func(*appsv1.Deployment)) *appsv1.Deployment { return as(d, f) }
	type entries = map[string]string
	for name, tt := range map[string]struct {
		p     predicate.Predicate
		in    in
		pairs []pair
	}{
		"LabelsChanged, some": {predicate.LabelsChanged("a", "example.com/b"), everyForm, []pair{
			{"PR07 added", s, labelled(entries{"a": ""}), true},
			{"PR07 removed", labelled(entries{"example.com/b": "1"}), s, true},
			{"PR07 changed", labelled(entries{"a": "1"}), labelled(entries{"a": "2"}), true},
			{"PR07 others", labelled(entries{"a": "1", "x": "1"}), labelled(entries{"a": "1", "y": "1"}), false},
			{"PR07 none and empty", s, labelled(entries{}), false},
		}},
		"LabelsChanged, any": {predicate.LabelsChanged(), everyForm, []pair{
			{"PR07 another", labelled(entries{"a": "1"}), labelled(entries{"a": "1", "y": "1"}), true},
			{"PR07 none and empty", s, labelled(entries{}), false},
			{"PR19 label of a node", node(nil), node(func(_, _ *corev1.NodeCondition) {}), false},
			{"annotation", s, annotated(entries{"a": "1"}), false},
		}},
		"AnnotationsChanged": {predicate.AnnotationsChanged("a/force"), everyForm, []pair{
			{"PR07 changed", annotated(entries{"a/force": "1"}), annotated(entries{"a/force": "2"}), true},
			{"PR07 kubectl's", annotated(entries{corev1.LastAppliedConfigAnnotation: "1"}), annotated(entries{corev1.LastAppliedConfigAnnotation: "2"}), false},
			{"PR07 removed", annotated(entries{"a/force": "1"}), s, true},
			{"PR07 none and empty", s, annotated(entries{}), false},
		}},
		"AnnotationsChangedExcept": {predicate.AnnotationsChangedExcept(corev1.LastAppliedConfigAnnotation, "x"), everyForm, []pair{
			{"PR07 kubectl's", s, annotated(entries{corev1.LastAppliedConfigAnnotation: "2"}), false},
			{"PR07 another beside it", s, annotated(entries{corev1.LastAppliedConfigAnnotation: "2", "y": ""}), true},
			{"PR07 another removed", annotated(entries{"x": "1", "y": ""}), annotated(entries{"x": "2"}), true},
		}},
		"ReconcileRequested": {predicate.ReconcileRequested("a/now"), everyForm, []pair{
			{"PR08 first", s, annotated(entries{"a/now": "T1"}), true},
			{"PR08 same", annotated(entries{"a/now": "T1"}), as(annotated(entries{"a/now": "T1"}), func(*corev1.Secret) {}), false},
			{"PR08 another", annotated(entries{"a/now": "T1"}), annotated(entries{"a/now": "T2"}), true},
			{"PR08 taken away", annotated(entries{"a/now": "T1"}), s, false},
			{"PR08 empty", s, annotated(entries{"a/now": ""}), false},
		}},
		"FinalizersChanged, any": {predicate.FinalizersChanged(), everyForm, []pair{
			{"PR24 removed", finalized("a", "b"), finalized("a"), true},
			{"PR24 added", s, finalized("a"), true},
			{"PR24 order", finalized("a", "b"), finalized("b", "a"), false},
			{"PR24 one twice", finalized("a", "b"), finalized("a", "a"), true},
			{"PR24 one no longer twice", finalized("a", "a"), finalized("a", "b"), true},
			{"PR24 owner", s, owned("a"), false},
		}},
		"FinalizersChanged, own": {predicate.FinalizersChanged("own"), everyForm, []pair{
			{"PR24 own, by others", finalized("own"), s, true},
			{"PR24 own added", s, finalized("own"), true},
			{"PR03c another's, own still there", ending(finalized("own", "y")), ending(finalized("own")), true},
			{"PR03c another's, own gone", ending(finalized("x", "y")), ending(finalized("x")), false},
		}},
		"OwnersChanged": {predicate.OwnersChanged(), everyForm, []pair{
			{"PR24 removed", owned("a"), s, true},
			{"PR24 one of two", owned("a", "b"), owned("b"), true},
			{"PR24 order", owned("a", "b"), owned("b", "a"), false},
			{"PR24 controller", owned("a"), as(owned("a"), func(s *corev1.Secret) { yes := true; s.OwnerReferences[0].Controller = &yes }), true},
			{"PR24 finalizer", s, finalized("a"), false},
		}},
		"DeletionStarted": {predicate.DeletionStarted(), everyForm, []pair{
			{"PR03a", with(func(*appsv1.Deployment) {}), with(func(d *appsv1.Deployment) { d.Generation++; d.DeletionTimestamp = &deletedAt }), true},
			{"PR03b", s, ending(s), true},
			{"PR03c goes on", ending(finalized("a", "b")), ending(finalized("a")), false},
			{"another object", s, as(s, func(s *corev1.Secret) { s.UID = "2" }), false},
		}},
		"StatusChanged": {predicate.StatusChanged(), withContent, []pair{
			{"PR09 replicas", d, with(func(d *appsv1.Deployment) { d.Status.AvailableReplicas = 1 }), true},
			{"PR09 node's capacity", node(nil), as(node(nil), func(n *corev1.Node) { n.Status.Capacity = corev1.ResourceList{"cpu": {}} }), true},
			{"PR09 load balancer", service(), as(service(), func(s *corev1.Service) { s.Status.LoadBalancer.Ingress = []corev1.LoadBalancerIngress{{IP: "::1"}} }), true},
			{"spec", d, with(func(d *appsv1.Deployment) { d.Generation++; d.Spec.Paused = true }), false},
			{"PR17 managedFields", d, with(func(d *appsv1.Deployment) { d.ManagedFields = nil }), false},
			{"PR02 no status at all", s, as(s, func(s *corev1.Secret) { s.Data = nil }), false},
			{"PR05 resync", d, d, false},
		}},
		"ContentChanged": {predicate.ContentChanged(), withContent, []pair{
			{"PR17 managedFields and version", d, with(func(d *appsv1.Deployment) { d.ManagedFields[0].Time = &sooner }), false},
			{"PR17 and a byte of the spec", d, with(func(d *appsv1.Deployment) {
				d.ManagedFields[0].Time = &sooner
				d.Spec.Template.Spec.Containers[0].Name = "b"
			}), true},
			{"PR17 generation alone", d, with(func(d *appsv1.Deployment) { d.Generation++ }), false},
			{"status", d, with(func(d *appsv1.Deployment) { d.Status.Replicas++ }), true},
			{"label", s, labelled(entries{"a": "b"}), true},
			{"annotation", s, annotated(entries{"a": "b"}), true},
			{"finalizer", s, finalized("a"), true},
			{"owner", s, owned("a"), true},
			{"data", s, as(s, func(s *corev1.Secret) { s.Data = nil }), true},
			{"deletion brought forward", ending(s), as(ending(s), func(s *corev1.Secret) { s.DeletionTimestamp = &sooner }), true},
			{"PR05 resync", d, d, false},
		}},
		"ConditionChanged, any": {predicate.ConditionChanged(), withContent, []pair{
			{"PR18 heartbeat", node(nil), node(func(r, d *corev1.NodeCondition) {
				r.LastHeartbeatTime, d.LastHeartbeatTime, d.LastTransitionTime = deletedAt, deletedAt, deletedAt
			}), false},
			{"PR18 message", node(nil), node(func(r, _ *corev1.NodeCondition) { r.Message = "for 3 s" }), false},
			{"PR19 Ready", node(nil), node(func(r, _ *corev1.NodeCondition) { r.Status, r.LastHeartbeatTime = "False", deletedAt }), true},
			{"PR19 reason", node(nil), node(func(_, d *corev1.NodeCondition) { d.Reason = "Full" }), true},
			{"PR19 another type", node(nil), node(func(_, d *corev1.NodeCondition) { d.Type = "MemoryPressure" }), true},
			{"PR19 one more", as(node(nil), func(n *corev1.Node) { n.Status.Conditions = n.Status.Conditions[:1] }), node(nil), true},
			{"PR19 one less", node(nil), as(node(nil), func(n *corev1.Node) { n.Status.Conditions = n.Status.Conditions[:1] }), true},
			{"PR19 order", node(nil), as(node(nil), func(n *corev1.Node) { slices.Reverse(n.Status.Conditions) }), false},
			{"PR09 the rest of the status", node(nil), as(node(nil), func(n *corev1.Node) { n.Status.Phase = "x" }), false},
		}},
		"ConditionChanged, Ready": {predicate.ConditionChanged("Ready"), withContent, []pair{
			{"PR19 Ready", node(nil), node(func(r, _ *corev1.NodeCondition) { r.Status = "Unknown" }), true},
			{"PR19 another", node(nil), node(func(_, d *corev1.NodeCondition) { d.Status = "True" }), false},
			{"PR25 compressed away", node(nil), node(func(r, _ *corev1.NodeCondition) { r.LastTransitionTime = deletedAt }), false},
			{"PR19 deployment", d, with(func(d *appsv1.Deployment) {
				d.Status.Conditions = []appsv1.DeploymentCondition{{Type: "Ready", Status: "True"}}
			}), true},
		}},
		"Changed": {predicate.Changed(readyReplicas), typedOnly, []pair{
			{"PR09 ready", d, with(func(d *appsv1.Deployment) { d.Status.ReadyReplicas++ }), true},
			{"PR09 observed", d, with(func(d *appsv1.Deployment) { d.Status.ObservedGeneration++ }), false},
			{"PR05 resync", d, d, false},
		}},
		"ChangedFunc": {predicate.ChangedFunc(func(i *networkingv1.Ingress) []string { return i.Finalizers }, slices.Equal), typedOnly, []pair{
			{"PR24 changed", &networkingv1.Ingress{}, &networkingv1.Ingress{ObjectMeta: metav1.ObjectMeta{Finalizers: []string{"a"}}}, true},
			{"another", &networkingv1.Ingress{}, &networkingv1.Ingress{ObjectMeta: metav1.ObjectMeta{Labels: entries{"a": "b"}}}, false},
		}},
		"PathChanged": {predicate.PathChanged("spec.paused", "spec.template.spec.containers", "status"), untypedOnly, []pair{
			{"PR09 at a path", d, with(func(d *appsv1.Deployment) { d.Spec.Paused = true }), true},
			{"PR09 in a list", d, with(func(d *appsv1.Deployment) { d.Spec.Template.Spec.Containers[0].Name = "b" }), true},
			{"PR09 below a path", d, with(func(d *appsv1.Deployment) { d.Status.ReadyReplicas++ }), true},
			{"PR09 elsewhere", d, with(func(d *appsv1.Deployment) { d.Spec.MinReadySeconds++ }), false},
			{"PR05 resync", d, d, false},
		}},
		"PathChanged, through a list": {predicate.PathChanged("spec.template.spec.containers.name"), untypedOnly, []pair{
			{"PR09 in the list", d, with(func(d *appsv1.Deployment) { d.Spec.Template.Spec.Containers[0].Image = "b" }), true},
			{"PR09 beside it", d, with(func(d *appsv1.Deployment) { d.Spec.Template.Spec.NodeName = "b" }), false},
		}},
		"DropResync": {predicate.DropResync(), everyForm, []pair{
			{"PR06 resync", s, s, false},
			{"PR06 no change", s, as(s, func(*corev1.Secret) {}), true},
			{"PR06 no version", &corev1.Secret{}, &corev1.Secret{}, true},
		}},
		"OnlyResync": {predicate.OnlyResync(), everyForm, []pair{
			{"PR05 resync", s, s, true},
			{"PR05 no change", s, as(s, func(*corev1.Secret) {}), false},
			{"PR03 deletion", s, ending(s), false},
		}},
		"SpecChanged or a resync": {predicate.Any(predicate.SpecChanged(), predicate.OnlyResync()), everyForm, []pair{
			{"PR05 resync", d, d, true},
			{"PR05 status", d, with(func(d *appsv1.Deployment) { d.Status.Replicas++ }), false},
			{"PR01 spec", d, with(func(d *appsv1.Deployment) { d.Generation++; d.Spec.Paused = true }), true},
		}},
		"IgnoreFieldManagers": {predicate.IgnoreFieldManagers("mine", "mine-too"), everyForm, []pair{
			{"PR01 own write", managed(nil), managed(func(own, _ *metav1.ManagedFieldsEntry) { own.Time = &deletedAt }), false},
			{"PR01 own write of other fields", managed(nil), managed(func(own, _ *metav1.ManagedFieldsEntry) { own.FieldsV1.Raw = []byte(`{}`) }), false},
			{"PR01 first own write", managed(nil), as(managed(nil), func(s *corev1.Secret) {
				s.ManagedFields = append(s.ManagedFields, metav1.ManagedFieldsEntry{Manager: "mine-too", Subresource: "status"})
			}), false},
			{"another's", managed(nil), managed(func(_, other *metav1.ManagedFieldsEntry) { other.Time = &deletedAt }), true},
			{"both", managed(nil), managed(func(own, other *metav1.ManagedFieldsEntry) { own.Time, other.Time = &deletedAt, &deletedAt }), true},
			{"fields taken over", managed(nil), managed(func(own, other *metav1.ManagedFieldsEntry) { own.Time, other.FieldsV1 = &deletedAt, nil }), true},
			{"another's second within a second", managed(nil), managed(func(_, _ *metav1.ManagedFieldsEntry) {}), true},
			{"no managedFields", as(s, func(s *corev1.Secret) { s.ManagedFields = nil }), as(s, func(s *corev1.Secret) { s.ManagedFields = nil; s.Data = nil }), true},
			{"PR03 own deletion", managed(nil), ending(managed(func(own, _ *metav1.ManagedFieldsEntry) { own.Time = &deletedAt })), true},
		}},
		"InSelector": {predicate.InSelector(selector(t, "a=b")), everyForm, []pair{
			{"PR10 leaves", labelled(entries{"a": "b"}), s, true},
			{"PR10 enters", s, labelled(entries{"a": "b"}), true},
			{"PR10 stays", labelled(entries{"a": "b"}), labelled(entries{"a": "b", "c": "d"}), true},
			{"PR10 never in", s, labelled(entries{"a": "c"}), false},
		}},
		"InSelector with predicates": {predicate.InSelector(selector(t, "a=b"), predicate.DataChanged()), withContent, []pair{
			{"PR10 leaves", labelled(entries{"a": "b"}), s, true},
			{"PR10 enters", s, labelled(entries{"a": "b"}), true},
			{"PR10 stays", labelled(entries{"a": "b"}), labelled(entries{"a": "b", "c": "d"}), false},
			{"PR10 stays, with other data", labelled(entries{"a": "b"}), as(labelled(entries{"a": "b"}), func(s *corev1.Secret) { s.Data = nil }), true},
		}},
		"None of InSelector": {predicate.None(predicate.InSelector(selector(t, "a=b"))), everyForm, []pair{
			{"PR10 leaves", labelled(entries{"a": "b"}), s, true},
			{"PR10 enters", s, labelled(entries{"a": "b"}), true},
			{"PR10 stays", labelled(entries{"a": "b"}), labelled(entries{"a": "b", "c": "d"}), false},
			{"PR10 never in", s, labelled(entries{"a": "c"}), true},
		}},
		"NotPaused with predicates": {predicate.NotPaused("a/paused", predicate.LabelsChanged()), everyForm, []pair{
			{"PR07 pause ends", annotated(entries{"a/paused": "true"}), s, true},
			{"PR07 pause begins", s, annotated(entries{"a/paused": ""}), false},
			{"PR07 no pause", s, finalized("a"), false},
			{"PR07 no pause, label", s, labelled(entries{"a": "b"}), true},
			{"PR03 deletion", s, ending(s), true},
		}},
		"InSelector, empty": {predicate.InSelector(labels.Everything()), everyForm, []pair{{"PR10 all", s, labelled(entries{"a": "c"}), true}}},
		"InNamespaces":      {predicate.InNamespaces("other", "ns"), everyForm, []pair{{"in", s, finalized("a"), true}}},
		"InNamespaces, not": {predicate.InNamespaces("other"), everyForm, []pair{{"out", s, finalized("a"), false}, {"cluster", node(nil), node(nil), false}}},
		"Named":             {predicate.Named("a", "b"), everyForm, []pair{{"in", s, finalized("a"), true}}},
		"Named, not":        {predicate.Named("ns/a"), everyForm, []pair{{"out", s, finalized("a"), false}}},
		"NotPaused": {predicate.NotPaused("a/paused"), everyForm, []pair{
			{"PR07 not", s, finalized("a"), true},
			{"PR07 pause ends", annotated(entries{"a/paused": "true"}), s, true},
			{"PR07 pause begins", s, annotated(entries{"a/paused": ""}), false},
			{"PR07 in the pause", annotated(entries{"a/paused": "true"}), annotated(entries{"a/paused": "true", "x": "y"}), false},
			{"PR07 false", annotated(entries{"a/paused": "true"}), annotated(entries{"a/paused": "False"}), true},
			{"PR03 deletion in the pause", annotated(entries{"a/paused": "true"}), ending(annotated(entries{"a/paused": "true"})), false},
		}},
	} {
		for _, pair := range tt.pairs {
			t.Run(name+"/"+pair.name, func(t *testing.T) {
				written := pair.before != pair.after
				if written && pair.after.GetResourceVersion() != "" {
					pair.after = as(pair.after, func(o client.Object) { o.SetResourceVersion(pair.before.GetResourceVersion() + "2") })
				}
				want := func(seen bool) bool { return pair.want && seen || written && !seen }
				require.Equal(t, want(tt.in != untypedOnly), update(t, tt.p, pair.before, pair.after), "typed")
				require.Equal(t, want(tt.in != typedOnly), update(t, tt.p, asUnstructured(t, pair.before), asUnstructured(t, pair.after)), "unstructured")
				require.Equal(t, want(tt.in == everyForm), update(t, tt.p, asPartial(pair.before), asPartial(pair.after)), "metadata only")
			})
		}
	}
}

// Every filter for changes passes what starts a deletion, and an update in which another
// object has taken the name: a deletion and a creation, each of which would pass.
func TestLifePasses_PR03(t *testing.T) {
	s, n := secret(), node(nil)
	for name, p := range changeFilters() {
		for _, o := range []client.Object{s, n} {
			start := change(o, func(o client.Object) { o.SetResourceVersion("9"); o.SetDeletionTimestamp(&deletedAt) })
			other := change(o, func(o client.Object) { o.SetResourceVersion("9"); o.SetUID("9") })
			for what, after := range map[string]client.Object{"deletion starts": start, "another object": other} {
				require.True(t, update(t, p, o, after), "%s: %s", name, what)
				require.True(t, update(t, p, asUnstructured(t, o), asUnstructured(t, after)), "%s: %s", name, what)
				require.True(t, update(t, p, asPartial(o), asPartial(after)), "%s: %s", name, what)
				require.True(t, update(t, predicate.None(p), o, after), "None of %s: %s", name, what)
			}
		}
	}
}

// The filters for objects look at creates, deletes and generic events, too.
func TestObjectFilters_PR10(t *testing.T) {
	in, out := labelled(map[string]string{"a": "b"}), secret()
	paused := annotated(map[string]string{"a/paused": "true"})
	for name, tt := range map[string]struct {
		p       predicate.Predicate
		in, out client.Object
		deletes bool // of what is out
	}{
		"InSelector":   {predicate.InSelector(selector(t, "a=b")), in, out, false},
		"InNamespaces": {predicate.InNamespaces("ns"), in, node(nil), false},
		"Named":        {predicate.Named("a"), in, node(nil), false},
		"NotPaused":    {predicate.NotPaused("a/paused"), in, paused, true},
		"All":          {predicate.All(predicate.InSelector(selector(t, "a=b")), predicate.SpecChanged()), in, out, false},
		"Any":          {predicate.Any(predicate.Named("z"), predicate.InSelector(selector(t, "a=b")), predicate.SpecChanged()), in, out, false},
		"None":         {predicate.None(predicate.InSelector(selector(t, "a=b")), predicate.SpecChanged()), out, in, false},
		"Guard":        {predicate.Guard(nil, predicate.Named("a")), in, node(nil), false},
	} {
		require.True(t, tt.p.Create(event.CreateEvent{Object: tt.in, IsInInitialList: true}), name)
		require.True(t, tt.p.Delete(event.DeleteEvent{Object: tt.in, DeleteStateUnknown: true}), name)
		require.True(t, tt.p.Generic(event.GenericEvent{Object: tt.in}), name)
		require.True(t, predicate.Matches(tt.p, tt.in), name)
		require.False(t, tt.p.Create(event.CreateEvent{Object: tt.out}), name)
		require.Equal(t, tt.deletes, tt.p.Delete(event.DeleteEvent{Object: tt.out}), name)
		require.False(t, tt.p.Generic(event.GenericEvent{Object: tt.out}), name)
		require.False(t, predicate.Matches(tt.p, tt.out), name)
		require.False(t, predicate.Matches(tt.p, asPartial(tt.out)), name)
	}
	stock, err := predicate.LabelSelectorPredicate(metav1.LabelSelector{MatchLabels: map[string]string{"a": "b"}})
	require.NoError(t, err)
	require.False(t, stock.Update(event.UpdateEvent{ObjectOld: in, ObjectNew: out}), "stock: it leaves unseen")
}
