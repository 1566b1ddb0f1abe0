package predicate_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/trimtab/trimtab/predicate"
)

var (
	deletedAt = metav1.NewTime(time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC))
	sooner    = metav1.NewTime(deletedAt.Add(-time.Second))
)

// change returns a copy of o that f has changed.
func change[T client.Object](o T, f func(T)) T {
	o = o.DeepCopyObject().(T)
	f(o)
	return o
}

func deployment() *appsv1.Deployment {
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{
		Namespace: "ns", Name: "a", UID: "1", Generation: 3, ResourceVersion: "10",
		ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "kubectl", Time: &deletedAt}},
	}}
	d.Spec.Template.Spec.Containers = []corev1.Container{{
		Name:      "a",
		Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{"cpu": resource.MustParse("1")}},
	}}
	return d
}

func service() *corev1.Service {
	return &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "ns", Name: "a", UID: "1", ResourceVersion: "1",
			ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "kubectl", Time: &deletedAt}},
		},
		Spec: corev1.ServiceSpec{Selector: map[string]string{"app": "a"}},
	}
}

func secret() *corev1.Secret {
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "ns", Name: "a", UID: "1", ResourceVersion: "1",
			ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "kubectl", Time: &deletedAt}},
		},
		Data: map[string][]byte{"tls.key": {1, 2, 3}},
		Type: corev1.SecretTypeTLS,
	}
}

// asUnstructured returns the same object without its Go type.
func asUnstructured(tb testing.TB, o client.Object) client.Object {
	tb.Helper()
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	require.NoError(tb, err)
	u := &unstructured.Unstructured{Object: content}
	switch o.(type) {
	case *corev1.Secret:
		u.SetAPIVersion("v1")
		u.SetKind("Secret")
	case *corev1.ConfigMap:
		u.SetAPIVersion("v1")
		u.SetKind("ConfigMap")
	}
	return u
}

func asPartial(o client.Object) client.Object {
	return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
		Namespace:         o.GetNamespace(),
		Name:              o.GetName(),
		UID:               o.GetUID(),
		Generation:        o.GetGeneration(),
		ResourceVersion:   o.GetResourceVersion(),
		Labels:            o.GetLabels(),
		Annotations:       o.GetAnnotations(),
		Finalizers:        o.GetFinalizers(),
		OwnerReferences:   o.GetOwnerReferences(),
		ManagedFields:     o.GetManagedFields(),
		DeletionTimestamp: o.GetDeletionTimestamp(),
	}}
}

// update asks p about an update, and sees to it that p changes neither object
// and says the same again.
func update(tb testing.TB, p predicate.Predicate, before, after client.Object) bool {
	tb.Helper()
	b, a := before.DeepCopyObject(), after.DeepCopyObject()
	answer := p.Update(event.UpdateEvent{ObjectOld: before, ObjectNew: after})
	require.Equal(tb, answer, p.Update(event.UpdateEvent{ObjectOld: before, ObjectNew: after}))
	require.Equal(tb, b, before)
	require.Equal(tb, a, after)
	return answer
}

func TestSpecChanged(t *testing.T) {
	d, s, sec := deployment(), service(), secret()
	newer := func(rv string, f func(*appsv1.Deployment)) client.Object {
		return change(d, func(d *appsv1.Deployment) { d.ResourceVersion = rv; f(d) })
	}
	newService := func(f func(*corev1.Service)) client.Object {
		return change(s, func(s *corev1.Service) { s.ResourceVersion = "2"; f(s) })
	}
	scale := func(d *appsv1.Deployment) { d.Generation, d.Spec.Replicas = d.Generation+1, new(int32) }

	for _, tt := range []struct {
		name          string
		before, after client.Object
		want, stock   bool // stock: what GenerationChangedPredicate says
		partial       bool // what is said where only metadata is there
	}{
		{"PR01 status only", d, newer("11", func(d *appsv1.Deployment) { d.Status.Replicas = 1 }), false, false, false},
		{"PR01 generation", d, newer("11", scale), true, true, true},
		{"PR01 generation and status", d, newer("11", func(d *appsv1.Deployment) { scale(d); d.Status.Replicas = 1 }), true, true, true},
		{"PR03a deletion", d, newer("11", func(d *appsv1.Deployment) { d.Generation++; d.DeletionTimestamp = &deletedAt }), true, true, true},
		{"PR03a deletion, as the fake client does it", d, newer("11", func(d *appsv1.Deployment) { d.DeletionTimestamp = &deletedAt }), true, false, true},
		{
			"PR03c another finalizer goes, which FinalizersChanged is for",
			newer("11", func(d *appsv1.Deployment) { d.DeletionTimestamp = &deletedAt; d.Finalizers = []string{"x", "y"} }),
			newer("12", func(d *appsv1.Deployment) { d.DeletionTimestamp = &deletedAt; d.Finalizers = []string{"x"} }),
			false, false, false,
		},
		{"PR05 resync", d, d, false, false, false},
		{"PR17 managedFields", d, newer("11", func(d *appsv1.Deployment) { d.ManagedFields[0].Time = &sooner }), false, false, false},
		{"PR17 managedFields and spec", d, newer("11", func(d *appsv1.Deployment) { scale(d); d.ManagedFields[0].Time = &sooner }), true, true, true},
		{"PR23 generation raised by status", d, newer("11", func(d *appsv1.Deployment) { d.Generation++; d.Status.Replicas = 1 }), false, true, true},
		{"PR23 generation raised by annotation", d, newer("11", func(d *appsv1.Deployment) { d.Generation++; d.Annotations = map[string]string{"a": "b"} }), false, true, true},
		{"PR07 label", d, newer("11", func(d *appsv1.Deployment) { d.Labels = map[string]string{"a": "b"} }), false, false, false},
		{"deleted and created anew, unwatched", d, newer("11", func(d *appsv1.Deployment) { d.UID = "2" }), true, false, true},
		{"generation goes back, after a restore", d, newer("11", func(d *appsv1.Deployment) { scale(d); d.Generation = 1 }), true, true, true},
		{"the kind gets a generation", newer("9", func(d *appsv1.Deployment) { d.Generation = 0 }), d, false, true, true},

		{"PR02 secret data", sec, change(sec, func(s *corev1.Secret) { s.ResourceVersion = "2"; s.Data["tls.key"][0]++ }), true, false, true},
		{"PR02 secret resync", sec, sec, false, false, false},
		{"PR02 secret label", sec, change(sec, func(s *corev1.Secret) { s.ResourceVersion = "2"; s.Labels = map[string]string{"a": "b"} }), true, false, true},
		{"PR02 secret without a version", change(sec, func(s *corev1.Secret) { s.ResourceVersion = "" }), change(sec, func(s *corev1.Secret) { s.ResourceVersion = ""; s.Type = "x" }), true, false, true},
		{"PR02 config map", &corev1.ConfigMap{}, &corev1.ConfigMap{Data: map[string]string{"a": ""}}, true, false, true},
		{"PR02 service spec", s, newService(func(s *corev1.Service) { s.Spec.Type = corev1.ServiceTypeLoadBalancer }), true, false, true},
		{"PR02 service status", s, newService(func(s *corev1.Service) { s.Status.LoadBalancer.Ingress = []corev1.LoadBalancerIngress{{IP: "::1"}} }), false, false, true},
		{"PR02 service annotation", s, newService(func(s *corev1.Service) { s.Annotations = map[string]string{"a": "b"} }), true, false, true},
		{"PR02 service finalizer", s, newService(func(s *corev1.Service) { s.Finalizers = []string{"a"} }), true, false, true},
		{"PR02 service owner", s, newService(func(s *corev1.Service) { s.OwnerReferences = []metav1.OwnerReference{{UID: "3"}} }), true, false, true},
		{"PR02 node heartbeat", &corev1.Node{}, &corev1.Node{Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{{LastHeartbeatTime: deletedAt}}}}, false, false, true},
		{"PR02 service account", &corev1.ServiceAccount{}, &corev1.ServiceAccount{Secrets: []corev1.ObjectReference{{Name: "a"}}}, true, false, true},
		{"PR03b deletion", s, newService(func(s *corev1.Service) { s.DeletionTimestamp = &deletedAt }), true, false, true},
		{"deletion brought forward", newService(func(s *corev1.Service) { s.DeletionTimestamp = &deletedAt }), change(s, func(s *corev1.Service) { s.DeletionTimestamp = &sooner }), true, false, true},
		{"PR17 managedFields without generation", s, newService(func(s *corev1.Service) { s.ManagedFields[0].Time = &sooner }), false, false, true},
		{"nothing but the version", s, newService(func(*corev1.Service) {}), false, false, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := predicate.SpecChanged()
			require.Equal(t, tt.want, update(t, p, tt.before, tt.after), "typed")
			require.Equal(t, tt.want, update(t, p, asUnstructured(t, tt.before), asUnstructured(t, tt.after)), "unstructured")
			require.Equal(t, tt.partial, update(t, p, asPartial(tt.before), asPartial(tt.after)), "metadata only")
			require.Equal(t, tt.stock, update(t, predicate.GenerationChangedPredicate{}, tt.before, tt.after), "stock")
		})
	}
}

// What the API counts as equal is equal, even where Go's memory differs.
func TestSpecChangedSemantics(t *testing.T) {
	d := deployment()
	raised := func(f func(*appsv1.Deployment)) client.Object {
		return change(d, func(d *appsv1.Deployment) { d.Generation++; f(d) })
	}
	p := predicate.SpecChanged()
	limits := func(d *appsv1.Deployment) corev1.ResourceList {
		return d.Spec.Template.Spec.Containers[0].Resources.Limits
	}
	require.False(t, update(t, p, d, raised(func(d *appsv1.Deployment) { d.Kind, d.APIVersion = "Deployment", "apps/v1" })))
	require.False(t, update(t, p, d, raised(func(d *appsv1.Deployment) { limits(d)["cpu"] = resource.MustParse("1000m") })))
	require.False(t, update(t, p, d, raised(func(d *appsv1.Deployment) { d.Spec.Template.Spec.Volumes = []corev1.Volume{} })))
	require.True(t, update(t, p, d, raised(func(d *appsv1.Deployment) { limits(d)["cpu"] = resource.MustParse("1001m") })))
	require.True(t, update(t, p, d, service()), "objects of two kinds")
	require.True(t, update(t, p, d, asUnstructured(t, raised(func(*appsv1.Deployment) {}))), "of two forms")
}

// Objects of authors' own making.
type (
	inlineSpec struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata,omitzero"`
		hidden            `json:",inline"`
		*Shared           `json:",inline"`
		Named             `json:"spec"`
		State             string `json:"status,omitempty"`
		cache             int
	}
	hidden struct{ Text string }
	Shared struct{ Text string }
	Named  struct {
		Status  string `json:"status"` // of the spec, and no status
		private int
	}
	untagged struct {
		metav1.TypeMeta
		metav1.ObjectMeta
		Spec   string
		Status string
	}
	wrapped struct {
		unstructured.Unstructured
		Extra int
	}
)

func (o *inlineSpec) DeepCopyObject() runtime.Object { c := *o; return &c }
func (o *untagged) DeepCopyObject() runtime.Object   { c := *o; return &c }

func TestSpecChangedOwnTypes(t *testing.T) {
	p := predicate.SpecChanged()
	base := &inlineSpec{ObjectMeta: metav1.ObjectMeta{Generation: 1}}
	for name, tt := range map[string]struct {
		f    func(*inlineSpec)
		want bool
	}{
		"nothing":                  {func(*inlineSpec) {}, false},
		"status by its JSON name":  {func(o *inlineSpec) { o.State = "x" }, false},
		"unexported":               {func(o *inlineSpec) { o.cache = 1 }, false},
		"inline, unexported type":  {func(o *inlineSpec) { o.hidden.Text = "x" }, true},
		"inline, by pointer":       {func(o *inlineSpec) { o.Shared = &Shared{} }, true},
		"status within the spec":   {func(o *inlineSpec) { o.Status = "x" }, true},
		"unexported, deeper":       {func(o *inlineSpec) { o.private = 1 }, true}, // by the stricter comparison
		"labels are no content":    {func(o *inlineSpec) { o.Labels = map[string]string{"a": "b"} }, false},
		"apiVersion is no content": {func(o *inlineSpec) { o.APIVersion = "v2" }, false},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tt.want, update(t, p, base, change(base, func(o *inlineSpec) { o.Generation++; tt.f(o) })))
		})
	}
	shared := change(base, func(o *inlineSpec) { o.Shared = &Shared{} })
	require.False(t, update(t, p, shared, change(base, func(o *inlineSpec) { o.Generation++; o.Shared = &Shared{} })))
	require.True(t, update(t, p, shared, change(base, func(o *inlineSpec) { o.Generation++; o.Shared = &Shared{"x"} })))

	plain := &untagged{Spec: "a"}
	require.False(t, update(t, p, plain, &untagged{Spec: "a", Status: "x"}))
	require.True(t, update(t, p, plain, &untagged{Spec: "b"}))

	object := func(generation int64, spec, status any) client.Object {
		return &wrapped{Unstructured: unstructured.Unstructured{Object: map[string]any{
			"metadata": map[string]any{"generation": generation}, "spec": spec, "status": status,
		}}}
	}
	require.False(t, p.Update(event.UpdateEvent{ObjectOld: object(1, "a", "b"), ObjectNew: object(2, "a", "c")}))
	require.True(t, p.Update(event.UpdateEvent{ObjectOld: object(1, "a", "b"), ObjectNew: object(2, "b", "b")}))
}

// An object whose metadata is rubbish is compared as far as it goes.
func TestSpecChangedMalformed(t *testing.T) {
	for _, metadata := range []any{nil, "x", 1, []any{}, map[string]any{"generation": "x", "labels": 1, "ownerReferences": []any{1}, "deletionTimestamp": "x"}} {
		o := func(spec string) client.Object {
			return &unstructured.Unstructured{Object: map[string]any{"metadata": metadata, "spec": spec}}
		}
		for _, p := range []predicate.Predicate{predicate.SpecChanged(), predicate.DataChanged()} {
			require.False(t, p.Update(event.UpdateEvent{ObjectOld: o("a"), ObjectNew: o("a")}), "%v", metadata)
			require.True(t, p.Update(event.UpdateEvent{ObjectOld: o("a"), ObjectNew: o("b")}), "%v", metadata)
		}
	}
	untyped := asUnstructured(t, deployment()).(*unstructured.Unstructured)
	require.False(t, update(t, predicate.SpecChanged(), untyped, change(untyped, func(u *unstructured.Unstructured) {
		u.SetAPIVersion("apps/v2")
		u.SetGeneration(untyped.GetGeneration() + 1)
	})), "the version it was read at")
	empty := &unstructured.Unstructured{}
	require.False(t, update(t, predicate.SpecChanged(), empty, empty))
	require.Nil(t, empty.Object)
}

func BenchmarkUpdate(b *testing.B) {
	d, s := deployment(), secret()
	s.Data["big"] = make([]byte, 1<<20)
	status := change(d, func(d *appsv1.Deployment) { d.Status.Replicas++; d.ResourceVersion = "11" })
	raised := change(d, func(d *appsv1.Deployment) { d.Generation++; d.Status.Replicas++; d.ResourceVersion = "11" })
	labelled := change(s, func(s *corev1.Secret) { s.ResourceVersion = "2"; s.Labels = map[string]string{"a": "b"} })
	for _, bb := range []struct {
		name          string
		p             predicate.Predicate
		before, after client.Object
	}{
		{"status/stock", predicate.GenerationChangedPredicate{}, d, status},
		{"status/spec", predicate.SpecChanged(), d, status},
		{"status-unstructured/stock", predicate.GenerationChangedPredicate{}, asUnstructured(b, d), asUnstructured(b, status)},
		{"status-unstructured/spec", predicate.SpecChanged(), asUnstructured(b, d), asUnstructured(b, status)},
		{"generation/spec", predicate.SpecChanged(), d, raised},
		{"secret-resync/data", predicate.DataChanged(), s, s.DeepCopy()},
		{"secret-label/data", predicate.DataChanged(), s, labelled},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				bb.p.Update(event.UpdateEvent{ObjectOld: bb.before, ObjectNew: bb.after})
			}
		})
	}
}
