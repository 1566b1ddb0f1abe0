package certcheck_test

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	certv1 "github.com/trimtab/trimtab/examples/certrotator/api/v1"

	"github.com/trimtab/trimtab/e2e/internal/authority"
	"github.com/trimtab/trimtab/e2e/internal/certcheck"
)

// world is a Certificate that is served well.
type world struct {
	ca     *authority.Authority
	cert   *certv1.Certificate
	secret *corev1.Secret
	now    time.Time
}

func newWorld(t *testing.T) *world {
	t.Helper()
	ca, err := authority.New("first")
	require.NoError(t, err)
	pair, err := ca.Issue(time.Hour, "a.example", "b.example")
	require.NoError(t, err)
	w := &world{ca: ca, now: time.Now()}
	w.cert = certificate()
	w.secret = ca.Secret("ns", "a-tls")
	w.secret.Data = map[string][]byte{"tls.crt": pair.Certificate, "tls.key": pair.Key, "ca.crt": ca.PEM()}
	w.secret.OwnerReferences = []metav1.OwnerReference{
		*metav1.NewControllerRef(w.cert, certv1.GroupVersion.WithKind("Certificate")),
	}
	leaf := certcheck.Leaf(w.secret)
	fingerprint := sha256.Sum256(ca.Certificate.Raw)
	w.cert.Status.NotAfter = new(metav1.NewTime(leaf.NotAfter))
	w.cert.Status.RenewalTime = new(metav1.NewTime(leaf.NotAfter.Add(-time.Minute)))
	w.cert.Status.IssuerFingerprint = hex.EncodeToString(fingerprint[:])
	return w
}

func certificate() *certv1.Certificate {
	return &certv1.Certificate{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "a", UID: "1", Generation: 2},
		Spec: certv1.CertificateSpec{
			DNSNames:     []string{"b.example", "a.example"},
			Duration:     metav1.Duration{Duration: time.Hour},
			SecretName:   "a-tls",
			KeyAlgorithm: certv1.ECDSAP256,
		},
		Status: certv1.CertificateStatus{
			ObservedGeneration: 2,
			Conditions:         []metav1.Condition{{Type: certv1.ConditionReady, Status: metav1.ConditionTrue}},
		},
	}
}

func TestServed(t *testing.T) {
	w := newWorld(t)
	require.NoError(t, certcheck.Served(w.cert, w.secret, w.ca.Certificate, w.now))
	require.True(t, certcheck.Ready(w.cert))
}

func TestServedFindsTheFault(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(t *testing.T, w *world)
		want  string
	}{
		"no condition":      {func(_ *testing.T, w *world) { w.cert.Status.Conditions = nil }, "no condition Ready"},
		"not ready":         {func(_ *testing.T, w *world) { w.cert.Status.Conditions[0].Status = "False" }, "not ready"},
		"old generation":    {func(_ *testing.T, w *world) { w.cert.Generation = 3 }, "ready for generation 2, not 3"},
		"type":              {func(_ *testing.T, w *world) { w.secret.Type = corev1.SecretTypeOpaque }, "of type Opaque"},
		"empty":             {func(_ *testing.T, w *world) { w.secret.Data = nil }, "failed to find any PEM data"},
		"expired":           {func(_ *testing.T, w *world) { w.now = w.now.Add(2 * time.Hour) }, "expired"},
		"names":             {func(_ *testing.T, w *world) { w.cert.Spec.DNSNames = []string{"c.example"} }, "is for [a.example b.example]"},
		"algorithm":         {func(_ *testing.T, w *world) { w.cert.Spec.KeyAlgorithm = certv1.RSA2048 }, "the key is ECDSA-P256"},
		"lifetime":          {func(_ *testing.T, w *world) { w.cert.Spec.Duration.Duration = 9 * time.Hour }, "lives"},
		"owner":             {func(_ *testing.T, w *world) { w.secret.OwnerReferences = nil }, "does not own"},
		"no ca.crt":         {func(_ *testing.T, w *world) { delete(w.secret.Data, "ca.crt") }, "not the current CA"},
		"notAfter":          {func(_ *testing.T, w *world) { w.cert.Status.NotAfter = nil }, "notAfter"},
		"renewal after end": {func(_ *testing.T, w *world) { w.cert.Status.RenewalTime = w.cert.Status.NotAfter }, "renewalTime"},
		"fingerprint":       {func(_ *testing.T, w *world) { w.cert.Status.IssuerFingerprint = "00" }, "another CA"},
		"swapped key": {func(t *testing.T, w *world) {
			t.Helper()
			other, err := w.ca.Issue(time.Hour, "a.example")
			require.NoError(t, err)
			w.secret.Data["tls.key"] = other.Key
		}, "private key does not match"},
		"replaced CA": {func(t *testing.T, w *world) {
			t.Helper()
			ca, err := authority.New("first")
			require.NoError(t, err)
			w.ca = ca
		}, "unknown authority"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			c.spoil(t, w)
			require.ErrorContains(t, certcheck.Served(w.cert, w.secret, w.ca.Certificate, w.now), c.want)
		})
	}
}

func TestLeafOfRubbish(t *testing.T) {
	require.Nil(t, certcheck.Leaf(&corev1.Secret{}))
	require.Nil(t, certcheck.Leaf(&corev1.Secret{Data: map[string][]byte{
		"tls.crt": []byte("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"),
	}}))
}
