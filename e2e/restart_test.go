package e2e_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"

	certv1 "github.com/trimtab/trimtab/examples/certrotator/api/v1"
)

// A restart in the middle of work loses nothing and repeats nothing: what was
// served stays as it is, and is renewed when it was to be.
func TestRestart(t *testing.T) {
	s := newScene(t)
	p := s.startOperator(t)
	done := s.createMany(t, 20)
	s.served(t, done...)
	serials, renewals := map[types.UID]string{}, map[types.UID]time.Time{}
	for _, cert := range done {
		serials[cert.UID] = cert.Status.SerialNumber
		renewals[cert.UID] = cert.Status.RenewalTime.Time
	}

	var rest []*certv1.Certificate
	for i := range 100 {
		rest = append(rest, s.create(t, "late-"+string(rune('a'+i/26))+string(rune('a'+i%26))))
	}
	require.NoError(t, p.Stop(), "it ends by itself and with success")
	require.NoError(t, world.Delete(t.Context(), readSecret(t, done[0])), "something happens meanwhile")
	require.NoError(t, p.Start(t.Context()))

	s.served(t, rest...)
	s.served(t, done...)
	for _, cert := range done[1:] {
		require.Equal(t, serials[cert.UID], cert.Status.SerialNumber, "%s was issued again", cert.Name)
		require.Equal(t, renewals[cert.UID], cert.Status.RenewalTime.Time, "%s is renewed at another time", cert.Name)
	}
	require.NotEqual(t, serials[done[0].UID], done[0].Status.SerialNumber)
}

// A rollout is not a flood: after a restart with nothing to do, nothing is written.
func TestRestartWritesNothing(t *testing.T) {
	s := newScene(t)
	p := s.startOperator(t)
	certs := s.createMany(t, 20)
	s.served(t, certs...)
	require.NoError(t, p.Stop())
	s.writes(t)

	require.NoError(t, p.Start(t.Context()))
	eventually(t, func() error { return ranFor(t, p, "resync", len(certs)) })
	for _, w := range s.writes(t) {
		require.NotEqual(t, userA, w.User, "a write of the operator: %s", w)
	}
}
