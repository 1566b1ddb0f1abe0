package e2e_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	certv1 "github.com/trimtab/trimtab/examples/certrotator/api/v1"
)

// A Secret of somebody else is not touched, and said to be in the way.
func TestForeignSecret(t *testing.T) {
	s := newScene(t)
	s.startOperator(t, "--recheck-interval=2s")
	for name, foreign := range map[string]*corev1.Secret{
		"opaque": {Type: corev1.SecretTypeOpaque, Data: map[string][]byte{"password": []byte("hunter2")}},
		"tls":    s.ca.Secret("", ""),
		"marked": marked(s.ca.Secret("", "")),
		"owned":  owned(s.ca.Secret("", "")),
	} {
		t.Run(name, func(t *testing.T) {
			foreign.Namespace, foreign.Name = s.namespace, name+"-tls"
			require.NoError(t, world.Create(t.Context(), foreign))
			cert := s.create(t, name)
			condition(t, cert, metav1.ConditionFalse, certv1.ReasonSecretConflict)
			event(t, cert, corev1.EventTypeWarning, certv1.ReasonSecretConflict)

			s.served(t, s.create(t, name+"-beside"))
			require.Equal(t, foreign, readSecret(t, cert), "it was overwritten")

			require.NoError(t, world.Delete(t.Context(), foreign))
			s.served(t, cert)
		})
	}
}

// marked adds the operator's label, as somebody may who copies a manifest.
func marked(secret *corev1.Secret) *corev1.Secret {
	secret.Labels = map[string]string{"app.kubernetes.io/managed-by": "certrotator"}
	return secret
}

// owned adds an owner that is no Certificate.
func owned(secret *corev1.Secret) *corev1.Secret {
	secret.OwnerReferences = []metav1.OwnerReference{{
		APIVersion: "v1", Kind: "ConfigMap", Name: "owner", UID: "1", Controller: new(true),
	}}
	return secret
}

// Two Certificates that name the same Secret do not fight over it.
func TestTwoCertificatesForOneSecret(t *testing.T) {
	s := newScene(t)
	s.startOperator(t)
	first := s.create(t, "first")
	s.served(t, first)
	second := s.create(t, "second", func(spec *certv1.CertificateSpec) { spec.SecretName = first.Spec.SecretName })
	condition(t, second, metav1.ConditionFalse, certv1.ReasonSecretConflict)

	s.writes(t)
	s.served(t, s.createMany(t, 8)...)
	for _, w := range s.writes(t) {
		require.NotEqual(t, first.Spec.SecretName, w.Name, "they fight: %s", w)
	}
	s.served(t, first)
}
