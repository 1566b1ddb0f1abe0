package authority_test

import (
	"crypto/tls"
	"crypto/x509"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/e2e/internal/authority"
)

func TestIssue(t *testing.T) {
	ca, err := authority.New("test")
	require.NoError(t, err)
	issued, err := ca.Issue(time.Hour, "a.example", "b.example")
	require.NoError(t, err)
	pair, err := tls.X509KeyPair(issued.Certificate, issued.Key)
	require.NoError(t, err)

	roots := x509.NewCertPool()
	require.True(t, roots.AppendCertsFromPEM(ca.PEM()))
	_, err = pair.Leaf.Verify(x509.VerifyOptions{Roots: roots, DNSName: "b.example"})
	require.NoError(t, err)
	require.WithinDuration(t, time.Now().Add(time.Hour), pair.Leaf.NotAfter, time.Minute)
}

func TestSecretHoldsAPair(t *testing.T) {
	ca, err := authority.New("test")
	require.NoError(t, err)
	secret := ca.Secret("ns", "ca")
	pair, err := tls.X509KeyPair(secret.Data["tls.crt"], secret.Data["tls.key"])
	require.NoError(t, err)
	require.True(t, pair.Leaf.IsCA)
	require.Equal(t, ca.Certificate.Raw, pair.Leaf.Raw)
}

// Two CAs of the same name are two CAs.
func TestCAsAreDifferent(t *testing.T) {
	first, err := authority.New("test")
	require.NoError(t, err)
	second, err := authority.New("test")
	require.NoError(t, err)
	issued, err := second.Issue(time.Hour, "a.example")
	require.NoError(t, err)
	pair, err := tls.X509KeyPair(issued.Certificate, issued.Key)
	require.NoError(t, err)
	require.Error(t, pair.Leaf.CheckSignatureFrom(first.Certificate))
}
