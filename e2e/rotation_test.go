package e2e_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	certv1 "github.com/trimtab/trimtab/examples/certrotator/api/v1"

	"github.com/trimtab/trimtab/e2e/internal/audit"
	"github.com/trimtab/trimtab/e2e/internal/authority"
)

// A new CA concerns every certificate, but what a user changes meanwhile comes
// first, even if the whole rotation is due at once. What counts is the order of the
// writes, not the time they take.
func TestRotationDoesNotDelayUsers(t *testing.T) {
	const (
		fleet   = 150
		changed = 5
		workers = 2
	)
	s := newScene(t)
	s.startOperator(t, fmt.Sprintf("--concurrency=%d", workers), "--rotation-spread=0")
	certs := s.createMany(t, fleet)
	s.served(t, certs...)
	s.writes(t)

	s.replaceCA(t)
	for _, cert := range certs[:changed] {
		change(t, cert, addName)
	}
	s.served(t, certs...)
	for _, cert := range certs {
		require.Equal(t, certv1.ReasonIssued, cert.Status.Conditions[0].Reason)
	}
	event(t, certs[fleet-1], corev1.EventTypeNormal, certv1.EventRenewed)

	writes := slices.DeleteFunc(s.writes(t), func(w audit.Write) bool {
		return w.Namespace != s.namespace || !w.Is("secrets") && !w.Is("certificates")
	})
	require.Len(t, slices.DeleteFunc(slices.Clone(writes), isCertificate), fleet+reissuedTwice(writes, certs[:changed]),
		"each is issued again once, and those changed after their turn once more")
	for _, cert := range certs[:changed] {
		ahead, due := turn(t, writes, cert)
		require.Greater(t, due, fleet/3, "the change came too late to tell anything: the rotation was nearly done")
		require.LessOrEqual(t, ahead, changed+workers, "%s waited behind the rotation", cert.Name)
	}
}

// A rotation is spread: no certificate is issued again before its turn, each is
// once, and a user's change in between waits for nobody.
func TestRotationIsSpread(t *testing.T) {
	const (
		fleet  = 40
		spread = 8 * time.Second
		early  = 500 * time.Millisecond // the API server logs a write after the watch has told of it
	)
	s := newScene(t)
	s.startOperator(t, "--rotation-spread="+spread.String())
	certs := s.createMany(t, fleet)
	s.served(t, certs...)
	s.writes(t)

	s.replaceCA(t)
	change(t, certs[0], addName)
	s.served(t, certs...)

	writes := s.writes(t)
	replaced := slices.IndexFunc(writes, func(w audit.Write) bool { return w.Is("secrets") && w.Name == s.caKey.Name })
	require.GreaterOrEqual(t, replaced, 0)
	start := writes[replaced].At
	writes = slices.DeleteFunc(writes, func(w audit.Write) bool {
		return w.Namespace != s.namespace || !w.Is("secrets") && !w.Is("certificates")
	})
	ahead, _ := turn(t, writes, certs[0])
	require.LessOrEqual(t, ahead, fleet/2, "the change waited for the rotation")

	issued := slices.DeleteFunc(writes, func(w audit.Write) bool { return isCertificate(w) || w.Name == certs[0].Spec.SecretName })
	require.Len(t, issued, fleet-1)
	for i, w := range issued {
		turn := spread * time.Duration(i) / fleet
		require.Greater(t, w.At.Sub(start), turn-early, "%s, the %dth, came before its turn", w.Name, i+1)
	}
}

// turn returns how many Secrets were written after the change of a certificate
// and before the write of its own, and how many in all after the change.
func turn(t *testing.T, writes []audit.Write, cert *certv1.Certificate) (ahead, due int) {
	t.Helper()
	changed := slices.IndexFunc(writes, func(w audit.Write) bool { return isCertificate(w) && w.Name == cert.Name })
	require.GreaterOrEqual(t, changed, 0)
	rest := slices.DeleteFunc(slices.Clone(writes[changed:]), isCertificate)
	served := slices.IndexFunc(rest, func(w audit.Write) bool { return w.Name == cert.Spec.SecretName })
	require.GreaterOrEqual(t, served, 0, "the Secret was not written after the change")
	return served, len(rest)
}

// reissuedTwice counts the certificates whose Secret was written once more
// because the change came after the rotation had reached it.
func reissuedTwice(writes []audit.Write, certs []*certv1.Certificate) int {
	twice := 0
	for _, cert := range certs {
		for _, w := range writes {
			if isCertificate(w) && w.Name == cert.Name {
				break
			}
			if w.Name == cert.Spec.SecretName {
				twice++
				break
			}
		}
	}
	return twice
}

func isCertificate(w audit.Write) bool {
	return w.Is("certificates")
}

// replaceCA gives the operator a new CA in the same Secret.
func (s *scene) replaceCA(t *testing.T) {
	t.Helper()
	ca, err := authority.New(t.Name() + " replaced")
	require.NoError(t, err)
	s.writeCA(t, ca.Secret("", "").Data)
	s.ca = ca
}

// writeCA writes anything into the Secret of the CA.
func (s *scene) writeCA(t *testing.T, data map[string][]byte) {
	t.Helper()
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: s.caKey.Namespace, Name: s.caKey.Name}}
	before := client.MergeFrom(secret.DeepCopy())
	secret.Data = data
	require.NoError(t, world.Patch(t.Context(), secret, before))
}
