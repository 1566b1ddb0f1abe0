package e2e_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	certv1 "github.com/trimtab/trimtab/examples/certrotator/api/v1"

	"github.com/trimtab/trimtab/e2e/internal/authority"
)

// Whatever is done to a Secret, it is soon as it should be.
func TestRepair(t *testing.T) {
	s := newScene(t)
	s.startOperator(t)
	other, err := authority.New("another CA")
	require.NoError(t, err)

	for name, spoil := range map[string]func(secret *corev1.Secret, forged authority.Pair){
		"swapped-key":  func(secret *corev1.Secret, forged authority.Pair) { secret.Data["tls.key"] = forged.Key },
		"swapped-cert": func(secret *corev1.Secret, forged authority.Pair) { secret.Data["tls.crt"] = forged.Certificate },
		"other-ca": func(secret *corev1.Secret, forged authority.Pair) {
			secret.Data["tls.crt"], secret.Data["tls.key"] = forged.Certificate, forged.Key
		},
		"other-ca-bundle": func(secret *corev1.Secret, forged authority.Pair) {
			secret.Data["tls.crt"], secret.Data["tls.key"] = forged.Certificate, forged.Key
			secret.Data["ca.crt"] = other.PEM()
		},
		"rubbish":   func(secret *corev1.Secret, _ authority.Pair) { secret.Data["tls.crt"] = []byte("rubbish") },
		"emptied":   func(secret *corev1.Secret, _ authority.Pair) { secret.Data["tls.key"] = []byte{} },
		"no-bundle": func(secret *corev1.Secret, _ authority.Pair) { delete(secret.Data, "ca.crt") },
		"immutable": func(secret *corev1.Secret, forged authority.Pair) {
			secret.Data["tls.key"], secret.Immutable = forged.Key, new(true)
		},
		"no-labels": func(secret *corev1.Secret, _ authority.Pair) {
			delete(secret.Labels, "app.kubernetes.io/managed-by")
			secret.Data["tls.crt"] = []byte("rubbish")
		},
		"no-owner": func(secret *corev1.Secret, _ authority.Pair) {
			secret.OwnerReferences = nil
			secret.Data["tls.crt"] = []byte("rubbish")
		},
	} {
		t.Run(name, func(t *testing.T) {
			cert := s.create(t, name)
			s.served(t, cert)
			forged, err := other.Issue(time.Hour, cert.Spec.DNSNames...)
			require.NoError(t, err)

			secret := readSecret(t, cert)
			before := client.MergeFrom(secret.DeepCopy())
			spoil(secret, forged)
			require.NoError(t, world.Patch(t.Context(), secret, before))

			s.repaired(t, cert)
		})
	}
	t.Run("deleted", func(t *testing.T) {
		cert := s.create(t, "deleted")
		s.served(t, cert)
		require.NoError(t, world.Delete(t.Context(), readSecret(t, cert)))
		s.repaired(t, cert)
	})
}

// repaired waits until a certificate is served again, all marks included.
func (s *scene) repaired(t *testing.T, cert *certv1.Certificate) {
	t.Helper()
	s.served(t, cert)
	require.Equal(t, "certrotator", readSecret(t, cert).Labels["app.kubernetes.io/managed-by"])
	event(t, cert, corev1.EventTypeNormal, certv1.EventRepaired)
}
