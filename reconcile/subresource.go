package reconcile

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

type accountingSubResource struct {
	accountingSubResourceWriter
	reader client.SubResourceReader
}

// Get implements client.SubResourceReader.
func (c *accountingSubResource) Get(ctx context.Context, obj, sub client.Object, opts ...client.SubResourceGetOption) error {
	call := call{kind: read, verb: "get", obj: obj, subresource: c.name}
	ctx = call.begin(ctx, false)
	defer c.end(ctx, &call, obj)
	call.err = c.reader.Get(ctx, obj, sub, opts...)
	return call.err
}

type accountingSubResourceWriter struct {
	client.SubResourceWriter
	client *accountingClient
	name   string
}

// Create implements client.SubResourceWriter.
func (c *accountingSubResourceWriter) Create(ctx context.Context, obj, sub client.Object, opts ...client.SubResourceCreateOption) error {
	call := call{kind: status, verb: "create", obj: obj, subresource: c.name}
	ctx = call.begin(ctx, !subCreateIsDry(opts))
	defer c.end(ctx, &call, obj)
	call.err = c.SubResourceWriter.Create(ctx, obj, sub, opts...)
	return call.err
}

// Update implements client.SubResourceWriter.
func (c *accountingSubResourceWriter) Update(ctx context.Context, obj client.Object, opts ...client.SubResourceUpdateOption) error {
	call := call{kind: status, verb: "update", obj: obj, subresource: c.name}
	ctx = call.begin(ctx, !subUpdateIsDry(opts))
	defer c.end(ctx, &call, obj)
	call.err = c.SubResourceWriter.Update(ctx, obj, opts...)
	return call.err
}

// Patch implements client.SubResourceWriter.
func (c *accountingSubResourceWriter) Patch(ctx context.Context, obj client.Object, patch client.Patch, opts ...client.SubResourcePatchOption) error {
	call := call{kind: status, verb: "patch", obj: obj, subresource: c.name}
	ctx = call.begin(ctx, !subPatchIsDry(opts))
	defer c.end(ctx, &call, obj)
	call.err = c.SubResourceWriter.Patch(ctx, obj, patch, opts...)
	return call.err
}

// Apply implements client.SubResourceWriter.
func (c *accountingSubResourceWriter) Apply(ctx context.Context, obj runtime.ApplyConfiguration, opts ...client.SubResourceApplyOption) error {
	call := call{kind: status, verb: "apply", obj: obj, subresource: c.name}
	ctx = call.begin(ctx, !subApplyIsDry(opts))
	defer call.end(ctx)
	call.err = c.SubResourceWriter.Apply(ctx, obj, opts...)
	return call.err
}

// end ends a call on one object. That the object is gone is told apart from that
// it has no such subresource: the API server answers NotFound, in the same words,
// also where a CRD has no status subresource. If that of an own object was there
// before, it is the object that is gone, although a cache may not show it yet. So it
// is if this run has taken off the last finalizer. Else the object itself is asked
// for.
func (c *accountingSubResourceWriter) end(ctx context.Context, call *call, obj client.Object) {
	call.end(ctx)
	if call.run == nil || call.err != nil && !apierrors.IsNotFound(call.err) {
		return
	}
	key := keyOf(obj)
	if !call.run.owns(c.client.Client, obj, key) {
		return
	}
	if call.err == nil {
		call.run.met(sightOf(obj))
		call.run.chain.there.add(c.name)
		return
	}
	like, ok := obj.DeepCopyObject().(client.Object)
	if call.run.isReleased() || call.run.chain.there.has(c.name) || ok && apierrors.IsNotFound(c.client.Get(ctx, key, like)) {
		call.run.missed(call.err)
	}
}
