package handler

import (
	"errors"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/cluster"
	"sigs.k8s.io/controller-runtime/pkg/handler"

	"github.com/trimtab/trimtab/trigger"
)

// OwnedOptions widens Owned. The zero value is the default.
type OwnedOptions struct {
	// MatchEveryOwner enqueues every owner of owner's kind, not only the one
	// that is marked as the controller.
	MatchEveryOwner bool
}

// Owned returns a handler for objects that owner's kind owns: an event enqueues
// the owner, as a Watched trigger. It is what the builder's Owns uses, tagged:
//
//	Watches(&corev1.Secret{}, handler.Owned(mgr, &certv1.Certificate{})) // was: Owns(&corev1.Secret{})
//
// It panics if mgr or owner is nil, and, as controller-runtime's
// EnqueueRequestForOwner does, if the scheme of mgr does not know owner. Of several
// options the last counts.
func Owned(mgr cluster.Cluster, owner client.Object, options ...OwnedOptions) handler.EventHandler {
	if mgr == nil {
		panic(errors.New("handler: Owned: the manager must not be nil"))
	}
	if owner == nil {
		panic(errors.New("handler: Owned: the owner must not be nil"))
	}
	limits := []handler.OwnerOption{handler.OnlyControllerOwner()}
	if n := len(options); n > 0 && options[n-1].MatchEveryOwner {
		limits = nil
	}
	return As(trigger.Watched, handler.EnqueueRequestForOwner(mgr.GetScheme(), mgr.GetRESTMapper(), owner, limits...))
}
