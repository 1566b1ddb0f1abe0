package controller

import (
	"crypto/elliptic"
	"crypto/x509"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	certv1 "github.com/trimtab/trimtab/examples/certrotator/api/v1"
)

// world is a Certificate that was issued, and what may happen to it.
type world struct {
	t      *testing.T
	cert   *certv1.Certificate
	secret *corev1.Secret
	ca     *authority
	now    time.Time
}

func newWorld(t *testing.T) *world {
	t.Helper()
	ca := testCA{}.authority(t)
	cert := newCertificate()
	return &world{t: t, cert: cert, secret: newSecret(cert, mustIssue(t, ca, &cert.Spec), ca), ca: ca, now: testNow()}
}

// fault is what the reconciler finds.
func (w *world) fault() string {
	leaf, fault := checkSecret(w.secret, w.cert, w.now)
	if fault == "" {
		fault = checkIssuer(leaf, w.secret, w.ca, &w.cert.Spec)
	}
	return fault
}

func TestCheck(t *testing.T) {
	const (
		noPair       = "tls.crt and tls.key were no pair"
		unmarked     = "the Secret had lost its labels or its owner"
		otherNames   = "the one before was for other names"
		otherCA      = "the one before was not by the present CA"
		otherLife    = "the one before was for another duration"
		moreThanOne  = "tls.crt had more in it than one certificate"
		otherKey     = "the key before was of another algorithm"
		notYet       = "the one before was not valid yet"
		noSecretLeft = "there was no Secret"
	)
	for name, tt := range map[string]struct {
		happens func(*world)
		want    string // the fault begins with it; "" for none
	}{
		"nothing": {func(*world) {}, ""},
		"names in order": {func(w *world) {
			w.cert.Spec.DNSNames = []string{"*.shop.example.com", "shop.example.com"}
		}, ""},
		"a further key":     {func(w *world) { w.secret.Data["keystore.p12"] = []byte("x") }, ""},
		"renewBefore":       {func(w *world) { w.cert.Spec.RenewBefore = &metav1.Duration{Duration: time.Hour} }, ""},
		"a part of second":  {func(w *world) { w.cert.Spec.Duration.Duration += time.Millisecond }, ""},
		"deleted":           {func(w *world) { w.secret = nil }, noSecretLeft},
		"rubbish in cert":   {func(w *world) { w.secret.Data["tls.crt"] = []byte("rubbish") }, noPair},
		"no cert":           {func(w *world) { delete(w.secret.Data, "tls.crt") }, noPair},
		"rubbish in key":    {func(w *world) { w.secret.Data["tls.key"] = []byte("rubbish") }, noPair},
		"no data":           {func(w *world) { w.secret.Data = nil }, noPair},
		"another's key":     {func(w *world) { w.secret.Data["tls.key"] = mustIssue(w.t, w.ca, &w.cert.Spec).key }, noPair},
		"a second cert":     {func(w *world) { w.secret.Data["tls.crt"] = append(w.secret.Data["tls.crt"], w.ca.pem...) }, moreThanOne},
		"text after cert":   {func(w *world) { w.secret.Data["tls.crt"] = append(w.secret.Data["tls.crt"], "text"...) }, moreThanOne},
		"rubbish in ca.crt": {func(w *world) { w.secret.Data["ca.crt"] = []byte("rubbish") }, otherCA},
		"no ca.crt":         {func(w *world) { delete(w.secret.Data, "ca.crt") }, otherCA},
		"a new CA":          {func(w *world) { w.ca = testCA{}.authority(w.t) }, otherCA},
		"CA in ca.crt only": {func(w *world) { w.ca = testCA{}.authority(w.t); w.secret.Data["ca.crt"] = w.ca.pem }, otherCA},
		"self-signed": {func(w *world) {
			w.secret.Data = selfSigned(w.t, w.cert).Data
			w.secret.Data["ca.crt"] = w.ca.pem
		}, otherCA},
		"another name":   {func(w *world) { w.cert.Spec.DNSNames[0] = "store.example.com" }, otherNames},
		"a name less":    {func(w *world) { w.cert.Spec.DNSNames = w.cert.Spec.DNSNames[:1] }, otherNames},
		"longer":         {func(w *world) { w.cert.Spec.Duration.Duration += time.Second }, otherLife},
		"shorter":        {func(w *world) { w.cert.Spec.Duration.Duration -= time.Second }, otherLife},
		"algorithm":      {func(w *world) { w.cert.Spec.KeyAlgorithm = certv1.Ed25519 }, otherKey},
		"clock set back": {func(w *world) { w.now = w.now.Add(-backdate - 1) }, notYet},
		"no label":       {func(w *world) { delete(w.secret.Labels, managedByLabel) }, unmarked},
		"no UID":         {func(w *world) { delete(w.secret.Labels, certificateLabel) }, unmarked},
		"no owner":       {func(w *world) { w.secret.OwnerReferences = nil }, unmarked},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			tt.happens(w)
			if tt.want == "" {
				require.Empty(t, w.fault())
			} else {
				require.Contains(t, w.fault(), tt.want)
			}
		})
	}
}

// selfSigned returns a Secret with what spec asks for, but by no CA.
func selfSigned(t *testing.T, cert *certv1.Certificate) *corev1.Secret {
	t.Helper()
	return testCA{change: func(c *x509.Certificate) {
		c.DNSNames = cert.Spec.DNSNames
		c.NotBefore, c.NotAfter = testNow().Add(-backdate), testNow().Add(lifetime(&cert.Spec))
	}}.secret(t)
}

func TestAlgorithmOfOthers(t *testing.T) {
	require.Empty(t, algorithmOf(nil))
	require.Empty(t, algorithmOf(elliptic.P256()))
}
