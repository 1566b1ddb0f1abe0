package controller

import (
	"bytes"
	"context"
	"crypto"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	certv1 "github.com/trimtab/trimtab/examples/certrotator/api/v1"
	"github.com/trimtab/trimtab/reconcile"
)

// authority is the CA: its certificate and the key that signs.
type authority struct {
	cert *x509.Certificate
	key  crypto.PrivateKey
	pem  []byte // of the certificate, as it goes into ca.crt
}

// readCA returns the present CA, or a caUnavailable error.
func (r *CertificateReconciler) readCA(ctx context.Context) (*authority, error) {
	secret := &corev1.Secret{}
	err := r.CAReader.Get(ctx, r.CASecret, secret)
	if apierrors.IsNotFound(err) {
		return nil, caUnavailable(fmt.Sprintf("There is no Secret %s with the CA.", r.CASecret))
	}
	if err != nil {
		return nil, fmt.Errorf("read the CA: %w", err)
	}
	ca, err := parseCA(secret, time.Now())
	if err != nil {
		return nil, caUnavailable(fmt.Sprintf("The Secret %s is of no use as a CA: %v.", r.CASecret, err))
	}
	return ca, nil
}

// parseCA returns the CA in secret: the first certificate in tls.crt, with the
// key in tls.key. The errors show nothing of the key.
func parseCA(secret *corev1.Secret, now time.Time) (*authority, error) {
	pair, err := tls.X509KeyPair(secret.Data[corev1.TLSCertKey], secret.Data[corev1.TLSPrivateKeyKey])
	if err != nil {
		return nil, err
	}
	cert := pair.Leaf
	switch {
	case !cert.BasicConstraintsValid || !cert.IsCA:
		return nil, errors.New("its certificate is not one of a CA")
	case cert.KeyUsage != 0 && cert.KeyUsage&x509.KeyUsageCertSign == 0:
		return nil, errors.New("its certificate may not sign others")
	case now.Before(cert.NotBefore):
		return nil, fmt.Errorf("its certificate is not valid before %s", text(cert.NotBefore))
	case !now.Before(cert.NotAfter):
		return nil, fmt.Errorf("its certificate has expired at %s", text(cert.NotAfter))
	}
	return &authority{cert: cert, key: pair.PrivateKey, pem: encodeCert(cert.Raw)}, nil
}

// fingerprint is the SHA-256 of the CA's certificate, in hexadecimal.
func (a *authority) fingerprint() string {
	sum := sha256.Sum256(a.cert.Raw)
	return hex.EncodeToString(sum[:])
}

// endsWith reports whether leaf ends when the CA does. Then there is nothing to
// gain by a renewal until the CA is replaced.
func (a *authority) endsWith(leaf *x509.Certificate) bool {
	return leaf.NotAfter.Equal(a.cert.NotAfter)
}

// signed reports whether the CA has signed leaf and bundle is the CA's
// certificate.
func (a *authority) signed(leaf *x509.Certificate, bundle []byte) bool {
	return leaf.CheckSignatureFrom(a.cert) == nil && bytes.Equal(bundle, a.pem)
}

func text(t time.Time) string { return t.UTC().Format(time.RFC3339) }

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
