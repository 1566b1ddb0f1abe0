package e2e_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	certv1 "github.com/trimtab/trimtab/examples/certrotator/api/v1"

	"github.com/trimtab/trimtab/e2e/internal/certcheck"
)

// create creates a certificate; edit may change it before.
func (s *scene) create(tb testing.TB, name string, edit ...func(spec *certv1.CertificateSpec)) *certv1.Certificate {
	tb.Helper()
	cert := &certv1.Certificate{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: name},
		Spec: certv1.CertificateSpec{
			DNSNames:   []string{name + ".example"},
			Duration:   metav1.Duration{Duration: time.Hour},
			SecretName: name + "-tls",
		},
	}
	for _, e := range edit {
		e(&cert.Spec)
	}
	require.NoError(tb, world.Create(tb.Context(), cert))
	return cert
}

// createMany creates n certificates.
func (s *scene) createMany(t *testing.T, n int, edit ...func(spec *certv1.CertificateSpec)) []*certv1.Certificate {
	t.Helper()
	certs := make([]*certv1.Certificate, n)
	for i := range certs {
		certs[i] = s.create(t, fmt.Sprintf("cert-%03d", i), edit...)
	}
	return certs
}

// change edits the spec of a certificate, whatever happens to its status.
func change(t *testing.T, cert *certv1.Certificate, edit func(spec *certv1.CertificateSpec)) {
	t.Helper()
	before := client.MergeFrom(cert.DeepCopy())
	edit(&cert.Spec)
	require.NoError(t, world.Patch(t.Context(), cert, before))
}

// addName is an edit that asks for one more name.
func addName(spec *certv1.CertificateSpec) {
	spec.DNSNames = append(spec.DNSNames, fmt.Sprintf("v%d.%s", len(spec.DNSNames), spec.DNSNames[0]))
}

// lives is an edit that sets the lifetime.
func lives(duration, renewBefore time.Duration) func(spec *certv1.CertificateSpec) {
	return func(spec *certv1.CertificateSpec) {
		spec.Duration.Duration = duration
		spec.RenewBefore = &metav1.Duration{Duration: renewBefore}
	}
}

// secretKey names a certificate's Secret.
func secretKey(cert *certv1.Certificate) types.NamespacedName {
	return types.NamespacedName{Namespace: cert.Namespace, Name: cert.Spec.SecretName}
}

// read refreshes a certificate and returns its Secret.
func read(t *testing.T, cert *certv1.Certificate) (*corev1.Secret, error) {
	t.Helper()
	if err := world.Get(t.Context(), client.ObjectKeyFromObject(cert), cert); err != nil {
		return nil, err
	}
	secret := &corev1.Secret{}
	return secret, world.Get(t.Context(), secretKey(cert), secret)
}

// readSecret returns a certificate's Secret, which must be there.
func readSecret(t *testing.T, cert *certv1.Certificate) *corev1.Secret {
	t.Helper()
	secret, err := read(t, cert)
	require.NoError(t, err)
	return secret
}

// served waits until all the certificates are served by the scene's CA.
func (s *scene) served(t *testing.T, certs ...*certv1.Certificate) {
	t.Helper()
	for _, cert := range certs {
		eventually(t, func() error { return s.fault(t, cert) })
	}
}

// fault returns what is wrong with a certificate now.
func (s *scene) fault(t *testing.T, cert *certv1.Certificate) error {
	t.Helper()
	spec := cert.Spec.DeepCopy()
	secret, err := read(t, cert)
	if err != nil {
		return fmt.Errorf("%s: %w", cert.Name, err)
	}
	if !metav1.IsControlledBy(secret, cert) {
		return fmt.Errorf("%s: the Secret is not owned", cert.Name)
	}
	require.Equal(t, spec, &cert.Spec, "the spec is what was written last")
	if err := certcheck.Served(cert, secret, s.ca.Certificate, time.Now()); err != nil {
		return fmt.Errorf("%s: %w", cert.Name, err)
	}
	return nil
}

// condition waits for the condition Ready with that status and reason.
func condition(t *testing.T, cert *certv1.Certificate, status metav1.ConditionStatus, reason string) {
	t.Helper()
	eventually(t, func() error {
		if err := world.Get(t.Context(), client.ObjectKeyFromObject(cert), cert); err != nil {
			return err
		}
		ready := meta.FindStatusCondition(cert.Status.Conditions, certv1.ConditionReady)
		if ready == nil || ready.Status != status || ready.Reason != reason {
			return fmt.Errorf("%s: the condition is %+v", cert.Name, ready)
		}
		if ready.Message == "" || ready.ObservedGeneration != cert.Generation {
			return fmt.Errorf("%s: the condition says too little: %+v", cert.Name, ready)
		}
		return nil
	})
}

// event waits for an event about a certificate.
func event(t *testing.T, cert *certv1.Certificate, kind, reason string) {
	t.Helper()
	eventually(t, func() error {
		events := &eventsv1.EventList{}
		if err := world.List(t.Context(), events, client.InNamespace(cert.Namespace)); err != nil {
			return err
		}
		for i := range events.Items {
			e := &events.Items[i]
			if e.Regarding.Name == cert.Name && e.Regarding.UID == cert.UID && e.Type == kind && e.Reason == reason && e.Note != "" {
				return nil
			}
		}
		return errors.New("no event " + kind + " " + reason + " about " + cert.Name)
	})
}

// errStillThere says that an object should be gone.
func errStillThere(key types.NamespacedName) error {
	return fmt.Errorf("%s is still there", key)
}
