package ledger_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	certv1 "github.com/trimtab/trimtab/examples/certrotator/api/v1"

	"github.com/trimtab/trimtab/e2e/internal/authority"
	"github.com/trimtab/trimtab/e2e/internal/ledger"
)

func secret(t *testing.T, ca *authority.Authority, duration time.Duration) *corev1.Secret {
	t.Helper()
	pair, err := ca.Issue(duration, "a.example")
	require.NoError(t, err)
	s := ca.Secret("ns", "a-tls")
	s.Data = map[string][]byte{"tls.crt": pair.Certificate, "tls.key": pair.Key, "ca.crt": ca.PEM()}
	return s
}

func newCA(t *testing.T) *authority.Authority {
	t.Helper()
	ca, err := authority.New("test")
	require.NoError(t, err)
	return ca
}

func TestCounts(t *testing.T) {
	l, now := ledger.New(), time.Now()
	first, second := newCA(t), newCA(t)
	cert := &certv1.Certificate{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "a"}}

	l.SetCA(first.PEM())
	l.See(cert, false, now)
	l.See(secret(t, first, time.Hour), false, now)
	require.Equal(t, ledger.Counts{Certificates: 1, Current: 1}, l.Counts())

	cert.Status.Conditions = []metav1.Condition{{Type: certv1.ConditionReady, Status: metav1.ConditionTrue}}
	l.See(cert, false, now)
	l.SetCA(second.PEM())
	require.Equal(t, ledger.Counts{Certificates: 1, Ready: 1}, l.Counts())

	l.See(secret(t, second, time.Hour), false, now)
	require.Equal(t, ledger.Counts{Certificates: 1, Ready: 1, Current: 1}, l.Counts())

	l.See(secret(t, second, time.Hour), true, now)
	l.See(cert, true, now)
	require.Equal(t, ledger.Counts{}, l.Counts())
}

func TestExpired(t *testing.T) {
	ca, now := newCA(t), time.Now()
	late, soon := now.Add(time.Hour), now.Add(time.Minute)

	for name, c := range map[string]struct {
		tell func(l *ledger.Ledger)
		want int
	}{
		"still served after its end": {func(*ledger.Ledger) {}, 1},
		"renewed in time":            {func(l *ledger.Ledger) { l.See(secret(t, ca, 9*time.Hour), false, soon) }, 0},
		"renewed too late":           {func(l *ledger.Ledger) { l.See(secret(t, ca, 9*time.Hour), false, late) }, 1},
		"deleted in time":            {func(l *ledger.Ledger) { l.See(secret(t, ca, time.Hour), true, soon) }, 0},
		"deleted too late":           {func(l *ledger.Ledger) { l.See(secret(t, ca, time.Hour), true, late) }, 1},
		"rubbish is not served":      {func(l *ledger.Ledger) { l.See(ca.Secret("ns", "a-tls"), false, soon) }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			l := ledger.New()
			l.See(secret(t, ca, 10*time.Minute), false, now)
			c.tell(l)
			require.Len(t, l.Expired(late), c.want)
		})
	}
}
