package e2e_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	certv1 "github.com/trimtab/trimtab/examples/certrotator/api/v1"
)

func TestIssue(t *testing.T) {
	s := newScene(t)
	s.startOperator(t)
	for name, algorithm := range map[string]certv1.KeyAlgorithm{
		"default": "",
		"p256":    certv1.ECDSAP256,
		"p384":    certv1.ECDSAP384,
		"rsa":     certv1.RSA2048,
		"ed":      certv1.Ed25519,
	} {
		cert := s.create(t, name, func(spec *certv1.CertificateSpec) { spec.KeyAlgorithm = algorithm })
		s.served(t, cert)
		event(t, cert, corev1.EventTypeNormal, certv1.EventIssued)
	}
}

// What the API server fills in is issued, too.
func TestIssueWithDefaults(t *testing.T) {
	s := newScene(t)
	s.startOperator(t)
	cert := s.create(t, "a", func(spec *certv1.CertificateSpec) {
		*spec = certv1.CertificateSpec{DNSNames: []string{"*.a.example", "a.example"}, SecretName: "a-tls"}
	})
	s.served(t, cert)
	require.Equal(t, 2160*time.Hour, cert.Spec.Duration.Duration)
	require.WithinDuration(t, cert.Status.NotAfter.Add(-720*time.Hour), cert.Status.RenewalTime.Time, 73*time.Hour,
		"a third before the end, less the jitter")
}

// Every change of the spec is served, and a Secret of the old name is cleared up.
func TestSpecChange(t *testing.T) {
	s := newScene(t)
	s.startOperator(t)
	cert := s.create(t, "a")
	s.served(t, cert)

	for name, edit := range map[string]func(spec *certv1.CertificateSpec){
		"names":     addName,
		"duration":  func(spec *certv1.CertificateSpec) { spec.Duration.Duration = 2 * time.Hour },
		"algorithm": func(spec *certv1.CertificateSpec) { spec.KeyAlgorithm = certv1.Ed25519 },
	} {
		serial := cert.Status.SerialNumber
		change(t, cert, edit)
		s.served(t, cert)
		require.NotEqual(t, serial, cert.Status.SerialNumber, name)
	}

	old := secretKey(cert)
	change(t, cert, func(spec *certv1.CertificateSpec) { spec.SecretName = "b-tls" })
	s.served(t, cert)
	eventually(t, func() error {
		err := world.Get(t.Context(), old, &corev1.Secret{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return errStillThere(old)
	})
}
