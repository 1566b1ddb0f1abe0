package certcheck

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	certv1 "github.com/trimtab/trimtab/examples/certrotator/api/v1"
)

// Served returns what is wrong with a Certificate or its Secret at that time:
// it must be ready, and the Secret must hold what the spec asks for, signed by
// ca. All faults are joined.
func Served(cert *certv1.Certificate, secret *corev1.Secret, ca *x509.Certificate, now time.Time) error {
	return errors.Join(ready(cert), Secret(cert, secret, ca, now), status(cert, secret, ca))
}

// Secret returns what is wrong with the Secret of a Certificate at that time.
func Secret(cert *certv1.Certificate, secret *corev1.Secret, ca *x509.Certificate, now time.Time) error {
	if secret.Type != corev1.SecretTypeTLS {
		return fmt.Errorf("the Secret is of type %s", secret.Type)
	}
	pair, err := tls.X509KeyPair(secret.Data[corev1.TLSCertKey], secret.Data[corev1.TLSPrivateKeyKey])
	if err != nil {
		return err // that the key does not fit is also found here
	}
	return errors.Join(
		verify(pair.Leaf, ca, now),
		names(cert.Spec.DNSNames, pair.Leaf.DNSNames),
		algorithm(cert.Spec.KeyAlgorithm, pair.Leaf.PublicKey),
		lifetime(cert, pair.Leaf),
		bundle(secret.Data["ca.crt"], ca),
		owner(cert, secret),
	)
}

// Leaf parses the certificate in a Secret; nil if there is none in it.
func Leaf(secret *corev1.Secret) *x509.Certificate {
	block, _ := pem.Decode(secret.Data[corev1.TLSCertKey])
	if block == nil {
		return nil
	}
	leaf, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return nil
	}
	return leaf
}

// Ready tells whether the Certificate's status says that its present spec is
// served.
func Ready(cert *certv1.Certificate) bool {
	return ready(cert) == nil
}

func ready(cert *certv1.Certificate) error {
	condition := meta.FindStatusCondition(cert.Status.Conditions, certv1.ConditionReady)
	switch {
	case condition == nil:
		return errors.New("no condition Ready")
	case condition.Status != metav1.ConditionTrue:
		return fmt.Errorf("not ready: %s: %s", condition.Reason, condition.Message)
	case cert.Status.ObservedGeneration != cert.Generation:
		return fmt.Errorf("ready for generation %d, not %d", cert.Status.ObservedGeneration, cert.Generation)
	}
	return nil
}

// status compares what the status says with what the Secret holds.
func status(cert *certv1.Certificate, secret *corev1.Secret, ca *x509.Certificate) error {
	leaf := Leaf(secret)
	if leaf == nil {
		return nil // Secret has said so
	}
	fingerprint := sha256.Sum256(ca.Raw)
	switch {
	case cert.Status.NotAfter == nil || !cert.Status.NotAfter.Time.Equal(leaf.NotAfter):
		return fmt.Errorf("the status says notAfter %v, the certificate %v", cert.Status.NotAfter, leaf.NotAfter)
	case !strings.EqualFold(cert.Status.IssuerFingerprint, hex.EncodeToString(fingerprint[:])):
		return errors.New("the status names another CA")
	case cert.Status.RenewalTime == nil || !cert.Status.RenewalTime.Time.Before(leaf.NotAfter):
		return fmt.Errorf("the status says renewalTime %v, not before the end at %v", cert.Status.RenewalTime, leaf.NotAfter)
	}
	return nil
}

func verify(leaf, ca *x509.Certificate, now time.Time) error {
	roots := x509.NewCertPool()
	roots.AddCert(ca)
	_, err := leaf.Verify(x509.VerifyOptions{
		Roots:       roots,
		CurrentTime: now,
		KeyUsages:   []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	})
	return err
}

func names(want, got []string) error {
	want, got = slices.Sorted(slices.Values(want)), slices.Sorted(slices.Values(got))
	if !slices.Equal(want, got) {
		return fmt.Errorf("the certificate is for %v, not %v", got, want)
	}
	return nil
}

// lifetime compares the end with the duration from the start; the start may
// lie a little before the issue, so a longer life is no fault up to an hour.
func lifetime(cert *certv1.Certificate, leaf *x509.Certificate) error {
	life, want := leaf.NotAfter.Sub(leaf.NotBefore), cert.Spec.Duration.Duration
	if life < want-time.Second || life > want+time.Hour {
		return fmt.Errorf("the certificate lives %s, not %s", life, want)
	}
	return nil
}

func algorithm(want certv1.KeyAlgorithm, key crypto.PublicKey) error {
	got := "unknown"
	switch k := key.(type) {
	case *ecdsa.PublicKey:
		got = "ECDSA-" + strings.ReplaceAll(k.Curve.Params().Name, "-", "")
	case *rsa.PublicKey:
		got = fmt.Sprintf("RSA-%d", k.N.BitLen())
	case ed25519.PublicKey:
		got = "Ed25519"
	}
	if got != string(want) {
		return fmt.Errorf("the key is %s, not %s", got, want)
	}
	return nil
}

func bundle(content []byte, ca *x509.Certificate) error {
	block, _ := pem.Decode(content)
	if block == nil || !bytes.Equal(block.Bytes, ca.Raw) {
		return errors.New("ca.crt is not the current CA")
	}
	return nil
}

func owner(cert *certv1.Certificate, secret *corev1.Secret) error {
	if !metav1.IsControlledBy(secret, cert) {
		return errors.New("the Certificate does not own the Secret")
	}
	return nil
}
