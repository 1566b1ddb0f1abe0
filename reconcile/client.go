package reconcile

import (
	"context"
	"errors"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trimtab/trimtab/internal/null"
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
	if null.Is(c) {
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
	call := call{kind: read, verb: "get", obj: obj}
	ctx = call.begin(ctx, false)
	defer call.end(ctx)
	call.err = c.Client.Get(ctx, key, obj, opts...)
	if call.onOwn(c.Client, obj, key) && call.err == nil {
		call.readOwn, call.own = true, sightOf(obj)
		call.run.traceOwn(obj)
	}
	return call.err
}

// List implements client.Reader.
func (c *accountingClient) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	call := call{kind: read, verb: "list", obj: list}
	ctx = call.begin(ctx, false)
	defer call.end(ctx)
	call.err = c.Client.List(ctx, list, opts...)
	return call.err
}

// Create implements client.Writer.
func (c *accountingClient) Create(ctx context.Context, obj client.Object, opts ...client.CreateOption) error {
	dry := createIsDry(opts)
	call := call{kind: write, verb: "create", obj: obj}
	ctx = call.begin(ctx, !dry)
	defer call.end(ctx)
	call.err = c.Client.Create(ctx, obj, opts...)
	if call.err == nil { // A NotFound would be the namespace's.
		call.wrote(c.Client, obj, 0, dry)
	}
	return call.err
}

// Delete implements client.Writer.
func (c *accountingClient) Delete(ctx context.Context, obj client.Object, opts ...client.DeleteOption) error {
	dry := deleteIsDry(opts)
	call := call{kind: write, verb: "delete", obj: obj}
	ctx = call.begin(ctx, !dry)
	defer call.end(ctx)
	call.err = c.Client.Delete(ctx, obj, opts...)
	if call.onOwn(c.Client, obj, keyOf(obj)) && call.err == nil && !dry {
		call.run.deleted()
	}
	return call.err
}

// Update implements client.Writer.
func (c *accountingClient) Update(ctx context.Context, obj client.Object, opts ...client.UpdateOption) error {
	dry := updateIsDry(opts)
	call := call{kind: write, verb: "update", obj: obj}
	ctx = call.begin(ctx, !dry)
	defer call.end(ctx)
	before := call.generation(obj)
	call.err = c.Client.Update(ctx, obj, opts...)
	call.wrote(c.Client, obj, before, dry)
	return call.err
}

// Patch implements client.Writer.
func (c *accountingClient) Patch(ctx context.Context, obj client.Object, patch client.Patch, opts ...client.PatchOption) error {
	dry := patchIsDry(opts)
	call := call{kind: write, verb: "patch", obj: obj}
	ctx = call.begin(ctx, !dry)
	defer call.end(ctx)
	before := call.generation(obj)
	call.err = c.Client.Patch(ctx, obj, patch, opts...)
	call.wrote(c.Client, obj, before, dry)
	return call.err
}

// Apply implements client.Writer.
func (c *accountingClient) Apply(ctx context.Context, obj runtime.ApplyConfiguration, opts ...client.ApplyOption) error {
	dry := applyIsDry(opts)
	call := call{kind: write, verb: "apply", obj: obj}
	ctx = call.begin(ctx, !dry)
	defer call.end(ctx)
	call.err = c.Client.Apply(ctx, obj, opts...)
	if call.run != nil && call.err == nil && !dry {
		if s, ok := call.run.applied(c.Client, obj); ok {
			call.run.wrote(s, 0)
		}
	}
	return call.err
}

// DeleteAllOf implements client.Writer.
func (c *accountingClient) DeleteAllOf(ctx context.Context, obj client.Object, opts ...client.DeleteAllOfOption) error {
	call := call{kind: write, verb: "deletecollection", obj: obj}
	ctx = call.begin(ctx, !deleteAllIsDry(opts))
	defer call.end(ctx)
	call.err = c.Client.DeleteAllOf(ctx, obj, opts...)
	return call.err
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
