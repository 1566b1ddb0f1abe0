package controller

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	certv1 "github.com/trimtab/trimtab/examples/certrotator/api/v1"
)

// renewalDue is the fault of a certificate that will end soon.
const renewalDue = "the one before was due for renewal"

// checkSecret returns the certificate in secret, or what is wrong with it for
// cert. Whether the present CA has signed it is for checkIssuer.
func checkSecret(secret *corev1.Secret, cert *certv1.Certificate, now time.Time) (leaf *x509.Certificate, fault string) {
	if secret == nil {
		return nil, "there was no Secret"
	}
	if !marked(secret, cert) {
		return nil, "the Secret had lost its labels or its owner"
	}
	certPEM := secret.Data[corev1.TLSCertKey]
	pair, err := tls.X509KeyPair(certPEM, secret.Data[corev1.TLSPrivateKeyKey])
	if err != nil {
		return nil, "tls.crt and tls.key were no pair: " + err.Error()
	}
	leaf = pair.Leaf
	switch {
	case !bytes.Equal(certPEM, encodeCert(leaf.Raw)):
		return nil, "tls.crt had more in it than one certificate"
	case !sameNames(leaf.DNSNames, cert.Spec.DNSNames):
		return nil, "the one before was for other names"
	case algorithmOf(leaf.PublicKey) != cert.Spec.KeyAlgorithm:
		return nil, "the key before was of another algorithm"
	case now.Before(leaf.NotBefore):
		return nil, "the one before was not valid yet"
	}
	return leaf, ""
}

// checkIssuer returns what is wrong with leaf for ca: "" if nothing. A life that
// is not the spec's is a fault, unless the CA's own end has cut it short.
func checkIssuer(leaf *x509.Certificate, secret *corev1.Secret, ca *authority, spec *certv1.CertificateSpec) string {
	life := leaf.NotAfter.Sub(issuedAt(leaf))
	cutShort := life < lifetime(spec) && ca.endsWith(leaf)
	switch {
	case !ca.signed(leaf, secret.Data[corev1.ServiceAccountRootCAKey]):
		return "the one before was not by the present CA"
	case life != lifetime(spec) && !cutShort:
		return "the one before was for another duration"
	}
	return ""
}

// sameNames compares names as sets.
func sameNames(a, b []string) bool {
	a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	return slices.Equal(slices.Compact(a), slices.Compact(b))
}
