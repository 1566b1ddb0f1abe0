package controller

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
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
