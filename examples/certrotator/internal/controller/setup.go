package controller

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	crhandler "sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/trimtab/trimtab"
	certv1 "github.com/trimtab/trimtab/examples/certrotator/api/v1"
	"github.com/trimtab/trimtab/handler"
	"github.com/trimtab/trimtab/predicate"
	"github.com/trimtab/trimtab/reconcile"
	"github.com/trimtab/trimtab/trigger"
)

// CacheOptions returns the options of the manager's cache: of all the Secrets in
// the cluster it holds those that the operator has made.
func CacheOptions() cache.Options {
	return cache.Options{
		DefaultTransform: cache.TransformStripManagedFields(),
		ByObject: map[client.Object]cache.ByObject{
			&corev1.Secret{}: {Label: labels.SelectorFromSet(labels.Set{managedByLabel: managedBy})},
		},
	}
}

// SetupWithManager adds the controller to mgr. Each watch says what it is: a
// change of the Certificate itself is served first, a Secret that needs repair
// next; a new CA concerns every certificate and may take its time.
//
// Of a Secret that we made, labels and owner count, too: without them we would
// lose sight of it.
func (r *CertificateReconciler) SetupWithManager(mgr ctrl.Manager, options controller.Options) error {
	if err := indexSecrets(mgr); err != nil {
		return err
	}
	caCache, err := r.newCACache(mgr)
	if err != nil {
		return err
	}
	r.CAReader = caCache

	loop := trimtab.New("certificate", trimtab.Options{For: &certv1.Certificate{}})
	return ctrl.NewControllerManagedBy(mgr).
		Named("certificate").
		For(&certv1.Certificate{}, builder.WithPredicates(predicate.SpecChanged())).
		Watches(&corev1.Secret{}, handler.Owned(mgr, &certv1.Certificate{}), builder.WithPredicates(predicate.SpecChanged())).
		WatchesRawSource(source.Kind[client.Object](caCache, &corev1.Secret{},
			handler.As(trigger.Resync, crhandler.EnqueueRequestsFromMapFunc(r.allCertificates)), predicate.DataChanged())).
		WithOptions(loop.ControllerOptions(options)).
		Complete(loop.Reconciler(r))
}

// indexSecrets lets deleteOldSecrets find the Secrets of one Certificate.
func indexSecrets(mgr ctrl.Manager) error {
	certificateOf := func(secret client.Object) []string {
		return []string{secret.GetLabels()[certificateLabel]}
	}
	err := mgr.GetFieldIndexer().IndexField(context.Background(), &corev1.Secret{}, certificateLabel, certificateOf)
	if err != nil {
		return fmt.Errorf("index the Secrets: %w", err)
	}
	return nil
}

// newCACache returns a cache of its own for the one Secret of the CA, which
// needs no label. The manager starts and stops it.
func (r *CertificateReconciler) newCACache(mgr ctrl.Manager) (cache.Cache, error) {
	theCA := fields.OneTermEqualSelector("metadata.name", r.CASecret.Name)
	caCache, err := cache.New(mgr.GetConfig(), cache.Options{
		HTTPClient: mgr.GetHTTPClient(),
		Scheme:     mgr.GetScheme(),
		Mapper:     mgr.GetRESTMapper(),
		DefaultNamespaces: map[string]cache.Config{
			r.CASecret.Namespace: {FieldSelector: theCA},
		},
	})
	if err != nil {
		return nil, fmt.Errorf("make the cache of the CA: %w", err)
	}
	if err := mgr.Add(caCache); err != nil {
		return nil, fmt.Errorf("add the cache of the CA: %w", err)
	}
	return caCache, nil
}

// allCertificates returns a request for every Certificate.
func (r *CertificateReconciler) allCertificates(ctx context.Context, _ client.Object) []reconcile.Request {
	certs := &certv1.CertificateList{}
	if err := r.List(ctx, certs); err != nil {
		log.FromContext(ctx).Error(err, "A new CA was not brought to the certificates")
		return nil
	}
	requests := make([]reconcile.Request, len(certs.Items))
	for i := range certs.Items {
		requests[i].NamespacedName = client.ObjectKeyFromObject(&certs.Items[i])
	}
	return requests
}
