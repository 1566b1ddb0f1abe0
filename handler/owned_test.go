package handler_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/cluster"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/trimtab/trimtab/handler"
)

// stubCluster is what Owned needs of a manager.
type stubCluster struct {
	cluster.Cluster
	scheme *runtime.Scheme
}

func (s stubCluster) GetScheme() *runtime.Scheme { return s.scheme }

func (stubCluster) GetRESTMapper() meta.RESTMapper {
	m := meta.NewDefaultRESTMapper(nil)
	m.Add(corev1.SchemeGroupVersion.WithKind("ConfigMap"), meta.RESTScopeNamespace)
	m.Add(corev1.SchemeGroupVersion.WithKind("Pod"), meta.RESTScopeNamespace)
	return m
}

// ownedSecret has a ConfigMap as its controller, and two owners beside.
func ownedSecret(version string) *corev1.Secret {
	yes := true
	s := secret("secret", version)
	s.OwnerReferences = []metav1.OwnerReference{
		{APIVersion: "v1", Kind: "ConfigMap", Name: "other"},
		{APIVersion: "v1", Kind: "ConfigMap", Name: "controller", Controller: &yes},
		{APIVersion: "v1", Kind: "Pod", Name: "pod"},
	}
	return s
}

func TestOwned(t *testing.T) {
	mgr := stubCluster{scheme: scheme.Scheme}
	for _, tc := range []struct {
		name    string
		owner   client.Object
		options []handler.OwnedOptions
		want    []string
	}{
		{"the controller", &corev1.ConfigMap{}, nil, []string{"controller"}},
		{"zero options", &corev1.ConfigMap{}, []handler.OwnedOptions{{}}, []string{"controller"}},
		{"every owner", &corev1.ConfigMap{}, []handler.OwnedOptions{{MatchEveryOwner: true}}, []string{"controller", "other"}},
		{"the last option counts", &corev1.ConfigMap{}, []handler.OwnedOptions{{MatchEveryOwner: true}, {}}, []string{"controller"}},
		{"an owner that is no controller", &corev1.Pod{}, nil, nil},
		{"another kind", &corev1.Pod{}, []handler.OwnedOptions{{MatchEveryOwner: true}}, []string{"pod"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			h := handler.Owned(mgr, tc.owner, tc.options...)
			ours, o := newQueue[reconcile.Request](t)
			check := func(sources string, priority int) {
				t.Helper()
				want := []delivery[reconcile.Request]{}
				for _, name := range tc.want {
					want = append(want, delivery[reconcile.Request]{request(name), sources, priority})
				}
				require.ElementsMatch(t, want, deliveries(t, ours, o))
			}
			h.Create(t.Context(), event.CreateEvent{Object: ownedSecret("1")}, ours)
			check("watched", -20)
			h.Create(t.Context(), event.CreateEvent{Object: ownedSecret("1"), IsInInitialList: true}, ours)
			check("resync", -100)
			h.Update(t.Context(), event.UpdateEvent{ObjectOld: ownedSecret("1"), ObjectNew: ownedSecret("2")}, ours)
			check("watched", -20)
			h.Update(t.Context(), event.UpdateEvent{ObjectOld: ownedSecret("2"), ObjectNew: ownedSecret("2")}, ours)
			check("resync", -100)
			h.Update(t.Context(), event.UpdateEvent{ObjectOld: ownedSecret("2"), ObjectNew: secret("secret", "3")}, ours)
			check("watched", -20) // it had an owner until now
			h.Delete(t.Context(), event.DeleteEvent{Object: ownedSecret("3")}, ours)
			check("watched", -20)
			h.Generic(t.Context(), event.GenericEvent{Object: ownedSecret("3")}, ours)
			check("watched", -20)
			h.Create(t.Context(), event.CreateEvent{Object: secret("orphan", "1")}, ours)
			require.Zero(t, ours.Len())
			require.Empty(t, o.panicked)
		})
	}
}

func TestOwnedWithBadArguments(t *testing.T) {
	mgr := stubCluster{scheme: scheme.Scheme}
	require.PanicsWithError(t, "handler: Owned: the manager must not be nil", func() { handler.Owned(nil, &corev1.Pod{}) })
	require.PanicsWithError(t, "handler: Owned: the owner must not be nil", func() { handler.Owned(mgr, nil) })
	require.Panics(t, func() { handler.Owned(stubCluster{scheme: runtime.NewScheme()}, &corev1.Pod{}) }, "an owner that the scheme does not know")
}

// A mapper that does not know the owner's kind loses the event, and no informer.
func TestOwnedByUnmappedKind(t *testing.T) {
	ours, o := newQueue[reconcile.Request](t)
	h := handler.Owned(stubCluster{scheme: scheme.Scheme}, &corev1.Node{}, handler.OwnedOptions{MatchEveryOwner: true})
	s := secret("a", "1")
	s.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: "n"}}
	h.Create(t.Context(), event.CreateEvent{Object: s}, ours)
	require.Zero(t, ours.Len())
	require.Empty(t, o.panicked)
}
