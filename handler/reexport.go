package handler

import (
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// The names of controller-runtime's package handler. Their documentation is there;
// their meaning is unchanged.
type (
	// EventHandler is controller-runtime's handler.EventHandler.
	EventHandler = handler.EventHandler
	// TypedEventHandler is controller-runtime's handler.TypedEventHandler.
	TypedEventHandler[object any, request comparable] = handler.TypedEventHandler[object, request]
	// Funcs is controller-runtime's handler.Funcs.
	Funcs = handler.Funcs
	// TypedFuncs is controller-runtime's handler.TypedFuncs.
	TypedFuncs[object any, request comparable] = handler.TypedFuncs[object, request]
	// EnqueueRequestForObject is controller-runtime's handler.EnqueueRequestForObject.
	EnqueueRequestForObject = handler.EnqueueRequestForObject
	// TypedEnqueueRequestForObject is controller-runtime's generic type of that name.
	TypedEnqueueRequestForObject[object client.Object] = handler.TypedEnqueueRequestForObject[object]
	// MapFunc is controller-runtime's handler.MapFunc.
	MapFunc = handler.MapFunc
	// TypedMapFunc is controller-runtime's handler.TypedMapFunc.
	TypedMapFunc[object any, request comparable] = handler.TypedMapFunc[object, request]
	// OwnerOption is controller-runtime's handler.OwnerOption.
	OwnerOption = handler.OwnerOption
)

// LowPriority is controller-runtime's handler.LowPriority, at which the initial list
// and a resync are enqueued.
const LowPriority = handler.LowPriority

// EnqueueRequestsFromMapFunc is controller-runtime's function of that name. What it
// enqueues counts as Primary; see [As].
func EnqueueRequestsFromMapFunc(fn MapFunc) EventHandler {
	return handler.EnqueueRequestsFromMapFunc(fn)
}

// TypedEnqueueRequestsFromMapFunc is controller-runtime's function of that name.
func TypedEnqueueRequestsFromMapFunc[object any, request comparable](fn TypedMapFunc[object, request]) TypedEventHandler[object, request] {
	return handler.TypedEnqueueRequestsFromMapFunc(fn)
}

// EnqueueRequestForOwner is controller-runtime's handler.EnqueueRequestForOwner. What
// it enqueues counts as Primary; see [Owned].
func EnqueueRequestForOwner(scheme *runtime.Scheme, mapper meta.RESTMapper, ownerType client.Object, opts ...OwnerOption) EventHandler {
	return handler.EnqueueRequestForOwner(scheme, mapper, ownerType, opts...)
}

// TypedEnqueueRequestForOwner is controller-runtime's function of that name.
func TypedEnqueueRequestForOwner[object client.Object](scheme *runtime.Scheme, mapper meta.RESTMapper, ownerType client.Object, opts ...OwnerOption) TypedEventHandler[object, reconcile.Request] {
	return handler.TypedEnqueueRequestForOwner[object](scheme, mapper, ownerType, opts...)
}

// OnlyControllerOwner is controller-runtime's handler.OnlyControllerOwner.
func OnlyControllerOwner() OwnerOption { return handler.OnlyControllerOwner() }

// WithLowPriorityWhenUnchanged is controller-runtime's function of that name.
func WithLowPriorityWhenUnchanged[object client.Object, request comparable](u TypedEventHandler[object, request]) TypedEventHandler[object, request] {
	return handler.WithLowPriorityWhenUnchanged(u)
}
