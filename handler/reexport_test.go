package handler_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	crhandler "sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/trimtab/trimtab/handler"
	"github.com/trimtab/trimtab/internal/parity"
	"github.com/trimtab/trimtab/trigger"
)

// Everything that controller-runtime's package exports, in the version that this
// build selected, is here: types as aliases, functions as one-line calls.
func TestParity(t *testing.T) {
	theirs, err := parity.Source(crhandler.OnlyControllerOwner)
	require.NoError(t, err)
	faults, err := parity.Faults("handler", theirs, ".")
	require.NoError(t, err)
	require.Empty(t, faults)
}

// Each of the functions is that of its name, alone and in an As.
func TestReexportedFunctions(t *testing.T) {
	mapper := stubCluster{}.GetRESTMapper()
	toMapped := func(context.Context, client.Object) []reconcile.Request {
		return []reconcile.Request{request("mapped")}
	}
	for name, tc := range map[string]struct {
		h    handler.EventHandler
		want []string
	}{
		"EnqueueRequestsFromMapFunc":      {handler.EnqueueRequestsFromMapFunc(toMapped), []string{"mapped"}},
		"TypedEnqueueRequestsFromMapFunc": {handler.TypedEnqueueRequestsFromMapFunc(toMapped), []string{"mapped"}},
		"WithLowPriorityWhenUnchanged":    {handler.WithLowPriorityWhenUnchanged(handler.EnqueueRequestsFromMapFunc(toMapped)), []string{"mapped"}},
		"EnqueueRequestForOwner": {
			handler.EnqueueRequestForOwner(scheme.Scheme, mapper, &corev1.ConfigMap{}),
			[]string{"controller", "other"},
		},
		"TypedEnqueueRequestForOwner": {
			handler.TypedEnqueueRequestForOwner[client.Object](scheme.Scheme, mapper, &corev1.ConfigMap{}, handler.OnlyControllerOwner()),
			[]string{"controller"},
		},
	} {
		for sources, h := range map[string]handler.EventHandler{"primary": tc.h, "watched": handler.As(trigger.Watched, tc.h)} {
			q, o := newQueue[reconcile.Request](t)
			h.Create(t.Context(), event.CreateEvent{Object: ownedSecret("1")}, q)
			var got []string
			for _, d := range deliveries(t, q, o) {
				require.Equal(t, sources, d.sources, name)
				got = append(got, d.request.Name)
			}
			require.ElementsMatch(t, tc.want, got, name)
		}
	}

	q, o := newQueue[reconcile.Request](t)
	unchanged := handler.WithLowPriorityWhenUnchanged(handler.EnqueueRequestsFromMapFunc(toMapped))
	unchanged.Update(t.Context(), event.UpdateEvent{ObjectOld: ownedSecret("1"), ObjectNew: ownedSecret("1")}, q)
	require.Equal(t, handler.LowPriority, deliveries(t, q, o)[0].priority)
}
