package controller

import (
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	certv1 "github.com/trimtab/trimtab/examples/certrotator/api/v1"
)

func TestParseCA(t *testing.T) {
	for _, algorithm := range keyAlgorithms() {
		t.Run(string(algorithm), func(t *testing.T) {
			t.Parallel()
			secret := testCA{algorithm: algorithm}.secret(t)
			ca, err := parseCA(secret, testNow())
			require.NoError(t, err)
			require.Equal(t, secret.Data[corev1.TLSCertKey], ca.pem)
			sum := sha256.Sum256(ca.cert.Raw)
			require.Equal(t, hex.EncodeToString(sum[:]), ca.fingerprint())
		})
	}
}

// Of a chain the first certificate is the CA.
func TestParseCAChain(t *testing.T) {
	secret, root := testCA{}.secret(t), testCA{}.secret(t)
	first := secret.Data[corev1.TLSCertKey]
	secret.Data[corev1.TLSCertKey] = append(slices.Clip(first), root.Data[corev1.TLSCertKey]...)
	ca, err := parseCA(secret, testNow())
	require.NoError(t, err)
	require.Equal(t, first, ca.pem)
}

func TestParseCABad(t *testing.T) {
	good, other := testCA{}.secret(t), testCA{}.secret(t)
	changed := func(change func(*x509.Certificate)) *corev1.Secret { return testCA{change: change}.secret(t) }
	for name, tt := range map[string]struct {
		secret *corev1.Secret
		want   string
	}{
		"no data":        {&corev1.Secret{}, "failed to find any PEM data in certificate input"},
		"rubbish":        {tlsSecret([]byte("rubbish"), []byte("rubbish")), "failed to find any PEM data in certificate input"},
		"rubbish in key": {tlsSecret(good.Data[corev1.TLSCertKey], []byte("rubbish")), "failed to find any PEM data in key input"},
		"another's key":  {tlsSecret(good.Data[corev1.TLSCertKey], other.Data[corev1.TLSPrivateKeyKey]), "does not match"},
		"a leaf":         {changed(func(c *x509.Certificate) { c.IsCA = false }), "its certificate is not one of a CA"},
		"no constraints": {changed(func(c *x509.Certificate) { c.IsCA, c.BasicConstraintsValid = false, false }), "its certificate is not one of a CA"},
		"may not sign":   {changed(func(c *x509.Certificate) { c.KeyUsage = x509.KeyUsageCRLSign }), "its certificate may not sign others"},
		"expired":        {changed(func(c *x509.Certificate) { c.NotAfter = testNow() }), "its certificate has expired at 2026-06-01T12:00:00Z"},
		"not yet":        {changed(func(c *x509.Certificate) { c.NotBefore = testNow().Add(time.Second) }), "its certificate is not valid before 2026-06-01T12:00:01Z"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parseCA(tt.secret, testNow())
			require.ErrorContains(t, err, tt.want)
		})
	}
}

// A CA certificate that was made anew for the same key is another CA: clients
// find it in ca.crt.
func TestSignedComparesBundle(t *testing.T) {
	ca := testCA{}.authority(t)
	leaf := mustIssue(t, ca, &certv1.CertificateSpec{DNSNames: []string{"a"}, KeyAlgorithm: certv1.ECDSAP256}).leaf
	require.True(t, ca.signed(leaf, ca.pem))
	require.False(t, ca.signed(leaf, nil))
}
