package controller

import (
	"crypto"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	certv1 "github.com/trimtab/trimtab/examples/certrotator/api/v1"
)

// testNow is a whole second, as X.509 knows them.
func testNow() time.Time { return time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC) }

// testCA describes a CA; its zero value is a good one, valid for a year.
type testCA struct {
	algorithm certv1.KeyAlgorithm
	change    func(*x509.Certificate)
}

func (c testCA) secret(t *testing.T) *corev1.Secret {
	t.Helper()
	if c.algorithm == "" {
		c.algorithm = certv1.ECDSAP256
	}
	key, err := newKey(c.algorithm)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: "test CA"},
		NotBefore:             testNow().Add(-time.Hour),
		NotAfter:              testNow().AddDate(1, 0, 0),
		KeyUsage:              x509.KeyUsageCertSign,
		BasicConstraintsValid: true,
		IsCA:                  true,
	}
	if c.change != nil {
		c.change(template)
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)
	return tlsSecret(encodeCert(der), keyPEM(t, key))
}

func (c testCA) authority(t *testing.T) *authority {
	t.Helper()
	ca, err := parseCA(c.secret(t), testNow())
	require.NoError(t, err)
	return ca
}

func keyPEM(t *testing.T, key crypto.Signer) []byte {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
}

func tlsSecret(cert, key []byte) *corev1.Secret {
	return &corev1.Secret{
		Type: corev1.SecretTypeTLS,
		Data: map[string][]byte{corev1.TLSCertKey: cert, corev1.TLSPrivateKeyKey: key},
	}
}

// newCertificate returns a Certificate as the API server stores one.
func newCertificate() *certv1.Certificate {
	return &certv1.Certificate{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "shop", UID: "uid-of-shop", Generation: 1},
		Spec: certv1.CertificateSpec{
			DNSNames:     []string{"shop.example.com", "*.shop.example.com"},
			Duration:     metav1.Duration{Duration: 24 * time.Hour},
			SecretName:   "shop-tls",
			KeyAlgorithm: certv1.ECDSAP256,
		},
	}
}

// newSecret returns the Secret that the operator makes of pair.
func newSecret(cert *certv1.Certificate, pair *keyPair, ca *authority) *corev1.Secret {
	secret := tlsSecret(pair.cert, pair.key)
	secret.Data[corev1.ServiceAccountRootCAKey] = ca.pem
	secret.Labels = map[string]string{managedByLabel: managedBy, certificateLabel: string(cert.UID)}
	secret.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(cert, certv1.GroupVersion.WithKind("Certificate"))}
	return secret
}

func mustIssue(t *testing.T, ca *authority, spec *certv1.CertificateSpec) *keyPair {
	t.Helper()
	pair, err := issue(ca, spec, testNow())
	require.NoError(t, err)
	return pair
}
