package e2e_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	certv1 "github.com/trimtab/trimtab/examples/certrotator/api/v1"

	"github.com/trimtab/trimtab/e2e/internal/authority"
)

// Without a usable CA, nothing new is issued and it is said why; what was
// issued before stays served; and all is well as soon as there is a CA again.
func TestUnusableCA(t *testing.T) {
	leaf := func(t *testing.T, ca *authority.Authority) map[string][]byte {
		t.Helper()
		pair, err := ca.Issue(time.Hour, "no-ca.example")
		require.NoError(t, err)
		return map[string][]byte{"tls.crt": pair.Certificate, "tls.key": pair.Key}
	}
	for name, spoil := range map[string]func(t *testing.T, s *scene){
		"rubbish": func(t *testing.T, s *scene) {
			t.Helper()
			s.writeCA(t, map[string][]byte{"tls.crt": []byte("rubbish"), "tls.key": {0, 1, 2}})
		},
		"swapped-key": func(t *testing.T, s *scene) {
			t.Helper()
			s.writeCA(t, map[string][]byte{"tls.key": leaf(t, s.ca)["tls.key"]})
		},
		"no-ca": func(t *testing.T, s *scene) {
			t.Helper()
			s.writeCA(t, leaf(t, s.ca))
		},
		"deleted": func(t *testing.T, s *scene) {
			t.Helper()
			require.NoError(t, world.Delete(t.Context(), s.ca.Secret(s.caKey.Namespace, s.caKey.Name)))
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			s.startOperator(t, "--rotation-spread=1s")
			old := s.create(t, "old")
			s.served(t, old)
			before := readSecret(t, old)

			spoil(t, s)
			condition(t, old, metav1.ConditionTrue, certv1.ReasonCAUnavailable)
			fresh := s.create(t, "fresh")
			condition(t, fresh, metav1.ConditionFalse, certv1.ReasonCAUnavailable)
			event(t, old, corev1.EventTypeWarning, certv1.ReasonCAUnavailable)
			event(t, fresh, corev1.EventTypeWarning, certv1.ReasonCAUnavailable)
			require.Equal(t, before, readSecret(t, old), "the old Secret was touched")

			s.restoreCA(t)
			s.served(t, old, fresh)
			require.Equal(t, certv1.ReasonIssued, meta.FindStatusCondition(old.Status.Conditions, certv1.ConditionReady).Reason)
		})
	}
}

// restoreCA gives the operator the first CA again.
func (s *scene) restoreCA(t *testing.T) {
	t.Helper()
	secret := s.ca.Secret(s.caKey.Namespace, s.caKey.Name)
	if err := world.Create(t.Context(), secret); err != nil {
		s.writeCA(t, secret.Data)
	}
}
