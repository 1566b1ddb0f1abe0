package e2e_test

import (
	"context"
	"crypto/x509"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	certv1 "github.com/trimtab/trimtab/examples/certrotator/api/v1"

	"github.com/trimtab/trimtab/e2e/internal/certcheck"
	"github.com/trimtab/trimtab/e2e/internal/cluster"
	"github.com/trimtab/trimtab/e2e/internal/ledger"
)

// A certificate is renewed at the time that its status promised, and none is
// ever served past its end.
func TestRenewal(t *testing.T) {
	s := newScene(t)
	s.startOperator(t)
	book := follow(t)

	certs := s.createMany(t, 10, lives(16*time.Second, 10*time.Second))
	s.served(t, certs...)
	for range 2 {
		old, promised := map[types.UID]*x509.Certificate{}, map[types.UID]time.Time{}
		for _, cert := range certs {
			old[cert.UID] = certcheck.Leaf(readSecret(t, cert))
			promised[cert.UID] = cert.Status.RenewalTime.Time
		}
		for _, cert := range certs {
			requireRenewed(t, nextLeaf(t, cert, old[cert.UID]), old[cert.UID], promised[cert.UID])
		}
		s.served(t, certs...)
	}
	event(t, certs[0], corev1.EventTypeNormal, certv1.EventRenewed)
	require.Empty(t, book.Expired(time.Now()))
}

// requireRenewed fails if a certificate was not renewed between the promised
// time and the end of the old one. The operator dates back by a minute, and
// counts whole seconds.
func requireRenewed(t *testing.T, renewed, old *x509.Certificate, promised time.Time) {
	t.Helper()
	issued := renewed.NotBefore.Add(time.Minute)
	require.False(t, issued.Before(promised.Add(-time.Second)), "renewed at %s, before %s", issued, promised)
	require.True(t, issued.Before(old.NotAfter), "renewed at %s, after the end at %s", issued, old.NotAfter)
}

// nextLeaf waits until a Secret holds another certificate.
func nextLeaf(t *testing.T, cert *certv1.Certificate, old *x509.Certificate) *x509.Certificate {
	t.Helper()
	var next *x509.Certificate
	eventually(t, func() error {
		secret, err := read(t, cert)
		if err != nil {
			return err
		}
		if next = certcheck.Leaf(secret); next == nil || next.SerialNumber.Cmp(old.SerialNumber) == 0 {
			return errors.New(cert.Name + " is not renewed")
		}
		return nil
	})
	return next
}

// follow keeps a ledger during the test.
func follow(t *testing.T) *ledger.Ledger {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	scheme, err := cluster.Scheme()
	require.NoError(t, err)
	book := ledger.New()
	require.NoError(t, book.Follow(ctx, world.Config(), scheme))
	return book
}
