package controller

import (
	"crypto/x509"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	certv1 "github.com/trimtab/trimtab/examples/certrotator/api/v1"
)

// What is issued, a client accepts and checkSecret finds without fault: for
// every algorithm of the key, and every one of the CA's.
func TestIssue(t *testing.T) {
	for _, algorithm := range keyAlgorithms() {
		t.Run(string(algorithm), func(t *testing.T) {
			t.Parallel()
			ca := testCA{algorithm: algorithm}.authority(t)
			cert := newCertificate()
			cert.Spec.KeyAlgorithm = algorithm
			pair := mustIssue(t, ca, &cert.Spec)

			roots := x509.NewCertPool()
			require.True(t, roots.AppendCertsFromPEM(ca.pem))
			for _, name := range []string{"shop.example.com", "www.shop.example.com"} {
				for _, usage := range []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth} {
					_, err := pair.leaf.Verify(x509.VerifyOptions{
						DNSName:     name,
						Roots:       roots,
						CurrentTime: testNow(),
						KeyUsages:   []x509.ExtKeyUsage{usage},
					})
					require.NoError(t, err)
				}
			}
			require.Equal(t, algorithm, algorithmOf(pair.leaf.PublicKey))

			secret := newSecret(cert, pair, ca)
			leaf, fault := checkSecret(secret, cert, testNow())
			require.Empty(t, fault)
			require.Equal(t, pair.leaf.Raw, leaf.Raw)
			require.Empty(t, checkIssuer(leaf, secret, ca, &cert.Spec))
		})
	}
}

func TestIssueFields(t *testing.T) {
	ca := testCA{}.authority(t)
	cert := newCertificate()
	leaf := mustIssue(t, ca, &cert.Spec).leaf
	other := mustIssue(t, ca, &cert.Spec).leaf

	require.Equal(t, testNow().Add(-backdate), leaf.NotBefore)
	require.Equal(t, testNow().Add(24*time.Hour), leaf.NotAfter)
	require.Equal(t, testNow(), issuedAt(leaf))
	require.False(t, leaf.IsCA)
	require.Equal(t, ca.cert.SubjectKeyId, leaf.AuthorityKeyId)
	require.Len(t, leaf.SubjectKeyId, 20)
	require.GreaterOrEqual(t, leaf.SerialNumber.BitLen(), 64)

	require.NotEqual(t, leaf.SerialNumber, other.SerialNumber)
	require.NotEqual(t, leaf.SubjectKeyId, other.SubjectKeyId, "every issue makes a new key")
}

// A certificate that would outlive its CA ends with it.
func TestIssueEndsWithCA(t *testing.T) {
	end := testNow().Add(time.Hour)
	ca := testCA{change: func(c *x509.Certificate) { c.NotAfter = end }}.authority(t)
	cert := newCertificate()
	pair := mustIssue(t, ca, &cert.Spec)
	require.Equal(t, end, pair.leaf.NotAfter)
	require.True(t, ca.endsWith(pair.leaf))
	require.Empty(t, checkIssuer(pair.leaf, newSecret(cert, pair, ca), ca, &cert.Spec), "its short life is no fault")
}

func TestIssueUnknownAlgorithm(t *testing.T) {
	_, err := issue(testCA{}.authority(t), &certv1.CertificateSpec{
		DNSNames:     []string{"a"},
		Duration:     metav1.Duration{Duration: time.Hour},
		KeyAlgorithm: "DSA",
	}, testNow())
	require.EqualError(t, err, `make a key: key algorithm "DSA" is unknown`)
}
