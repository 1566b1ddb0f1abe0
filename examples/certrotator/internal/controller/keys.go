package controller

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"fmt"

	certv1 "github.com/trimtab/trimtab/examples/certrotator/api/v1"
)

func keyAlgorithms() []certv1.KeyAlgorithm {
	return []certv1.KeyAlgorithm{certv1.ECDSAP256, certv1.ECDSAP384, certv1.RSA2048, certv1.RSA4096, certv1.Ed25519}
}

// newKey makes a private key. RSA-4096 takes a second or more.
func newKey(algorithm certv1.KeyAlgorithm) (crypto.Signer, error) {
	switch algorithm {
	case certv1.ECDSAP256:
		return ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	case certv1.ECDSAP384:
		return ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	case certv1.RSA2048:
		return rsa.GenerateKey(rand.Reader, 2048)
	case certv1.RSA4096:
		return rsa.GenerateKey(rand.Reader, 4096)
	case certv1.Ed25519:
		_, key, err := ed25519.GenerateKey(rand.Reader)
		return key, err
	default:
		return nil, fmt.Errorf("key algorithm %q is unknown", algorithm)
	}
}

// algorithmOf returns the algorithm of a public key, "" for one that newKey
// does not make.
func algorithmOf(key crypto.PublicKey) certv1.KeyAlgorithm {
	switch key := key.(type) {
	case *ecdsa.PublicKey:
		switch key.Curve {
		case elliptic.P256():
			return certv1.ECDSAP256
		case elliptic.P384():
			return certv1.ECDSAP384
		}
	case *rsa.PublicKey:
		switch key.N.BitLen() {
		case 2048:
			return certv1.RSA2048
		case 4096:
			return certv1.RSA4096
		}
	case ed25519.PublicKey:
		return certv1.Ed25519
	}
	return ""
}
