package e2e_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"

	certv1 "github.com/trimtab/trimtab/examples/certrotator/api/v1"

	"github.com/trimtab/trimtab/predicate"
)

// me is the field manager under which the test writes what is its own.
const me = "predicates-test"

// web selects what is labelled so.
func web() labels.Selector { return labels.SelectorFromSet(labels.Set{"tier": "web"}) }

// asked are the predicates, each under the name by which the table has it.
func asked() map[string]predicate.Predicate {
	return map[string]predicate.Predicate{
		"stock generation": predicate.GenerationChangedPredicate{},
		"spec":             predicate.SpecChanged(),
		"status":           predicate.StatusChanged(),
		"data":             predicate.DataChanged(),
		"content":          predicate.ContentChanged(),
		"labels":           predicate.LabelsChanged(),
		"annotations":      predicate.AnnotationsChanged("example.com/force"),
		"finalizers":       predicate.FinalizersChanged("example.com/own"),
		"owners":           predicate.OwnersChanged(),
		"condition":        predicate.ConditionChanged("Ready"),
		"deletion":         predicate.DeletionStarted(),
		"others":           predicate.IgnoreFieldManagers(me),
		"written":          predicate.DropResync(),
		"resync":           predicate.OnlyResync(),
		"web":              predicate.InSelector(web()),
		"web data":         predicate.InSelector(web(), predicate.DataChanged()),
		"not paused":       predicate.NotPaused("example.com/paused", predicate.DataChanged()),
		"no label":         predicate.None(predicate.LabelsChanged()),
	}
}

// Which kinds of change pass which predicates, by the events that informers give for the
// objects of a real API server. EE02: the fake client would have other generations and
// versions.
func TestPredicates_EE02(t *testing.T) {
	type object = client.Object
	newCert := func() object {
		return &certv1.Certificate{Spec: certv1.CertificateSpec{DNSNames: []string{"a.example"}, Duration: metav1.Duration{Duration: time.Hour}, SecretName: "a-tls"}}
	}
	newSecret := func() object { return &corev1.Secret{Data: map[string][]byte{"a": []byte("b")}} }
	newConfigMap := func() object { return &corev1.ConfigMap{Data: map[string]string{"a": "b"}} }

	update := func(edit func(o object), opts ...client.UpdateOption) func(*testing.T, object) {
		return func(t *testing.T, o object) {
			t.Helper()
			edit(o)
			require.NoError(t, world.Update(t.Context(), o, opts...))
		}
	}
	status := func(edit func(s *certv1.CertificateStatus)) func(*testing.T, object) {
		return func(t *testing.T, o object) {
			t.Helper()
			edit(&o.(*certv1.Certificate).Status)
			require.NoError(t, world.Status().Update(t.Context(), o))
		}
	}
	remove := func(t *testing.T, o object) {
		t.Helper()
		require.NoError(t, world.Delete(t.Context(), o))
	}
	finalizer := func(names ...string) func(*testing.T, object) {
		return update(func(o object) { o.SetFinalizers(names) })
	}
	label := func(entries map[string]string) func(*testing.T, object) {
		return update(func(o object) { o.SetLabels(entries) })
	}
	annotation := func(entries map[string]string) func(*testing.T, object) {
		return update(func(o object) { o.SetAnnotations(entries) })
	}
	condition := func(ready metav1.ConditionStatus, at int64) func(*testing.T, object) {
		return status(func(s *certv1.CertificateStatus) {
			s.Conditions = []metav1.Condition{{Type: "Ready", Status: ready, Reason: "Test", LastTransitionTime: metav1.Unix(at, 0)}}
		})
	}
	apply := func(t *testing.T, o object) {
		t.Helper()
		u := &unstructured.Unstructured{Object: map[string]any{"data": map[string]any{"a": "b"}}}
		u.SetAPIVersion("v1")
		u.SetKind("ConfigMap")
		u.SetNamespace(o.GetNamespace())
		u.SetName(o.GetName())
		require.NoError(t, world.Apply(t.Context(), client.ApplyConfigurationFromUnstructured(u), client.FieldOwner("another"), client.ForceOwnership))
	}
	owner := update(func(o object) {
		o.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: "nobody", UID: "0d9c5a3e-0000-0000-0000-000000000000"}})
	})
	ownerless := update(func(o object) { o.SetOwnerReferences(nil) })

	// What passes: every write passes "others", unless it is said, and "written".
	changes := []string{"annotations", "condition", "content", "data", "finalizers", "labels", "no label", "not paused", "others", "owners", "spec", "status", "written"}
	for name, tt := range map[string]struct {
		of     func() object
		before []func(*testing.T, object) // of which nothing is asked
		change func(*testing.T, object)
		want   []string // beside others, written and no label
		not    []string // of these
	}{
		"spec": {
			of: newCert, change: update(func(o object) { addName(&o.(*certv1.Certificate).Spec) }),
			want: []string{"stock generation", "spec", "data", "content", "not paused"},
		},
		"own spec": {
			of: newCert, change: update(func(o object) { addName(&o.(*certv1.Certificate).Spec) }, client.FieldOwner(me)),
			want: []string{"stock generation", "spec", "data", "content", "not paused"}, not: []string{"others"},
		},
		"status": {
			of: newCert, change: status(func(s *certv1.CertificateStatus) { s.SerialNumber = "1" }),
			want: []string{"status", "content"},
		},
		"condition": {
			of: newCert, before: []func(*testing.T, object){condition("False", 1)}, change: condition("True", 2),
			want: []string{"status", "content", "condition"},
		},
		"condition stamped anew": {
			of: newCert, before: []func(*testing.T, object){condition("True", 1)}, change: condition("True", 2),
			want: []string{"status", "content"},
		},
		"label":              {of: newCert, change: label(map[string]string{"a": "b"}), want: []string{"labels", "content"}, not: []string{"no label"}},
		"annotation":         {of: newCert, change: annotation(map[string]string{"example.com/force": "1"}), want: []string{"annotations", "content"}},
		"another annotation": {of: newCert, change: annotation(map[string]string{"example.com/x": "1"}), want: []string{"content"}},
		"owner":              {of: newCert, change: owner, want: []string{"owners", "content"}},
		"owner removed":      {of: newCert, before: []func(*testing.T, object){owner}, change: ownerless, want: []string{"owners", "content"}},
		"finalizer":          {of: newCert, change: finalizer("example.com/own"), want: []string{"finalizers", "content"}},
		"deletion held up": {
			of: newCert, before: []func(*testing.T, object){finalizer("example.com/own", "example.com/y")}, change: remove,
			want: append([]string{"stock generation", "deletion"}, changes...),
		},
		"deletion goes on": {
			of: newCert, before: []func(*testing.T, object){finalizer("example.com/own", "example.com/y"), remove}, change: refreshed(finalizer("example.com/own")),
			want: []string{"finalizers", "content"},
		},

		"secret data":  {of: newSecret, change: update(func(o object) { o.(*corev1.Secret).Data["a"] = []byte("c") }), want: []string{"spec", "data", "content", "not paused"}},
		"secret label": {of: newSecret, change: label(map[string]string{"a": "b"}), want: []string{"spec", "labels", "content"}, not: []string{"no label"}},
		"secret deletion held up": {
			of: newSecret, before: []func(*testing.T, object){finalizer("example.com/own")}, change: remove,
			want: append([]string{"deletion"}, changes...),
		},
		"config map data":   {of: newConfigMap, change: update(func(o object) { o.(*corev1.ConfigMap).Data["a"] = "c" }), want: []string{"spec", "data", "content", "not paused"}},
		"apply of the same": {of: newConfigMap, change: apply},
		"enters selector": {
			of: newSecret, change: label(map[string]string{"tier": "web"}),
			want: []string{"web", "web data", "spec", "labels", "content"}, not: []string{"no label"},
		},
		"leaves selector": {
			of: newSecret, before: []func(*testing.T, object){label(map[string]string{"tier": "web"})}, change: label(nil),
			want: []string{"web", "web data", "spec", "labels", "content"}, not: []string{"no label"},
		},
		"pause begins": {of: newSecret, change: annotation(map[string]string{"example.com/paused": ""}), want: []string{"spec", "content"}},
		"pause ends": {
			of: newSecret, before: []func(*testing.T, object){annotation(map[string]string{"example.com/paused": ""})}, change: annotation(nil),
			want: []string{"spec", "content", "not paused"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t)
			o := tt.of()
			o.SetNamespace(s.namespace)
			o.SetName("a")
			require.NoError(t, world.Create(t.Context(), o))
			for _, f := range tt.before {
				refreshed(f)(t, o)
			}
			t.Cleanup(func() { s.release(t, tt.of()) })
			c := startCache(t, s.namespace, 10*time.Hour)
			events := map[string]<-chan seen{}
			for form, kind := range forms(t, tt.of()) {
				events[form] = watch(t, c, kind)
				first := next(t, events[form], "a")
				require.Nil(t, first.before)
			}
			require.NoError(t, world.Get(t.Context(), client.ObjectKeyFromObject(o), o))
			tt.change(t, o)

			want := map[string]bool{"others": true, "written": true, "no label": true}
			for _, passes := range tt.want {
				want[passes] = true
			}
			for _, drops := range tt.not {
				delete(want, drops)
			}
			names := slices.Sorted(maps.Keys(want))
			require.Equal(t, names, next(t, events["typed"], "a").passing(), "typed")
			require.Equal(t, names, next(t, events["unstructured"], "a").passing(), "unstructured")

			// What metadata does not show counts as changed.
			e := next(t, events["metadata only"], "a")
			for _, unseen := range []string{"status", "data", "content", "condition"} {
				want[unseen] = true
			}
			want["spec"] = want["spec"] || e.after.GetGeneration() == 0
			want["not paused"] = e.after.GetAnnotations()["example.com/paused"] == "" && name != "pause begins"
			want["web data"] = want["web"]
			require.Equal(t, slices.Sorted(trueOf(want)), e.passing(), "metadata only")
		})
	}
}

// trueOf yields what the set has.
func trueOf(set map[string]bool) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for name, in := range set {
			if in && !yield(name) {
				return
			}
		}
	}
}

// refreshed reads the object before it changes it.
func refreshed(f func(*testing.T, client.Object)) func(*testing.T, client.Object) {
	return func(t *testing.T, o client.Object) {
		t.Helper()
		require.NoError(t, world.Get(t.Context(), client.ObjectKeyFromObject(o), o))
		f(t, o)
	}
}

// release takes the finalizers from the object called a, so that it can go.
func (s *scene) release(t *testing.T, o client.Object) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	o.SetNamespace(s.namespace)
	o.SetName("a")
	patch := client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"finalizers":null}}`))
	require.NoError(t, client.IgnoreNotFound(world.Patch(ctx, o, patch)))
	require.NoError(t, client.IgnoreNotFound(world.Delete(ctx, o)))
}

// What is there at the start comes as a create and passes all but the selector, as does
// the delete of what has no finalizer; a resync passes what is for it.
func TestPredicatesAtStartEndAndResync_PR05_PR06_PR22(t *testing.T) {
	s := newScene(t)
	o := &corev1.Secret{ObjectMeta: s.object("a"), Data: map[string][]byte{"a": []byte("b")}}
	require.NoError(t, world.Create(t.Context(), o))
	c := startCache(t, s.namespace, 2*time.Second)
	for form, kind := range forms(t, &corev1.Secret{}) {
		events := watch(t, c, kind)
		all := slices.Sorted(maps.Keys(asked()))
		outside := slices.DeleteFunc(slices.Clone(all), func(name string) bool { return name == "web" || name == "web data" })
		first := next(t, events, "a")
		require.Nil(t, first.before)
		require.Equal(t, outside, first.passing(), form)

		again := next(t, events, "a")
		require.NotNil(t, again.before)
		require.Equal(t, again.before.GetResourceVersion(), again.after.GetResourceVersion())
		require.Equal(t, []string{"no label", "others", "resync"}, again.passing(), form)

		name := fmt.Sprintf("b-%d", len(form))
		require.NoError(t, world.Create(t.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{
			Namespace: s.namespace, Name: name, Labels: map[string]string{"tier": "web"},
		}}))
		require.Equal(t, all, next(t, events, name).passing(), form)
		require.NoError(t, world.Delete(t.Context(), &corev1.Secret{ObjectMeta: s.object(name)}))
		gone := next(t, events, name)
		for !gone.deleted { // a resync came first
			gone = next(t, events, name)
		}
		require.Equal(t, all, gone.passing(), form)
	}
}
