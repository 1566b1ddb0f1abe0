package e2e_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	ctrlevent "sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/trimtab/trimtab/predicate"

	"github.com/trimtab/trimtab/e2e/internal/cluster"
)

// seen is an event of an informer.
type seen struct {
	before, after client.Object // before only of an update
	deleted       bool
}

func (s seen) passes(p predicate.Predicate) bool {
	switch {
	case s.before != nil:
		return p.Update(ctrlevent.UpdateEvent{ObjectOld: s.before, ObjectNew: s.after})
	case s.deleted:
		return p.Delete(ctrlevent.DeleteEvent{Object: s.after})
	default:
		return p.Create(ctrlevent.CreateEvent{Object: s.after})
	}
}

// passing returns the names of the predicates that the event passes.
func (s seen) passing() []string {
	var names []string
	for name, p := range asked() {
		if s.passes(p) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// watch returns the events of objects of the kind and form of o in one namespace.
func watch(t *testing.T, c cache.Cache, o client.Object) <-chan seen {
	t.Helper()
	events := make(chan seen, 100)
	informer, err := c.GetInformer(t.Context(), o)
	require.NoError(t, err)
	_, err = informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
		AddFunc:    func(o any) { events <- seen{after: o.(client.Object)} },
		UpdateFunc: func(b, a any) { events <- seen{before: b.(client.Object), after: a.(client.Object)} },
		DeleteFunc: func(o any) { events <- seen{after: o.(client.Object), deleted: true} },
	})
	require.NoError(t, err)
	return events
}

// startCache starts a cache of one namespace that sends a resync so often.
func startCache(t *testing.T, namespace string, resync time.Duration) cache.Cache {
	t.Helper()
	kinds, err := cluster.Scheme()
	require.NoError(t, err)
	c, err := cache.New(world.Config(), cache.Options{
		Scheme: kinds, SyncPeriod: &resync, DefaultNamespaces: map[string]cache.Config{namespace: {}},
	})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- c.Start(ctx) }()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-ended)
	})
	require.True(t, c.WaitForCacheSync(ctx))
	return c
}

// next returns the next event of the object called name, within patience.
func next(t *testing.T, events <-chan seen, name string) seen {
	t.Helper()
	timeout := time.After(patience)
	for {
		select {
		case e := <-events:
			if e.after.GetName() == name {
				return e
			}
		case <-timeout:
			require.Fail(t, "no event of "+name)
		}
	}
}

// forms returns objects of the kind of o by which an informer of each form is asked for.
func forms(t *testing.T, o client.Object) map[string]client.Object {
	t.Helper()
	kinds, err := cluster.Scheme()
	require.NoError(t, err)
	gvk, err := apiutil.GVKForObject(o, kinds)
	require.NoError(t, err)
	u, m := &unstructured.Unstructured{}, &metav1.PartialObjectMetadata{}
	u.SetGroupVersionKind(gvk)
	m.SetGroupVersionKind(gvk)
	return map[string]client.Object{"typed": o, "unstructured": u, "metadata only": m}
}
