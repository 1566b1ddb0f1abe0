package trimtab_test

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/ratelimit"
	"github.com/trimtab/trimtab/reconcile"
)

// clustered is a request that prints as the reconcile.Request in it does.
type clustered struct {
	Cluster string
	reconcile.Request
}

// Two objects of one name, in two clusters, have a series each.
func TestHotObjectsOfClusters(t *testing.T) {
	reg := prometheus.NewRegistry()
	loop := trimtab.NewTyped("things", trimtab.TypedOptions[clustered]{Registerer: reg})
	q := loop.ControllerOptions(controller.TypedOptions[clustered]{}).
		NewQueue("thing", ratelimit.NewExponential[clustered](ratelimit.ExponentialOptions{})).(priorityqueue.PriorityQueue[clustered])
	t.Cleanup(q.ShutDown)
	for range 3 {
		q.Add(clustered{"east", reconcile.Request{NamespacedName: types.NamespacedName{Namespace: "default", Name: "web"}}})
		q.Add(clustered{"west", reconcile.Request{NamespacedName: types.NamespacedName{Namespace: "default", Name: "web"}}})
		for range 2 {
			r, _, _ := q.GetWithPriority()
			q.AddWithOpts(priorityqueue.AddOpts{RateLimited: true, Priority: new(int)}, r)
			q.Done(r)
		}
	}
	got := gather(t, reg)
	require.Equal(t, 3.0, got[`trimtab_object_requeues{controller="thing",object="east/default/web"}`])
	require.Equal(t, 3.0, got[`trimtab_object_requeues{controller="thing",object="west/default/web"}`])
}
