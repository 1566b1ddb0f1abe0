package reconcile_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/trimtab/trimtab/queue"
	"github.com/trimtab/trimtab/reconcile"
)

// server is a client that answers every call with the metadata of one object,
// whatever is asked for.
type server struct {
	client.WithWatch
	uid        types.UID
	generation int64
	deleting   bool
	err        error
}

func (s *server) answer(obj client.Object) error {
	if s.err != nil {
		return s.err
	}
	obj.SetUID(s.uid)
	obj.SetGeneration(s.generation)
	if s.deleting {
		obj.SetDeletionTimestamp(&metav1.Time{Time: time.Now()})
	}
	return nil
}

func (s *server) Get(_ context.Context, key client.ObjectKey, obj client.Object, _ ...client.GetOption) error {
	obj.SetNamespace(key.Namespace)
	obj.SetName(key.Name)
	return s.answer(obj)
}

func (s *server) Create(_ context.Context, obj client.Object, _ ...client.CreateOption) error {
	return s.answer(obj)
}

func (s *server) Update(_ context.Context, obj client.Object, _ ...client.UpdateOption) error {
	return s.answer(obj)
}

func (s *server) Patch(_ context.Context, obj client.Object, _ client.Patch, _ ...client.PatchOption) error {
	return s.answer(obj)
}

func (s *server) Delete(context.Context, client.Object, ...client.DeleteOption) error { return s.err }

func (s *server) Apply(_ context.Context, obj runtime.ApplyConfiguration, _ ...client.ApplyOption) error {
	switch o := obj.(type) {
	case client.Object:
		return s.answer(o)
	case *corev1ac.ConfigMapApplyConfiguration:
		o.WithGeneration(s.generation).WithUID(s.uid)
	}
	return s.err
}
func (s *server) Status() client.SubResourceWriter            { return s.SubResource("status") }
func (s *server) SubResource(string) client.SubResourceClient { return &serverSub{server: s} }

func (s *server) GroupVersionKindFor(obj runtime.Object) (schema.GroupVersionKind, error) {
	return apiutil.GVKForObject(obj, scheme.Scheme)
}

type serverSub struct {
	client.SubResourceClient
	server *server
}

func (s *serverSub) Update(_ context.Context, obj client.Object, _ ...client.SubResourceUpdateOption) error {
	return s.server.answer(obj)
}

func (s *serverSub) Patch(_ context.Context, obj client.Object, _ client.Patch, _ ...client.SubResourcePatchOption) error {
	return s.server.answer(obj)
}

var (
	kindOfConfigMap = schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}
	ownKey          = request("a").NamespacedName
)

func untyped() *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(kindOfConfigMap)
	u.SetNamespace("ns")
	u.SetName("a")
	return u
}

func partial() *metav1.PartialObjectMetadata {
	p := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "a"}}
	p.SetGroupVersionKind(kindOfConfigMap)
	return p
}

// of returns a copy of obj that was read at that generation.
func of(obj client.Object, generation int64) client.Object {
	obj = obj.DeepCopyObject().(client.Object)
	obj.SetGeneration(generation)
	return obj
}

// learned returns what the queue is told of the object of a run that does f.
func learned(t *testing.T, like client.Object, s *server, f func(ctx context.Context, c client.Client)) queue.Outcome {
	t.Helper()
	b := &book{}
	c := reconcile.Client(s)
	r := reconcile.Chain[reconcile.Request](
		reconcile.Func(func(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
			f(ctx, c)
			return reconcile.Result{}, errBoom
		}),
		reconcile.Instrument(reconcile.Options[reconcile.Request]{Queue: b, For: like}))
	_, err := r.Reconcile(t.Context(), request("a"))
	require.ErrorIs(t, err, errBoom)
	require.Equal(t, errBoom, b.outcome.Err)
	return b.outcome
}

// Whatever form the object has, and whatever form For has, it is recognised; what
// a read shows is told apart from what an own write returned.
func TestRunLearnsOfItsObject_RL05(t *testing.T) {
	read := queue.Object{Found: true, UID: "1", Generation: 5}
	wrote := queue.Object{Found: true, UID: "1", Written: 5}
	none := queue.Object{}
	type calls = func(ctx context.Context, c client.Client, obj client.Object)
	for name, tc := range map[string]struct {
		call calls
		want queue.Object
	}{
		"nothing": {func(context.Context, client.Client, client.Object) {}, none},
		"get":     {func(ctx context.Context, c client.Client, obj client.Object) { _ = c.Get(ctx, ownKey, obj) }, read},
		"get of another": {func(ctx context.Context, c client.Client, obj client.Object) {
			_ = c.Get(ctx, request("b").NamespacedName, obj)
		}, none},
		"get in another context": {func(_ context.Context, c client.Client, obj client.Object) {
			_ = c.Get(context.Background(), ownKey, obj)
		}, none},
		"create": {func(ctx context.Context, c client.Client, obj client.Object) { _ = c.Create(ctx, obj) }, wrote},
		"update": {func(ctx context.Context, c client.Client, obj client.Object) { _ = c.Update(ctx, of(obj, 4)) }, wrote},
		"patch": {func(ctx context.Context, c client.Client, obj client.Object) {
			_ = c.Patch(ctx, of(obj, 4), client.Merge)
		}, wrote},
		"patch, nothing known": {func(ctx context.Context, c client.Client, obj client.Object) { _ = c.Patch(ctx, obj, client.Merge) }, wrote},
		"update of labels": {
			func(ctx context.Context, c client.Client, obj client.Object) { _ = c.Update(ctx, of(obj, 5)) },
			queue.Object{Found: true, UID: "1"},
		},
		"get, then a patch that knows nothing and changes labels": {func(ctx context.Context, c client.Client, obj client.Object) {
			_ = c.Get(ctx, ownKey, obj)
			_ = c.Patch(ctx, of(obj, 0), client.Merge)
		}, read},
		"status update": {
			func(ctx context.Context, c client.Client, obj client.Object) { _ = c.Status().Update(ctx, of(obj, 4)) },
			queue.Object{Found: true, UID: "1"},
		},
		"status patch": {func(ctx context.Context, c client.Client, obj client.Object) {
			_ = c.SubResource("status").Patch(ctx, of(obj, 4), client.Merge)
		}, queue.Object{Found: true, UID: "1"}},
		"delete": {
			func(ctx context.Context, c client.Client, obj client.Object) { _ = c.Delete(ctx, obj) },
			queue.Object{Deleting: true},
		},
		"dry runs": {func(ctx context.Context, c client.Client, obj client.Object) {
			_ = c.Create(ctx, obj, client.DryRunAll)
			_ = c.Update(ctx, obj, &client.UpdateOptions{DryRun: []string{"All"}})
			_ = c.Update(ctx, obj, rehearsal{})
			_ = c.Patch(ctx, obj, client.Merge, client.ForceOwnership, client.DryRunAll)
			_ = c.Apply(ctx, corev1ac.ConfigMap("a", "ns"), client.DryRunAll)
			_ = c.Delete(ctx, obj, client.DryRunAll)
		}, none},
		"apply": {func(ctx context.Context, c client.Client, _ client.Object) {
			_ = c.Apply(ctx, corev1ac.ConfigMap("a", "ns"))
		}, wrote},
		"apply of another kind": {func(ctx context.Context, c client.Client, _ client.Object) {
			_ = c.Apply(ctx, corev1ac.Secret("a", "ns"))
		}, none},
		"apply of another": {func(ctx context.Context, c client.Client, _ client.Object) {
			_ = c.Apply(ctx, corev1ac.ConfigMap("b", "ns"))
		}, none},
		"apply in another namespace": {func(ctx context.Context, c client.Client, _ client.Object) {
			_ = c.Apply(ctx, corev1ac.ConfigMap("a", "b"))
		}, none},
		"apply of something unexpected": {func(ctx context.Context, c client.Client, _ client.Object) { _ = c.Apply(ctx, nameless{}) }, none},
		"apply of an untyped": {func(ctx context.Context, c client.Client, _ client.Object) {
			_ = c.Apply(ctx, client.ApplyConfigurationFromUnstructured(untyped()))
		}, wrote},
	} {
		for form, obj := range map[string]client.Object{"typed": configMap("a"), "unstructured": untyped(), "partial": partial()} {
			for like, For := range map[string]client.Object{"typed": &corev1.ConfigMap{}, "unstructured": untyped(), "partial": partial()} {
				t.Run(fmt.Sprintf("%s, %s for %s", name, form, like), func(t *testing.T) {
					o := learned(t, For, &server{uid: "1", generation: 5}, func(ctx context.Context, c client.Client) {
						tc.call(ctx, c, obj.DeepCopyObject().(client.Object))
					})
					require.Equal(t, tc.want, o.Object)
				})
			}
		}
	}
}

type nameless struct{ runtime.ApplyConfiguration }

// Another kind of the same name, which is what an operator makes, is not its object.
func TestRunLearnsOfNoOther(t *testing.T) {
	secret := partial()
	secret.SetGroupVersionKind(schema.GroupVersionKind{Version: "v1", Kind: "Secret"})
	for _, obj := range []client.Object{&corev1.Secret{}, secret} {
		for _, like := range []client.Object{configMap(""), untyped(), partial()} {
			o := learned(t, like, &server{generation: 5}, func(ctx context.Context, c client.Client) { _ = c.Get(ctx, ownKey, obj) })
			require.Equal(t, queue.Object{}, o.Object)
		}
	}
	o := learned(t, nil, &server{generation: 5}, func(ctx context.Context, c client.Client) { _ = c.Get(ctx, ownKey, configMap("")) })
	require.Equal(t, queue.Object{}, o.Object, "without For")
}

// The calls of a run add up, in their order.
func TestRunLearnsInOrder_RL05(t *testing.T) {
	s := &server{}
	get := func(ctx context.Context, c client.Client) { _ = c.Get(ctx, ownKey, configMap("")) }
	gone := apierrors.NewNotFound(schema.GroupResource{Resource: "configmaps"}, "a")
	for name, tc := range map[string]struct {
		calls func(ctx context.Context, c client.Client)
		want  queue.Object
	}{
		"read, wrote twice, read what it wrote": {func(ctx context.Context, c client.Client) {
			obj := configMap("a")
			*s = server{uid: "1", generation: 5}
			_ = c.Get(ctx, ownKey, obj)
			s.generation = 6
			_ = c.Update(ctx, obj)
			s.generation = 7
			_ = c.Patch(ctx, obj, client.Merge)
			s.deleting = true
			_ = c.Status().Patch(ctx, obj, client.Merge)
			get(ctx, c)
		}, queue.Object{Found: true, UID: "1", Generation: 5, Written: 7, Deleting: true}},
		"wrote, read what it wrote, read what another wrote": {func(ctx context.Context, c client.Client) {
			*s = server{uid: "1", generation: 6}
			_ = c.Update(ctx, of(configMap("a"), 5))
			get(ctx, c)
			s.generation = 7
			get(ctx, c)
		}, queue.Object{Found: true, UID: "1", Generation: 7, Written: 6}},
		"read, then gone": {func(ctx context.Context, c client.Client) {
			*s = server{uid: "1", generation: 5}
			get(ctx, c)
			s.err = gone
			_ = c.Update(ctx, configMap("a"))
		}, queue.Object{Gone: true, UID: "1", Generation: 5}},
		"another error": {func(ctx context.Context, c client.Client) {
			*s = server{uid: "1", generation: 5}
			get(ctx, c)
			s.err = conflict
			_ = c.Update(ctx, of(configMap("a"), 5))
			_ = c.Delete(ctx, configMap("a"))
			_ = c.Create(ctx, configMap("a"))
			_ = c.Apply(ctx, corev1ac.ConfigMap("a", "ns"))
			_ = c.Status().Update(ctx, configMap("a"))
			get(ctx, c)
		}, queue.Object{Found: true, UID: "1", Generation: 5}},
		"gone, then made": {func(ctx context.Context, c client.Client) {
			*s = server{err: gone}
			get(ctx, c)
			*s = server{uid: "2", generation: 1}
			_ = c.Create(ctx, configMap("a"))
		}, queue.Object{Found: true, UID: "2", Written: 1}},
		"made anew by another": {func(ctx context.Context, c client.Client) {
			*s = server{uid: "1", generation: 5, deleting: true}
			get(ctx, c)
			*s = server{uid: "2", generation: 1}
			get(ctx, c)
		}, queue.Object{Found: true, UID: "2", Generation: 1}},
		"namespace is missing": {func(ctx context.Context, c client.Client) {
			*s = server{uid: "1", generation: 5}
			get(ctx, c)
			s.err = gone
			_ = c.Create(ctx, configMap("a"))
		}, queue.Object{Found: true, UID: "1", Generation: 5}},
		"released, and still in a cache": {func(ctx context.Context, c client.Client) {
			*s = server{uid: "1", generation: 5, deleting: true}
			_ = c.Update(ctx, of(configMap("a"), 5))
			get(ctx, c)
		}, queue.Object{Gone: true, UID: "1", Generation: 5, Deleting: true}},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tc.want, learned(t, configMap(""), s, tc.calls).Object)
		})
	}
}

// Stop counts for the run of its context, from any goroutine of it, and for no other.
func TestStop(t *testing.T) {
	stopped := func(f func(ctx context.Context)) bool {
		return learned(t, nil, &server{}, func(ctx context.Context, _ client.Client) { f(ctx) }).Stopped
	}
	require.False(t, stopped(func(context.Context) {}))
	require.False(t, stopped(func(context.Context) { reconcile.Stop(context.Background()) }))
	require.True(t, stopped(reconcile.Stop))
	var earlier context.Context
	require.True(t, stopped(func(ctx context.Context) {
		earlier = ctx
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() { reconcile.Stop(ctx) })
		}
		wg.Wait()
	}))
	require.False(t, stopped(func(context.Context) { reconcile.Stop(earlier) }), "a run that is over")
}

// A request whose work is done for good needs no look once in a while.
func ExampleStop() {
	finished := func(context.Context, reconcile.Request) bool { return true }
	r := reconcile.Chain[reconcile.Request](
		reconcile.Func(func(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
			if finished(ctx, req) {
				reconcile.Stop(ctx) // Until something happens, leave it alone.
			}
			return reconcile.Result{}, nil
		}),
		reconcile.Instrument(reconcile.Options[reconcile.Request]{Queue: stopPrinter{&book{}}}))
	_, err := r.Reconcile(context.Background(), request("job"))
	fmt.Println(err)
	// Output:
	// stopped: true
	// <nil>
}

type stopPrinter struct{ *book }

func (stopPrinter) Report(_ reconcile.Request, o queue.Outcome) { fmt.Println("stopped:", o.Stopped) }

// rehearsal is an option that a user made.
type rehearsal struct{}

func (rehearsal) ApplyToUpdate(o *client.UpdateOptions) { o.DryRun = []string{"All"} }
