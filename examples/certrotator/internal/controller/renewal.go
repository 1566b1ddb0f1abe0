package controller

import (
	"crypto/x509"
	"time"

	certv1 "github.com/trimtab/trimtab/examples/certrotator/api/v1"
	"github.com/trimtab/trimtab/requeue"
)

// renewal says when leaf is to be renewed. The status shows its time, and the
// timer waits for it. It depends on nothing that a restart could lose.
func (r *CertificateReconciler) renewal(cert *certv1.Certificate, leaf *x509.Certificate, ca *authority) (requeue.Renewal, error) {
	if ca.endsWith(leaf) {
		// The next one would end at the same time. A new CA will bring it.
		return requeue.Renewal{At: leaf.NotAfter, Result: requeue.After(time.Until(leaf.NotAfter))}, nil
	}
	return requeue.BeforeExpiry(requeue.Expiry{
		NotBefore: issuedAt(leaf),
		NotAfter:  leaf.NotAfter,
		Lead:      renewBefore(&cert.Spec),
		Jitter:    r.RenewJitter,
		Key:       string(cert.UID),
	})
}
