package predicate_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trimtab/trimtab/predicate"
)

func TestDataChanged(t *testing.T) {
	sec, yes, no := secret(), true, false
	newSecret := func(f func(*corev1.Secret)) client.Object {
		return change(sec, func(s *corev1.Secret) { s.ResourceVersion = "2"; f(s) })
	}
	cm := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{ResourceVersion: "1"},
		Data:       map[string]string{"a": "b"},
		BinaryData: map[string][]byte{"c": {1}},
	}
	newConfigMap := func(f func(*corev1.ConfigMap)) client.Object {
		return change(cm, func(c *corev1.ConfigMap) { c.ResourceVersion = "2"; f(c) })
	}
	d := deployment()

	for _, tt := range []struct {
		name          string
		before, after client.Object
		want          bool
		partial       bool
	}{
		{"PR02 data", sec, newSecret(func(s *corev1.Secret) { s.Data["tls.key"][2]++ }), true, true},
		{"PR02 data, a key more", sec, newSecret(func(s *corev1.Secret) { s.Data["tls.crt"] = nil }), true, true},
		{"PR02 data, a key less", sec, newSecret(func(s *corev1.Secret) { delete(s.Data, "tls.key") }), true, true},
		{"PR02 type", sec, newSecret(func(s *corev1.Secret) { s.Type = "x" }), true, true},
		{"PR02 stringData", sec, newSecret(func(s *corev1.Secret) { s.StringData = map[string]string{"a": ""} }), true, true},
		{"PR02 immutable", sec, newSecret(func(s *corev1.Secret) { s.Immutable = &yes }), true, true},
		{"PR02 config map, data", cm, newConfigMap(func(c *corev1.ConfigMap) { c.Data["a"] = "c" }), true, true},
		{"PR02 config map, binaryData", cm, newConfigMap(func(c *corev1.ConfigMap) { c.BinaryData["c"][0]++ }), true, true},
		{"PR02 config map, immutable", cm, newConfigMap(func(c *corev1.ConfigMap) { c.Immutable = &yes }), true, true},
		{"PR05 resync", sec, sec, false, false},
		{"PR05 resync, by its version alone", sec, change(sec, func(s *corev1.Secret) { s.Data = nil }), false, false},
		{"PR03b deletion", sec, newSecret(func(s *corev1.Secret) { s.DeletionTimestamp = &deletedAt }), true, true},
		{"PR03b deletion goes on", newSecret(func(s *corev1.Secret) { s.DeletionTimestamp = &deletedAt }), change(sec, func(s *corev1.Secret) { s.DeletionTimestamp = &deletedAt }), false, true},
		{"deleted and created anew, unwatched", sec, newSecret(func(s *corev1.Secret) { s.UID = "2" }), true, true},
		{"PR17 managedFields", sec, newSecret(func(s *corev1.Secret) { s.ManagedFields[0].Time = &sooner }), false, true},
		{"PR07 label", sec, newSecret(func(s *corev1.Secret) { s.Labels = map[string]string{"a": "b"} }), false, true},
		{"PR07 annotation, finalizer, owner", cm, newConfigMap(func(c *corev1.ConfigMap) {
			c.Annotations = map[string]string{"a": "b"}
			c.Finalizers = []string{"a"}
			c.OwnerReferences = []metav1.OwnerReference{{UID: "3"}}
		}), false, true},
		{"another kind, status", d, change(d, func(d *appsv1.Deployment) { d.ResourceVersion = "11"; d.Status.Replicas++ }), false, true},
		{"another kind, spec", d, change(d, func(d *appsv1.Deployment) { d.ResourceVersion = "11"; d.Spec.Paused = true }), true, true},
		{"objects of two kinds", sec, newConfigMap(func(c *corev1.ConfigMap) { c.UID = "1" }), true, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := predicate.DataChanged()
			require.Equal(t, tt.want, update(t, p, tt.before, tt.after), "typed")
			require.Equal(t, tt.want, update(t, p, asUnstructured(t, tt.before), asUnstructured(t, tt.after)), "unstructured")
			require.Equal(t, tt.partial, update(t, p, asPartial(tt.before), asPartial(tt.after)), "metadata only")
		})
	}
	require.False(t, update(t, predicate.DataChanged(), sec, newSecret(func(s *corev1.Secret) { s.Immutable = &no })),
		"not immutable, said or not")
	require.False(t, update(t, predicate.DataChanged(), &corev1.ConfigMap{}, &corev1.ConfigMap{Data: map[string]string{}}))
}

// The comparison of Secrets and ConfigMaps is written out: in no supported
// version may they have a field that it does not know.
func TestDataFields(t *testing.T) {
	for want, kind := range map[string]reflect.Type{
		"TypeMeta ObjectMeta Immutable Data StringData Type ": reflect.TypeFor[corev1.Secret](),
		"TypeMeta ObjectMeta Immutable Data BinaryData ":      reflect.TypeFor[corev1.ConfigMap](),
	} {
		got := ""
		for i := range kind.NumField() {
			got += kind.Field(i).Name + " "
		}
		require.Equal(t, want, got)
	}
}
