package reconcile

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Client returns c with its calls accounted to the run in whose context they are
// made: the time of the run is split into reading, writing, writing status and
// computing, and the run's observer is told of each call. A call in another
// context, or after its run has returned, counts nowhere. Arguments, results and
// errors pass unchanged. One client serves any number of controllers; if c is a
// client.WithWatch, so is what Client returns.
//
// A read from a cache counts as a read like any other: it is only fast. A client
// that Client has returned is returned as it is: no call counts twice. It panics
// if c is nil.
func Client(c client.Client) client.Client {
	if isNil(c) {
		panic(errors.New("reconcile: Client(nil): the client must not be nil"))
	}
	switch c.(type) {
	case *accountingClient, *watchingClient:
		return c
	}
	accounting := &accountingClient{Client: c}
	if w, ok := c.(client.WithWatch); ok {
		return &watchingClient{accountingClient: accounting, watcher: w}
	}
	return accounting
}

type accountingClient struct{ client.Client }

// watchingClient is an accountingClient whose client can watch. A watch goes on
// after its call has returned, so it is no phase of a run.
type watchingClient struct {
	*accountingClient
	watcher client.WithWatch
}

// Watch implements client.WithWatch.
func (c *watchingClient) Watch(ctx context.Context, list client.ObjectList, opts ...client.ListOption) (watch.Interface, error) {
	return c.watcher.Watch(ctx, list, opts...)
}

// Get implements client.Reader.
func (c *accountingClient) Get(ctx context.Context, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
	call := begin(ctx, read)
	err := c.Client.Get(ctx, key, obj, opts...)
	call.endFor("get", obj, key, err)
	return err
}

// List implements client.Reader.
func (c *accountingClient) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	call := begin(ctx, read)
	err := c.Client.List(ctx, list, opts...)
	call.end("list", list, "")
	return err
}

// Create implements client.Writer.
func (c *accountingClient) Create(ctx context.Context, obj client.Object, opts ...client.CreateOption) error {
	call := begin(ctx, write)
	err := c.Client.Create(ctx, obj, opts...)
	call.end("create", obj, "")
	return err
}

// Delete implements client.Writer.
func (c *accountingClient) Delete(ctx context.Context, obj client.Object, opts ...client.DeleteOption) error {
	call := begin(ctx, write)
	err := c.Client.Delete(ctx, obj, opts...)
	call.endFor("delete", obj, keyOf(obj), err)
	return err
}

// Update implements client.Writer.
func (c *accountingClient) Update(ctx context.Context, obj client.Object, opts ...client.UpdateOption) error {
	call := begin(ctx, write)
	err := c.Client.Update(ctx, obj, opts...)
	call.endFor("update", obj, keyOf(obj), err)
	return err
}

// Patch implements client.Writer.
func (c *accountingClient) Patch(ctx context.Context, obj client.Object, patch client.Patch, opts ...client.PatchOption) error {
	call := begin(ctx, write)
	err := c.Client.Patch(ctx, obj, patch, opts...)
	call.endFor("patch", obj, keyOf(obj), err)
	return err
}

// Apply implements client.Writer.
func (c *accountingClient) Apply(ctx context.Context, obj runtime.ApplyConfiguration, opts ...client.ApplyOption) error {
	call := begin(ctx, write)
	err := c.Client.Apply(ctx, obj, opts...)
	call.end("apply", obj, "")
	return err
}

// DeleteAllOf implements client.Writer.
func (c *accountingClient) DeleteAllOf(ctx context.Context, obj client.Object, opts ...client.DeleteAllOfOption) error {
	call := begin(ctx, write)
	err := c.Client.DeleteAllOf(ctx, obj, opts...)
	call.end("deletecollection", obj, "")
	return err
}

// Status implements client.StatusClient. It is c's own Status, which need not be
// its SubResource("status").
func (c *accountingClient) Status() client.SubResourceWriter {
	return &accountingSubResourceWriter{SubResourceWriter: c.Client.Status(), client: c, name: "status"}
}

// SubResource implements client.SubResourceClientConstructor.
func (c *accountingClient) SubResource(name string) client.SubResourceClient {
	inner := c.Client.SubResource(name)
	return &accountingSubResource{
		accountingSubResourceWriter: accountingSubResourceWriter{SubResourceWriter: inner, client: c, name: name},
		reader:                      inner,
	}
}

type accountingSubResource struct {
	accountingSubResourceWriter
	reader client.SubResourceReader
}

// Get implements client.SubResourceReader.
func (c *accountingSubResource) Get(ctx context.Context, obj, sub client.Object, opts ...client.SubResourceGetOption) error {
	call := begin(ctx, read)
	err := c.reader.Get(ctx, obj, sub, opts...)
	c.end(ctx, call, "get", obj, err)
	return err
}

type accountingSubResourceWriter struct {
	client.SubResourceWriter
	client *accountingClient
	name   string
}

// Create implements client.SubResourceWriter.
func (c *accountingSubResourceWriter) Create(ctx context.Context, obj, sub client.Object, opts ...client.SubResourceCreateOption) error {
	call := begin(ctx, status)
	err := c.SubResourceWriter.Create(ctx, obj, sub, opts...)
	c.end(ctx, call, "create", obj, err)
	return err
}

// Update implements client.SubResourceWriter.
func (c *accountingSubResourceWriter) Update(ctx context.Context, obj client.Object, opts ...client.SubResourceUpdateOption) error {
	call := begin(ctx, status)
	err := c.SubResourceWriter.Update(ctx, obj, opts...)
	c.end(ctx, call, "update", obj, err)
	return err
}

// Patch implements client.SubResourceWriter.
func (c *accountingSubResourceWriter) Patch(ctx context.Context, obj client.Object, patch client.Patch, opts ...client.SubResourcePatchOption) error {
	call := begin(ctx, status)
	err := c.SubResourceWriter.Patch(ctx, obj, patch, opts...)
	c.end(ctx, call, "patch", obj, err)
	return err
}

// Apply implements client.SubResourceWriter.
func (c *accountingSubResourceWriter) Apply(ctx context.Context, obj runtime.ApplyConfiguration, opts ...client.SubResourceApplyOption) error {
	call := begin(ctx, status)
	err := c.SubResourceWriter.Apply(ctx, obj, opts...)
	call.end("apply", obj, c.name)
	return err
}

// end ends a call on one object. That the object is gone is told apart from that
// it has no such subresource: the API server answers NotFound, in the same words,
// also where a CRD has no status subresource. So the object itself is asked for,
// unless this run has taken off its last finalizer, which a cache may not show yet.
func (c *accountingSubResourceWriter) end(ctx context.Context, call call, verb string, obj client.Object, err error) {
	call.end(verb, obj, c.name)
	if call.run == nil || !apierrors.IsNotFound(err) {
		return
	}
	key := keyOf(obj)
	if !call.run.owns(obj, key) {
		return
	}
	like, ok := obj.DeepCopyObject().(client.Object)
	if call.run.isReleased() || ok && apierrors.IsNotFound(c.client.Get(ctx, key, like)) {
		call.run.missed(obj, key, err)
	}
}

// call is a client call that belongs to a run; run is nil if it belongs to none.
type call struct {
	run  *run
	kind kind
}

func begin(ctx context.Context, k kind) call {
	r := runFrom(ctx)
	if r == nil || !r.enter(k, time.Now()) {
		return call{}
	}
	return call{run: r, kind: k}
}

func (c call) end(verb string, obj any, subresource string) {
	if c.run == nil || !c.run.leave(c.kind, time.Now()) {
		return
	}
	name := kindOf(obj)
	if subresource != "" {
		name += "/" + subresource
	}
	c.run.observer.Called(c.run.info.Sources, verb, name)
}

// endFor is end for a call on one object, which may turn out to be gone, or go with
// its last finalizer.
func (c call) endFor(verb string, obj client.Object, key client.ObjectKey, err error) {
	if c.run != nil && err != nil && apierrors.IsNotFound(err) {
		c.run.missed(obj, key, err)
	}
	if c.run != nil && err == nil && c.kind == write && c.run.owns(obj, key) && obj.GetDeletionTimestamp() != nil && len(obj.GetFinalizers()) == 0 {
		c.run.released()
	}
	c.end(verb, obj, "")
}

func keyOf(obj client.Object) client.ObjectKey {
	if isNil(obj) {
		return client.ObjectKey{}
	}
	return client.ObjectKeyFromObject(obj)
}

// kindOf returns the kind of an object, of the objects of a list, or of an apply
// configuration: what it says, or else its Go type's name, which is the same for
// generated types and costs no look-up in a scheme.
func kindOf(obj any) string {
	if isNil(obj) {
		return "unknown"
	}
	if o, ok := obj.(runtime.Object); ok {
		if k := o.GetObjectKind().GroupVersionKind().Kind; k != "" {
			return strings.TrimSuffix(k, "List")
		}
	}
	t := reflect.TypeOf(obj)
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return strings.TrimSuffix(strings.TrimSuffix(t.Name(), "ApplyConfiguration"), "List")
}

// sameKind reports whether two objects are of one kind: by the GroupVersionKind
// that both carry, or else by their Go types.
func sameKind(a, b client.Object) bool {
	if isNil(a) {
		return false
	}
	x, y := a.GetObjectKind().GroupVersionKind(), b.GetObjectKind().GroupVersionKind()
	if x != (schema.GroupVersionKind{}) && y != (schema.GroupVersionKind{}) {
		return x.GroupKind() == y.GroupKind()
	}
	return reflect.TypeOf(a) == reflect.TypeOf(b)
}

func isNil(obj any) bool {
	if obj == nil {
		return true
	}
	v := reflect.ValueOf(obj)
	return v.Kind() == reflect.Pointer && v.IsNil()
}
