package e2e_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"

	certv1 "github.com/trimtab/trimtab/examples/certrotator/api/v1"

	"github.com/trimtab/trimtab/e2e/internal/audit"
	"github.com/trimtab/trimtab/e2e/internal/cluster"
	"github.com/trimtab/trimtab/e2e/internal/operator"
)

// In an idle minute, nothing is written but the leader's Lease, and nothing
// runs.
func TestIdle_EE04(t *testing.T) {
	const objects = 20
	s := newScene(t)
	p := s.startOperator(t, "--leader-elect", "--leader-election-namespace="+cluster.Namespace)
	certs := s.createMany(t, objects)
	s.served(t, certs...)
	s.settle(t, p)

	versions := versionsOf(t, certs)
	runs := allRuns(t, p)
	s.writes(t)
	leases := 0
	during(t, time.Minute, func() error {
		for _, w := range s.writesBy(t, userA) {
			if !w.Is("leases") {
				return fmt.Errorf("a write in an idle minute: %s", w)
			}
			leases++
		}
		return nil
	})
	require.Positive(t, leases, "the audit log shows nothing, so it proves nothing")
	require.Equal(t, versions, versionsOf(t, certs))
	require.LessOrEqual(t, allRuns(t, p)-runs, float64(objects))
}

// settle waits until the operator has done all that its own writes led to.
func (s *scene) settle(t *testing.T, p *operator.Process) {
	t.Helper()
	last, since := -1.0, time.Now()
	eventually(t, func() error {
		if runs := allRuns(t, p); runs != last {
			last, since = runs, time.Now()
		}
		if quiet := time.Since(since); quiet < time.Second {
			return fmt.Errorf("quiet for only %s", quiet)
		}
		return nil
	})
}

// writesBy returns the successful writes of a user since the last look.
func (s *scene) writesBy(t *testing.T, user string) []audit.Write {
	t.Helper()
	return slices.DeleteFunc(s.writes(t), func(w audit.Write) bool { return w.User != user })
}

// versionsOf returns the resource versions of certificates and their Secrets.
func versionsOf(t *testing.T, certs []*certv1.Certificate) map[types.UID]string {
	t.Helper()
	versions := map[types.UID]string{}
	for _, cert := range certs {
		secret := readSecret(t, cert)
		versions[cert.UID], versions[secret.UID] = cert.ResourceVersion, secret.ResourceVersion
	}
	return versions
}
