package controller

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	certv1 "github.com/trimtab/trimtab/examples/certrotator/api/v1"
)

// The labels of an issued Secret.
const (
	managedByLabel = "app.kubernetes.io/managed-by"
	managedBy      = "certrotator"

	// certificateLabel holds the UID of the Secret's Certificate. By it a Secret
	// is known as ours even when its owner reference was removed.
	certificateLabel = "certs.trimtab.dev/certificate-uid"
)

// readSecret returns the Secret that spec names, nil if there is none, or a
// secretConflict error if it belongs to somebody else.
//
// The cache holds no Secret without our label. So one that is missing there is
// looked for once more, at the API server: it may be another's, or our own
// without its labels.
func (r *CertificateReconciler) readSecret(ctx context.Context, cert *certv1.Certificate) (*corev1.Secret, error) {
	key := types.NamespacedName{Namespace: cert.Namespace, Name: cert.Spec.SecretName}
	secret := &corev1.Secret{}
	err := r.Get(ctx, key, secret)
	if apierrors.IsNotFound(err) {
		err = r.Live.Get(ctx, key, secret)
	}
	if apierrors.IsNotFound(err) {
		return nil, r.checkWanted(ctx, cert)
	}
	if err != nil {
		return nil, fmt.Errorf("read the Secret %s: %w", key.Name, err)
	}
	if !ours(secret, cert) {
		return nil, secretConflict(fmt.Sprintf("The Secret %s belongs to %s; it is left alone.", key.Name, ownerOf(secret)))
	}
	return secret, nil
}

// errUnwanted means that cert is deleted, which the cache does not know yet.
var errUnwanted = errors.New("the Certificate is deleted")

// checkWanted looks at the API server whether cert is still wanted. When it is
// deleted, the garbage collector deletes its Secret, and the cache may see that
// first: without this look, the Secret would be made again.
func (r *CertificateReconciler) checkWanted(ctx context.Context, cert *certv1.Certificate) error {
	now := &certv1.Certificate{}
	err := r.Live.Get(ctx, client.ObjectKeyFromObject(cert), now)
	if apierrors.IsNotFound(err) {
		return errUnwanted
	}
	if err != nil {
		return fmt.Errorf("look for the Certificate once more: %w", err)
	}
	if now.UID != cert.UID || !now.DeletionTimestamp.IsZero() {
		return errUnwanted
	}
	return nil
}

// ours reports whether secret is one that we made for cert.
func ours(secret *corev1.Secret, cert *certv1.Certificate) bool {
	if secret.Type != corev1.SecretTypeTLS {
		return false
	}
	if metav1.GetControllerOf(secret) == nil {
		return secret.Labels[certificateLabel] == string(cert.UID)
	}
	return metav1.IsControlledBy(secret, cert)
}

// marked reports whether secret bears all by which we find it again.
func marked(secret *corev1.Secret, cert *certv1.Certificate) bool {
	return metav1.IsControlledBy(secret, cert) &&
		secret.Labels[managedByLabel] == managedBy &&
		secret.Labels[certificateLabel] == string(cert.UID)
}

func ownerOf(secret *corev1.Secret) string {
	if owner := metav1.GetControllerOf(secret); owner != nil {
		return owner.Kind + " " + owner.Name
	}
	return "somebody else"
}

// writeSecret writes pair into secret, or into a new Secret if that is nil. The
// API server refuses it if somebody else has changed or created it meanwhile.
func (r *CertificateReconciler) writeSecret(ctx context.Context, cert *certv1.Certificate, secret *corev1.Secret, pair *keyPair, ca *authority) error {
	if secret != nil && ptr.Deref(secret.Immutable, false) {
		if err := r.deleteSecret(ctx, secret); err != nil { // it can only be replaced
			return err
		}
		secret = nil
	}
	isNew := secret == nil
	if isNew {
		secret = &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: cert.Namespace, Name: cert.Spec.SecretName},
			Type:       corev1.SecretTypeTLS,
		}
	}
	if err := r.fillSecret(cert, secret, pair, ca); err != nil {
		return err
	}
	var err error
	if isNew {
		err = r.Create(ctx, secret)
	} else {
		err = r.Update(ctx, secret)
	}
	if err != nil {
		return fmt.Errorf("write the Secret %s: %w", secret.Name, err)
	}
	return nil
}

// fillSecret gives secret our labels and owner, and pair. What else is in it
// stays.
func (r *CertificateReconciler) fillSecret(cert *certv1.Certificate, secret *corev1.Secret, pair *keyPair, ca *authority) error {
	metav1.SetMetaDataLabel(&secret.ObjectMeta, managedByLabel, managedBy)
	metav1.SetMetaDataLabel(&secret.ObjectMeta, certificateLabel, string(cert.UID))
	if err := controllerutil.SetControllerReference(cert, secret, r.Scheme()); err != nil {
		return fmt.Errorf("own the Secret: %w", err)
	}
	if secret.Data == nil {
		secret.Data = map[string][]byte{}
	}
	secret.Data[corev1.TLSCertKey] = pair.cert
	secret.Data[corev1.TLSPrivateKeyKey] = pair.key
	secret.Data[corev1.ServiceAccountRootCAKey] = ca.pem
	return nil
}

// deleteOldSecrets deletes the Secrets that we made for cert under other names,
// before its secretName changed.
func (r *CertificateReconciler) deleteOldSecrets(ctx context.Context, cert *certv1.Certificate) error {
	secrets := &corev1.SecretList{}
	err := r.List(ctx, secrets,
		client.InNamespace(cert.Namespace),
		client.MatchingFields{certificateLabel: string(cert.UID)},
		client.DisableReadYourWritesConsistency, // else it waits for the writes of all workers
	)
	if err != nil {
		return fmt.Errorf("list the Secrets: %w", err)
	}
	var errs []error
	for i := range secrets.Items {
		secret := &secrets.Items[i]
		if secret.Name == cert.Spec.SecretName || !ours(secret, cert) {
			continue
		}
		errs = append(errs, r.deleteSecret(ctx, secret))
	}
	return errors.Join(errs...)
}

// deleteSecret deletes secret, unless somebody else has changed it meanwhile.
func (r *CertificateReconciler) deleteSecret(ctx context.Context, secret *corev1.Secret) error {
	unchanged := client.Preconditions{UID: &secret.UID, ResourceVersion: &secret.ResourceVersion}
	err := client.IgnoreNotFound(r.Delete(ctx, secret, unchanged))
	if err != nil {
		return fmt.Errorf("delete the Secret %s: %w", secret.Name, err)
	}
	return nil
}
