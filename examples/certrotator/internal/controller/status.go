package controller

import (
	"context"
	"crypto/x509"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"

	certv1 "github.com/trimtab/trimtab/examples/certrotator/api/v1"
	"github.com/trimtab/trimtab/requeue"
)

// reportIssued shows in the status what the Secret holds, says in an event what
// was done, and comes back when it is to be renewed.
func (r *CertificateReconciler) reportIssued(ctx context.Context, cert *certv1.Certificate, found finding) (ctrl.Result, error) {
	before := cert.Status.DeepCopy()
	showLeaf(&cert.Status, found.leaf)
	cert.Status.IssuerFingerprint = found.ca.fingerprint()
	cert.Status.RenewalTime = new(metav1.NewTime(found.renewal.At))
	message := "The certificate is valid until " + text(found.leaf.NotAfter) + "."
	if found.ca.endsWith(found.leaf) {
		message += " Then the CA itself ends: replace that before."
	}
	setReady(cert, metav1.ConditionTrue, certv1.ReasonIssued, message)
	if err := r.saveStatus(ctx, cert, before); err != nil {
		return ctrl.Result{}, err
	}

	event, why := found.issued, found.why
	if event == "" && before.SerialNumber != cert.Status.SerialNumber {
		event, why = certv1.EventIssued, "an earlier run, which was cut short, had found a fault"
	}
	if event != "" {
		r.Recorder.Eventf(cert, nil, corev1.EventTypeNormal, event, "Issue",
			"Certificate %s is valid until %s. It was issued because %s.", cert.Status.SerialNumber, text(found.leaf.NotAfter), why)
	}
	return found.renewal.Result, nil
}

// reportTrouble shows in the status and in an event what somebody has to do.
// Without a CA, a certificate from before is good until it ends. A change of the
// spec or of the CA brings a run at once; the other things are looked at now
// and then.
func (r *CertificateReconciler) reportTrouble(ctx context.Context, cert *certv1.Certificate, found finding, t *trouble) (ctrl.Result, error) {
	before := cert.Status.DeepCopy()
	ready, message := metav1.ConditionFalse, t.message
	if found.leaf != nil && time.Now().Before(found.leaf.NotAfter) {
		ready = metav1.ConditionTrue
		message = fmt.Sprintf("The certificate is valid until %s, but can't be renewed: %s", text(found.leaf.NotAfter), t.message)
	}
	if t.reason == certv1.ReasonSecretConflict {
		forgetLeaf(&cert.Status)
	}
	cert.Status.RenewalTime = nil
	changed := setReady(cert, ready, t.reason, message)
	if err := r.saveStatus(ctx, cert, before); err != nil {
		return ctrl.Result{}, err
	}
	if changed {
		r.Recorder.Eventf(cert, nil, corev1.EventTypeWarning, t.reason, "Issue", "%s", message)
	}

	if t.reason == certv1.ReasonInvalidSpec {
		return requeue.Done(), nil
	}
	next := requeue.Every(r.RecheckInterval, string(cert.UID))
	if ready == metav1.ConditionTrue {
		next.RequeueAfter = min(next.RequeueAfter, requeue.After(time.Until(found.leaf.NotAfter)).RequeueAfter)
	}
	return next, nil
}

// saveStatus writes the status if it differs from what it was before.
func (r *CertificateReconciler) saveStatus(ctx context.Context, cert *certv1.Certificate, before *certv1.CertificateStatus) error {
	if equality.Semantic.DeepEqual(before, &cert.Status) {
		return nil
	}
	if err := r.Status().Update(ctx, cert); err != nil {
		return fmt.Errorf("write the status: %w", err)
	}
	return nil
}

// setReady sets the condition, and reports whether that says something new.
func setReady(cert *certv1.Certificate, status metav1.ConditionStatus, reason, message string) (changed bool) {
	before := meta.FindStatusCondition(cert.Status.Conditions, certv1.ConditionReady)
	changed = before == nil || before.Status != status || before.Reason != reason || before.Message != message
	cert.Status.ObservedGeneration = cert.Generation
	meta.SetStatusCondition(&cert.Status.Conditions, metav1.Condition{
		Type:               certv1.ConditionReady,
		Status:             status,
		Reason:             reason,
		Message:            message,
		ObservedGeneration: cert.Generation,
	})
	return changed
}

// showLeaf shows leaf in the status.
func showLeaf(status *certv1.CertificateStatus, leaf *x509.Certificate) {
	status.NotBefore = new(metav1.NewTime(leaf.NotBefore))
	status.NotAfter = new(metav1.NewTime(leaf.NotAfter))
	status.SerialNumber = leaf.SerialNumber.Text(16)
}

// forgetLeaf removes from the status what was shown of an earlier certificate.
func forgetLeaf(status *certv1.CertificateStatus) {
	status.NotBefore, status.NotAfter = nil, nil
	status.SerialNumber, status.IssuerFingerprint = "", ""
}

// eventOf returns the reason of the event for a certificate that is issued for
// the reason why, by what the status says of the one before.
func eventOf(cert *certv1.Certificate, ca *authority, why string) string {
	status := &cert.Status
	ready := meta.FindStatusCondition(status.Conditions, certv1.ConditionReady)
	switch {
	case status.SerialNumber == "" || ready == nil:
		return certv1.EventIssued
	case why == renewalDue || status.IssuerFingerprint != ca.fingerprint():
		return certv1.EventRenewed
	case status.ObservedGeneration != cert.Generation || ready.Reason != certv1.ReasonIssued:
		return certv1.EventIssued
	default:
		return certv1.EventRepaired
	}
}
