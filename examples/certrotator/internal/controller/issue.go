package controller

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"time"

	certv1 "github.com/trimtab/trimtab/examples/certrotator/api/v1"
)

// backdate is how long before its issue a certificate is valid, for clients
// whose clocks are behind. The duration counts from the issue.
const backdate = time.Minute

// keyPair is a new certificate with its key.
type keyPair struct {
	leaf      *x509.Certificate
	cert, key []byte // in PEM
}

// issue makes a key and has ca sign a certificate for it.
func issue(ca *authority, spec *certv1.CertificateSpec, now time.Time) (*keyPair, error) {
	key, err := newKey(spec.KeyAlgorithm)
	if err != nil {
		return nil, fmt.Errorf("make a key: %w", err)
	}
	publicDER, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return nil, fmt.Errorf("encode the public key: %w", err)
	}
	template := newTemplate(ca, spec, now)
	keyID := sha256.Sum256(publicDER)
	template.SubjectKeyId = keyID[:20]

	certDER, err := x509.CreateCertificate(rand.Reader, template, ca.cert, key.Public(), ca.key)
	if err != nil {
		return nil, fmt.Errorf("sign the certificate: %w", err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("encode the key: %w", err)
	}
	leaf, err := x509.ParseCertificate(certDER)
	if err != nil {
		return nil, fmt.Errorf("parse the new certificate: %w", err)
	}
	return &keyPair{
		leaf: leaf,
		cert: encodeCert(certDER),
		key:  pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER}),
	}, nil
}

// newTemplate has no serial number: CreateCertificate makes a random one. The
// names are in the SANs alone, as clients want it.
func newTemplate(ca *authority, spec *certv1.CertificateSpec, now time.Time) *x509.Certificate {
	now = now.Truncate(time.Second)
	notAfter := now.Add(lifetime(spec))
	if notAfter.After(ca.cert.NotAfter) {
		notAfter = ca.cert.NotAfter
	}
	usage := x509.KeyUsageDigitalSignature
	if spec.KeyAlgorithm == certv1.RSA2048 || spec.KeyAlgorithm == certv1.RSA4096 {
		usage |= x509.KeyUsageKeyEncipherment
	}
	return &x509.Certificate{
		DNSNames:              spec.DNSNames,
		NotBefore:             now.Add(-backdate),
		NotAfter:              notAfter,
		KeyUsage:              usage,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		BasicConstraintsValid: true,
	}
}

// issuedAt is when issue made leaf.
func issuedAt(leaf *x509.Certificate) time.Time { return leaf.NotBefore.Add(backdate) }

func encodeCert(der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}
