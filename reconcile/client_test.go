package reconcile_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apimachinery/pkg/watch"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trimtab/trimtab/reconcile"
	"github.com/trimtab/trimtab/trigger"
)

// slow is a client whose calls take their time and answer with err.
type slow struct {
	client.WithWatch
	read, write, status time.Duration
	err                 error
	fresh               func() error // instead of err, a new one for each call
}

func (s *slow) take(d time.Duration) error {
	time.Sleep(d)
	if s.fresh != nil {
		return s.fresh()
	}
	return s.err
}

func (s *slow) Get(context.Context, client.ObjectKey, client.Object, ...client.GetOption) error {
	return s.take(s.read)
}

func (s *slow) List(context.Context, client.ObjectList, ...client.ListOption) error {
	return s.take(s.read)
}

func (s *slow) Create(context.Context, client.Object, ...client.CreateOption) error {
	return s.take(s.write)
}

func (s *slow) Delete(context.Context, client.Object, ...client.DeleteOption) error {
	return s.take(s.write)
}

func (s *slow) Update(context.Context, client.Object, ...client.UpdateOption) error {
	return s.take(s.write)
}

func (s *slow) Patch(context.Context, client.Object, client.Patch, ...client.PatchOption) error {
	return s.take(s.write)
}

func (s *slow) Apply(context.Context, runtime.ApplyConfiguration, ...client.ApplyOption) error {
	return s.take(s.write)
}

func (s *slow) DeleteAllOf(context.Context, client.Object, ...client.DeleteAllOfOption) error {
	return s.take(s.write)
}

func (s *slow) Watch(context.Context, client.ObjectList, ...client.ListOption) (watch.Interface, error) {
	return nil, s.err
}
func (s *slow) Status() client.SubResourceWriter            { return s.SubResource("status") }
func (s *slow) SubResource(string) client.SubResourceClient { return &slowSub{slow: s} }

type slowSub struct{ slow *slow }

func (s *slowSub) Get(context.Context, client.Object, client.Object, ...client.SubResourceGetOption) error {
	return s.slow.take(s.slow.read)
}

func (s *slowSub) Create(context.Context, client.Object, client.Object, ...client.SubResourceCreateOption) error {
	return s.slow.take(s.slow.status)
}

func (s *slowSub) Update(context.Context, client.Object, ...client.SubResourceUpdateOption) error {
	return s.slow.take(s.slow.status)
}

func (s *slowSub) Patch(context.Context, client.Object, client.Patch, ...client.SubResourcePatchOption) error {
	return s.slow.take(s.slow.status)
}

func (s *slowSub) Apply(context.Context, runtime.ApplyConfiguration, ...client.SubResourceApplyOption) error {
	return s.slow.take(s.slow.status)
}

// run runs f in a chain, with a client of Client over s, in a bubble of fake time.
func run(t *testing.T, s *slow, f func(ctx context.Context, c client.Client) error) *book {
	t.Helper()
	b := &book{info: trigger.Info{Sources: trigger.SetOf(trigger.Primary)}, known: true}
	synctest.Test(t, func(t *testing.T) {
		c := reconcile.Client(s)
		_, _ = chain(b, func(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
			return reconcile.Result{}, f(ctx, c)
		}).Reconcile(t.Context(), request("a"))
		time.Sleep(time.Minute) // What the run has left behind comes to its end.
	})
	return b
}

const ms = time.Millisecond

func TestEveryCallIsAccounted(t *testing.T) {
	errAny := errors.New("any")
	obj, key := configMap("b"), client.ObjectKey{Namespace: "ns", Name: "b"}
	partial := &metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Node"}}
	named := &metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "AllowList"}}
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(schema.GroupVersionKind{Version: "v1", Kind: "PodList"})
	for _, tc := range []struct {
		verb, kind string
		phases     trigger.Phases
		call       func(ctx context.Context, c client.Client) error
	}{
		{"get", "ConfigMap", trigger.Phases{Read: 20 * ms}, func(ctx context.Context, c client.Client) error { return c.Get(ctx, key, obj) }},
		{"get", "Node", trigger.Phases{Read: 20 * ms}, func(ctx context.Context, c client.Client) error { return c.Get(ctx, key, partial) }},
		{"get", "AllowList", trigger.Phases{Read: 20 * ms}, func(ctx context.Context, c client.Client) error { return c.Get(ctx, key, named) }},
		{"list", "ConfigMap", trigger.Phases{Read: 20 * ms}, func(ctx context.Context, c client.Client) error { return c.List(ctx, &corev1.ConfigMapList{}) }},
		{"list", "Pod", trigger.Phases{Read: 20 * ms}, func(ctx context.Context, c client.Client) error { return c.List(ctx, list) }},
		{"get", "AllowList", trigger.Phases{Read: 20 * ms}, func(ctx context.Context, c client.Client) error { return c.Get(ctx, key, kind("AllowList")) }},
		{"get", "AllowList", trigger.Phases{Read: 20 * ms}, func(ctx context.Context, c client.Client) error { return c.Get(ctx, key, &AllowList{}) }},
		{"list", "AllowList", trigger.Phases{Read: 20 * ms}, func(ctx context.Context, c client.Client) error {
			return c.List(ctx, kind("AllowListList"))
		}},
		{"create", "ConfigMap", trigger.Phases{Write: 30 * ms}, func(ctx context.Context, c client.Client) error { return c.Create(ctx, obj) }},
		{"update", "ConfigMap", trigger.Phases{Write: 30 * ms}, func(ctx context.Context, c client.Client) error { return c.Update(ctx, obj) }},
		{"patch", "ConfigMap", trigger.Phases{Write: 30 * ms}, func(ctx context.Context, c client.Client) error { return c.Patch(ctx, obj, client.Merge) }},
		{"apply", "ConfigMap", trigger.Phases{Write: 30 * ms}, func(ctx context.Context, c client.Client) error {
			return c.Apply(ctx, corev1ac.ConfigMap("b", "ns"))
		}},
		{"delete", "ConfigMap", trigger.Phases{Write: 30 * ms}, func(ctx context.Context, c client.Client) error { return c.Delete(ctx, obj) }},
		{"deletecollection", "ConfigMap", trigger.Phases{Write: 30 * ms}, func(ctx context.Context, c client.Client) error { return c.DeleteAllOf(ctx, obj) }},
		{"update", "ConfigMap/status", trigger.Phases{Status: 40 * ms}, func(ctx context.Context, c client.Client) error { return c.Status().Update(ctx, obj) }},
		{"patch", "ConfigMap/status", trigger.Phases{Status: 40 * ms}, func(ctx context.Context, c client.Client) error { return c.Status().Patch(ctx, obj, client.Merge) }},
		{"create", "ConfigMap/eviction", trigger.Phases{Status: 40 * ms}, func(ctx context.Context, c client.Client) error {
			return c.SubResource("eviction").Create(ctx, obj, obj)
		}},
		{"apply", "ConfigMap/status", trigger.Phases{Status: 40 * ms}, func(ctx context.Context, c client.Client) error {
			return c.SubResource("status").Apply(ctx, corev1ac.ConfigMap("b", "ns"))
		}},
		{"get", "ConfigMap/scale", trigger.Phases{Read: 20 * ms}, func(ctx context.Context, c client.Client) error {
			return c.SubResource("scale").Get(ctx, obj, obj)
		}},
	} {
		t.Run(tc.verb+" "+tc.kind, func(t *testing.T) {
			var got error
			b := run(t, &slow{read: 20 * ms, write: 30 * ms, status: 40 * ms, err: errAny}, func(ctx context.Context, c client.Client) error {
				got = tc.call(ctx, c)
				return nil
			})
			require.Equal(t, errAny, got, "errors pass unchanged")
			require.Equal(t, "called primary "+tc.verb+" "+tc.kind, b.lines[0])
			require.Equal(t, tc.phases, b.phases)
		})
	}
}

// AllowList is an object whose kind is called like a list.
type AllowList struct{ corev1.ConfigMap }

func kind(kind string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	u.SetKind(kind)
	return u
}

// Status before write before read before compute, and the sum is the run.
func TestParallelCallsShareTheTime(t *testing.T) {
	b := run(t, &slow{read: 50 * ms, write: 30 * ms, status: 20 * ms}, func(ctx context.Context, c client.Client) error {
		time.Sleep(5 * ms)
		var wg sync.WaitGroup
		wg.Go(func() { _ = c.List(ctx, &corev1.PodList{}) })
		wg.Go(func() { _ = c.Update(ctx, configMap("b")) })
		wg.Go(func() { _ = c.Status().Update(ctx, configMap("b")) })
		wg.Wait()
		return nil
	})
	require.Equal(t, trigger.Phases{Compute: 5 * ms, Status: 20 * ms, Write: 10 * ms, Read: 20 * ms}, b.phases)
	require.Equal(t, 55*ms, b.phases.Total())
}

// A call that outlives its run, or has another context, counts nowhere.
func TestCallsOutsideTheRun(t *testing.T) {
	b := run(t, &slow{read: 50 * ms, write: 80 * ms}, func(ctx context.Context, c client.Client) error {
		go func() {
			_ = c.Update(ctx, configMap("b"))
			_ = c.Update(ctx, configMap("b"))
		}()
		_ = c.List(context.Background(), &corev1.PodList{})
		return nil
	})
	require.Equal(t, trigger.Phases{Write: 50 * ms}, b.phases)
	require.Equal(t, []string{"report a success", "ran primary success"}, b.lines)
}

// RC09: NotFound for the request's own object is success; for another one, or
// beside another error, it stays an error.
func TestOwnObjectGone_RC09(t *testing.T) {
	for name, tc := range map[string]struct {
		call  func(ctx context.Context, c client.Client) error
		class string
	}{
		"own, by get": {func(ctx context.Context, c client.Client) error {
			return c.Get(ctx, request("a").NamespacedName, configMap(""))
		}, "success"},
		"own, by status": {func(ctx context.Context, c client.Client) error { return c.Status().Update(ctx, configMap("a")) }, "success"},
		"own, by update": {func(ctx context.Context, c client.Client) error { return c.Update(ctx, configMap("a")) }, "success"},
		"other name":     {func(ctx context.Context, c client.Client) error { return c.Update(ctx, configMap("b")) }, "notfound"},
		"other kind": {func(ctx context.Context, c client.Client) error {
			return c.Get(ctx, request("a").NamespacedName, &corev1.Secret{})
		}, "notfound"},
		"other namespace": {func(ctx context.Context, c client.Client) error {
			return c.Get(ctx, client.ObjectKey{Name: "a"}, configMap(""))
		}, "notfound"},
		"own, twice": {func(ctx context.Context, c client.Client) error {
			return errors.Join(c.Update(ctx, configMap("a")), fmt.Errorf("status: %w", c.Status().Update(ctx, configMap("a"))))
		}, "success"},
		"own, twice, in an aggregate": {func(ctx context.Context, c client.Client) error {
			return utilerrors.NewAggregate([]error{c.Update(ctx, configMap("a")), c.Status().Update(ctx, configMap("a"))})
		}, "success"},
		"own, and again, ignored": {func(ctx context.Context, c client.Client) error {
			err := c.Update(ctx, configMap("a"))
			_ = c.Status().Update(ctx, configMap("a"))
			return err
		}, "success"},
		"own, beside another's": {func(ctx context.Context, c client.Client) error {
			return errors.Join(c.Update(ctx, configMap("a")), c.Update(ctx, configMap("b")))
		}, "notfound"},
		"own, beside a timeout": {func(ctx context.Context, c client.Client) error {
			return errors.Join(c.Update(ctx, configMap("a")), context.DeadlineExceeded)
		}, "notfound"},
		"own, beside a conflict in an aggregate": {func(ctx context.Context, c client.Client) error {
			return utilerrors.NewAggregate([]error{c.Update(ctx, configMap("a")), conflict})
		}, "notfound"},
		"own, then another error": {func(ctx context.Context, c client.Client) error {
			return errors.Join(c.Update(ctx, configMap("a")), errBoom)
		}, "error"},
		"own, ignored, then another's": {func(ctx context.Context, c client.Client) error {
			_ = c.Update(ctx, configMap("a"))
			return apierrors.NewNotFound(schema.GroupResource{Resource: "secrets"}, "x")
		}, "notfound"},
	} {
		t.Run(name, func(t *testing.T) {
			b := run(t, &slow{fresh: func() error {
				return apierrors.NewNotFound(schema.GroupResource{Resource: "configmaps"}, "a")
			}}, tc.call)
			require.Equal(t, "ran primary "+tc.class, b.lines[len(b.lines)-1])
			require.Equal(t, tc.class == "success", b.outcome.Err == nil)
		})
	}
}

// RC09: a CRD without the status subresource answers NotFound to a status write,
// though the object is there. That is an error for as long as it lasts.
func TestNoSuchSubresource_RC09(t *testing.T) {
	for name, write := range map[string]func(context.Context, client.SubResourceWriter) error{
		"update": func(ctx context.Context, w client.SubResourceWriter) error { return w.Update(ctx, configMap("a")) },
		"patch": func(ctx context.Context, w client.SubResourceWriter) error {
			return w.Patch(ctx, configMap("a"), client.Merge)
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := &book{}
			c := reconcile.Client(present{&slow{err: apierrors.NewNotFound(schema.GroupResource{Resource: "configmaps"}, "a")}})
			_, err := chain(b, func(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
				return reconcile.Result{}, write(ctx, c.Status())
			}).Reconcile(t.Context(), request("a"))
			require.True(t, apierrors.IsNotFound(err))
			require.Equal(t, "ran unknown notfound", b.lines[len(b.lines)-1])
		})
	}
}

// RC09: the run that takes off the last finalizer may find the object in a cache
// that has not caught up; its late status write is no error all the same.
func TestStatusAfterLastFinalizer_RC09(t *testing.T) {
	b := &book{}
	gone := apierrors.NewNotFound(schema.GroupResource{Resource: "configmaps"}, "a")
	c := reconcile.Client(finalized{present{&slow{err: gone}}})
	_, err := chain(b, func(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
		obj := configMap("a")
		obj.DeletionTimestamp = &metav1.Time{Time: time.Now()}
		if err := c.Update(ctx, obj); err != nil {
			return reconcile.Result{}, err
		}
		return reconcile.Result{}, c.Status().Update(ctx, obj)
	}).Reconcile(t.Context(), request("a"))
	require.NoError(t, err)
	require.Equal(t, "ran unknown success", b.lines[len(b.lines)-1])
}

// RC09: a subresource that the objects of the kind have had is not missing now, whatever
// a cache still shows: the object is gone.
func TestStatusOfGoneObjectStillInCache_RC09(t *testing.T) {
	b := &book{}
	inner := &slow{}
	c := reconcile.Client(present{inner})
	r := chain(b, func(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
		return reconcile.Result{}, c.Status().Update(ctx, configMap("a"))
	})
	_, err := r.Reconcile(t.Context(), request("a"))
	require.NoError(t, err)
	inner.err = apierrors.NewNotFound(schema.GroupResource{Resource: "configmaps"}, "a")
	_, err = r.Reconcile(t.Context(), request("a"))
	require.NoError(t, err)
	require.Equal(t, "ran unknown success", b.lines[len(b.lines)-1])
	require.True(t, b.outcome.Object.Gone)
}

type finalized struct{ present }

func (finalized) Update(context.Context, client.Object, ...client.UpdateOption) error { return nil }

// present is a client that finds every object.
type present struct{ client.WithWatch }

func (present) Get(context.Context, client.ObjectKey, client.Object, ...client.GetOption) error {
	return nil
}

// A client whose Status is not its SubResource("status") keeps it.
func TestClientKeepsStatus(t *testing.T) {
	c := reconcile.Client(ownStatus{&slow{}})
	require.ErrorIs(t, c.Status().Update(t.Context(), configMap("a")), errBoom)
	require.NoError(t, c.SubResource("status").Update(t.Context(), configMap("a")))
}

type ownStatus struct{ client.WithWatch }

func (ownStatus) Status() client.SubResourceWriter {
	return (&slow{err: errBoom}).SubResource("status")
}

// Two who wrap the same client, as NewClient and Loop.Client, count no call twice.
func TestClientTwice(t *testing.T) {
	for name, inner := range map[string]client.Client{"watching": &slow{}, "plain": struct{ client.Client }{&slow{}}} {
		t.Run(name, func(t *testing.T) {
			b := &book{}
			c := reconcile.Client(reconcile.Client(inner))
			_, err := chain(b, func(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
				return reconcile.Result{}, c.Update(ctx, configMap("a"))
			}).Reconcile(t.Context(), request("a"))
			require.NoError(t, err)
			require.Equal(t, []string{"called unknown update ConfigMap", "report a success", "ran unknown success"}, b.lines)
		})
	}
}

func TestClientOfNil(t *testing.T) {
	require.PanicsWithError(t, "reconcile: Client(nil): the client must not be nil", func() { reconcile.Client(nil) })
	require.Panics(t, func() { reconcile.Client((*slow)(nil)) })
}

func TestClientKeepsWatch(t *testing.T) {
	s := &slow{err: errBoom}
	w, ok := reconcile.Client(s).(client.WithWatch)
	require.True(t, ok)
	_, err := w.Watch(t.Context(), &corev1.PodList{})
	require.ErrorIs(t, err, errBoom)

	_, ok = reconcile.Client(struct{ client.Client }{s}).(client.WithWatch)
	require.False(t, ok, "a client that cannot watch must not say that it can")
}

// A method that a newer controller-runtime adds would pass uncounted: this tells.
func TestClientMethods(t *testing.T) {
	for typ, want := range map[reflect.Type][]string{
		reflect.TypeFor[client.WithWatch](): {
			"Apply", "Create", "Delete", "DeleteAllOf", "Get", "GroupVersionKindFor", "IsObjectNamespaced", "List",
			"Patch", "RESTMapper", "Scheme", "Status", "SubResource", "Update", "Watch",
		},
		reflect.TypeFor[client.SubResourceClient](): {"Apply", "Create", "Get", "Patch", "Update"},
	} {
		got := []string{}
		for i := range typ.NumMethod() {
			got = append(got, typ.Method(i).Name)
		}
		require.Equal(t, want, got)
	}
}

func BenchmarkClient(b *testing.B) {
	c := reconcile.Client(&slow{})
	obj, key := configMap("b"), client.ObjectKey{Namespace: "ns", Name: "b"}
	r := reconcile.Chain[reconcile.Request](
		reconcile.Func(func(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
			b.ReportAllocs()
			for b.Loop() {
				_ = c.Get(ctx, key, obj)
			}
			return reconcile.Result{}, nil
		}),
		reconcile.Instrument(reconcile.Options[reconcile.Request]{Observer: &silent{}}))
	_, _ = r.Reconcile(b.Context(), request("a"))
}
