// Package controller, as it was before Trimtab: the demo compares with it. Make
// builds the operator with this file in place of the example's own setup.go.
package controller

import (
	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/source"

	certv1 "github.com/trimtab/trimtab/examples/certrotator/api/v1"
	"github.com/trimtab/trimtab/predicate"
)

// SetupWithManager adds the controller to mgr, with controller-runtime's own
// queue and handlers. All else is the same, so that the queue is what is compared.
func (r *CertificateReconciler) SetupWithManager(mgr ctrl.Manager, options controller.Options) error {
	if err := indexSecrets(mgr); err != nil {
		return err
	}
	caCache, err := r.newCACache(mgr)
	if err != nil {
		return err
	}
	r.CAReader = caCache

	return ctrl.NewControllerManagedBy(mgr).
		Named("certificate").
		For(&certv1.Certificate{}, builder.WithPredicates(predicate.SpecChanged())).
		Owns(&corev1.Secret{}, builder.WithPredicates(predicate.SpecChanged())).
		WatchesRawSource(source.Kind[client.Object](caCache, &corev1.Secret{},
			handler.EnqueueRequestsFromMapFunc(r.allCertificates), predicate.DataChanged())).
		WithOptions(options).
		Complete(r)
}
