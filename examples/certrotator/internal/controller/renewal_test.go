package controller

import (
	"crypto/x509"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// newLeaf returns a certificate as issue makes one now, without a key.
func newLeaf(life time.Duration) *x509.Certificate {
	now := time.Now().Truncate(time.Second)
	return &x509.Certificate{NotBefore: now.Add(-backdate), NotAfter: now.Add(life)}
}

// endless returns a CA that ends after all that it signs here.
func endless() *authority {
	return &authority{cert: &x509.Certificate{NotAfter: time.Now().AddDate(100, 0, 0)}}
}

// The status shows the time for which the timer waits, a run at that time
// renews, and a run before it does not, for short lives and long ones.
func TestRenewal_RQ15_RQ18(t *testing.T) {
	for _, tt := range []struct{ life, renewBefore, due time.Duration }{
		{10 * time.Second, 0, 7 * time.Second}, // a third, cut to the whole second
		{20 * time.Second, 8 * time.Second, 12 * time.Second},
		{time.Hour, 0, 40 * time.Minute},
		{time.Hour, time.Second, time.Hour - time.Second},
		{2160 * time.Hour, 720 * time.Hour, 1440 * time.Hour},
	} {
		t.Run(fmt.Sprint(tt.life, tt.renewBefore), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, cert := &CertificateReconciler{}, newCertificate()
				cert.Spec.Duration.Duration = tt.life
				if tt.renewBefore > 0 {
					cert.Spec.RenewBefore = &metav1.Duration{Duration: tt.renewBefore}
				}
				time.Sleep(300 * time.Millisecond) // an issue is at no whole second
				leaf := newLeaf(tt.life)
				first, err := r.renewal(cert, leaf, endless())
				require.NoError(t, err)
				require.False(t, first.Due)
				require.InDelta(t, float64(tt.due), float64(first.At.Sub(issuedAt(leaf))), float64(time.Second))
				require.Equal(t, first.At, metav1.NewTime(first.At).Rfc3339Copy().UTC(), "the status loses nothing of it")
				require.Equal(t, time.Until(first.At), first.Result.RequeueAfter)

				time.Sleep(first.Result.RequeueAfter / 2)
				again, err := (&CertificateReconciler{}).renewal(cert, leaf, endless())
				require.NoError(t, err)
				require.Equal(t, first.At, again.At, "after a restart")
				require.False(t, again.Due)

				time.Sleep(again.Result.RequeueAfter)
				last, err := r.renewal(cert, leaf, endless())
				require.NoError(t, err)
				require.True(t, last.Due)
				require.True(t, time.Now().Before(leaf.NotAfter))
			})
		})
	}
}

// With jitter, certificates that were issued together are not renewed together,
// none later than renewBefore says, and each at its own time after a restart.
func TestRenewalJitter_JT01(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, leaf := &CertificateReconciler{RenewJitter: 0.1}, newLeaf(90*24*time.Hour)
		latest := leaf.NotAfter.Add(-30 * 24 * time.Hour)
		days := map[int]int{}
		for i := range 300 {
			cert := newCertificate()
			cert.UID = types.UID(fmt.Sprintf("uid-%d", i))
			cert.Spec.Duration.Duration = 90 * 24 * time.Hour
			renewal, err := r.renewal(cert, leaf, endless())
			require.NoError(t, err)
			early := latest.Sub(renewal.At)
			require.GreaterOrEqual(t, early, time.Duration(0))
			require.LessOrEqual(t, early, 3*24*time.Hour+time.Second)
			days[int(early/(24*time.Hour))]++
		}
		for day := range 3 {
			require.InDelta(t, 100, days[day], 40, "%v", days)
		}
	})
}

// A certificate that ends with its CA is looked at when both have ended: until
// then a renewal would bring nothing, however long renewBefore is.
func TestRenewalEndsWithCA(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		leaf := newLeaf(time.Minute)
		ca := &authority{cert: &x509.Certificate{NotAfter: leaf.NotAfter}}
		cert := newCertificate()
		cert.Spec.RenewBefore = &metav1.Duration{Duration: 12 * time.Hour}
		renewal, err := (&CertificateReconciler{RenewJitter: 1}).renewal(cert, leaf, ca)
		require.NoError(t, err)
		require.False(t, renewal.Due)
		require.Equal(t, leaf.NotAfter, renewal.At)
		require.Equal(t, time.Minute, renewal.Result.RequeueAfter)
	})
}
