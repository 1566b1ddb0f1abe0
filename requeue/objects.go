package requeue

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// Objects returns a List for a [Ticker]: a request for every object that reader finds,
// of the kind that list is of, within opts, such as a namespace or labels. Give it
// the manager's cache or client, which has the objects that the controller
// watches; nothing but their names is read, and they are not copied.
//
// It panics if reader or list is nil.
func Objects(reader client.Reader, list client.ObjectList, opts ...client.ListOption) func(context.Context) ([]reconcile.Request, error) {
	if reader == nil || list == nil {
		panic(errors.New("requeue: Objects: the reader and the list must not be nil"))
	}
	opts = append([]client.ListOption{client.UnsafeDisableDeepCopy}, opts...)
	return func(ctx context.Context) ([]reconcile.Request, error) {
		found := list.DeepCopyObject().(client.ObjectList) // It is of list's type.
		if err := reader.List(ctx, found, opts...); err != nil {
			return nil, fmt.Errorf("requeue: list %T: %w", list, err)
		}
		requests := make([]reconcile.Request, 0, meta.LenList(found))
		err := meta.EachListItem(found, func(o runtime.Object) error {
			m, err := meta.Accessor(o)
			if err == nil {
				requests = append(requests, reconcile.Request{NamespacedName: types.NamespacedName{Namespace: m.GetNamespace(), Name: m.GetName()}})
			}
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("requeue: list %T: %w", list, err)
		}
		return requests, nil
	}
}
