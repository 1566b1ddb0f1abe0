package reconcile

import (
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// The names of controller-runtime's package reconcile. Their documentation is
// there; their meaning is unchanged.
type (
	// Request is controller-runtime's reconcile.Request.
	Request = reconcile.Request
	// Result is controller-runtime's reconcile.Result.
	Result = reconcile.Result
	// Reconciler is controller-runtime's reconcile.Reconciler.
	Reconciler = reconcile.Reconciler
	// Func is controller-runtime's reconcile.Func.
	Func = reconcile.Func
	// TypedReconciler is controller-runtime's reconcile.TypedReconciler.
	TypedReconciler[request comparable] = reconcile.TypedReconciler[request]
	// TypedFunc is controller-runtime's reconcile.TypedFunc.
	TypedFunc[request comparable] = reconcile.TypedFunc[request]
	// ObjectReconciler is controller-runtime's reconcile.ObjectReconciler.
	ObjectReconciler[object client.Object] = reconcile.ObjectReconciler[object]
)

// AsReconciler is controller-runtime's reconcile.AsReconciler.
func AsReconciler[object client.Object](c client.Client, r ObjectReconciler[object]) Reconciler {
	return reconcile.AsReconciler(c, r)
}

// TerminalError is controller-runtime's reconcile.TerminalError.
func TerminalError(wrapped error) error { return reconcile.TerminalError(wrapped) }
