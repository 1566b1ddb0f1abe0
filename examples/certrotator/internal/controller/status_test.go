package controller

import (
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	certv1 "github.com/trimtab/trimtab/examples/certrotator/api/v1"
)

func TestEventOf(t *testing.T) {
	ca := testCA{}.authority(t)
	const tampered = "tls.crt and tls.key were no pair"
	for name, tt := range map[string]struct {
		change func(*certv1.Certificate)
		why    string
		want   string
	}{
		"first":              {func(c *certv1.Certificate) { c.Status = certv1.CertificateStatus{} }, "there was no Secret", certv1.EventIssued},
		"first, in trouble":  {func(c *certv1.Certificate) { c.Status.SerialNumber = "" }, "there was no Secret", certv1.EventIssued},
		"due":                {func(*certv1.Certificate) {}, renewalDue, certv1.EventRenewed},
		"new CA":             {func(c *certv1.Certificate) { c.Status.IssuerFingerprint = "another" }, "the one before was not by the present CA", certv1.EventRenewed},
		"new spec":           {func(c *certv1.Certificate) { c.Generation++ }, "the one before was for other names", certv1.EventIssued},
		"after a trouble":    {func(c *certv1.Certificate) { setReady(c, metav1.ConditionFalse, certv1.ReasonCAUnavailable, "") }, tampered, certv1.EventIssued},
		"tampered":           {func(*certv1.Certificate) {}, tampered, certv1.EventRepaired},
		"deleted":            {func(*certv1.Certificate) {}, "there was no Secret", certv1.EventRepaired},
		"due, with new spec": {func(c *certv1.Certificate) { c.Generation++ }, renewalDue, certv1.EventRenewed},
	} {
		t.Run(name, func(t *testing.T) {
			cert := newCertificate()
			cert.Status.SerialNumber, cert.Status.IssuerFingerprint = "1", ca.fingerprint()
			setReady(cert, metav1.ConditionTrue, certv1.ReasonIssued, "")
			tt.change(cert)
			require.Equal(t, tt.want, eventOf(cert, ca, tt.why))
		})
	}
}

// What was said once is not news again, and makes no write.
func TestSetReady(t *testing.T) {
	cert := newCertificate()
	require.True(t, setReady(cert, metav1.ConditionFalse, certv1.ReasonInvalidSpec, "message"))
	before := cert.Status.DeepCopy()
	require.False(t, setReady(cert, metav1.ConditionFalse, certv1.ReasonInvalidSpec, "message"))
	require.True(t, equality.Semantic.DeepEqual(before, &cert.Status))

	require.True(t, setReady(cert, metav1.ConditionFalse, certv1.ReasonInvalidSpec, "another message"))
	require.True(t, setReady(cert, metav1.ConditionFalse, certv1.ReasonCAUnavailable, "another message"))
	require.True(t, setReady(cert, metav1.ConditionTrue, certv1.ReasonCAUnavailable, "another message"))

	cert.Generation++
	require.False(t, setReady(cert, metav1.ConditionTrue, certv1.ReasonCAUnavailable, "another message"))
	require.Equal(t, cert.Generation, cert.Status.ObservedGeneration)
	require.Equal(t, cert.Generation, cert.Status.Conditions[0].ObservedGeneration)
}

func TestOurs(t *testing.T) {
	cert := newCertificate()
	owner := *metav1.NewControllerRef(cert, certv1.GroupVersion.WithKind("Certificate"))
	another := owner
	another.UID, another.Name = "another", "namesake"
	uid := map[string]string{certificateLabel: string(cert.UID)}
	for name, tt := range map[string]struct {
		meta metav1.ObjectMeta
		kind corev1.SecretType
		want bool
	}{
		"owned":             {metav1.ObjectMeta{OwnerReferences: []metav1.OwnerReference{owner}}, corev1.SecretTypeTLS, true},
		"lost its owner":    {metav1.ObjectMeta{Labels: uid}, corev1.SecretTypeTLS, true},
		"another's":         {metav1.ObjectMeta{OwnerReferences: []metav1.OwnerReference{another}}, corev1.SecretTypeTLS, false},
		"taken over":        {metav1.ObjectMeta{Labels: uid, OwnerReferences: []metav1.OwnerReference{another}}, corev1.SecretTypeTLS, false},
		"nobody's":          {metav1.ObjectMeta{}, corev1.SecretTypeTLS, false},
		"of another kind":   {metav1.ObjectMeta{OwnerReferences: []metav1.OwnerReference{owner}}, corev1.SecretTypeOpaque, false},
		"a namesake's":      {metav1.ObjectMeta{Labels: map[string]string{certificateLabel: "another"}}, corev1.SecretTypeTLS, false},
		"labelled, another": {metav1.ObjectMeta{Labels: map[string]string{managedByLabel: managedBy}}, corev1.SecretTypeTLS, false},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tt.want, ours(&corev1.Secret{ObjectMeta: tt.meta, Type: tt.kind}, cert))
		})
	}
}
