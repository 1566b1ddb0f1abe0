package e2e_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// A deleted Certificate's Secret goes with it, by its owner reference, and is
// not made again. There is no garbage collector here, so the test plays it.
func TestDeletion(t *testing.T) {
	s := newScene(t)
	s.startOperator(t)
	cert := s.create(t, "a")
	s.served(t, cert) // with the owner reference

	secret := readSecret(t, cert)
	require.True(t, *secret.OwnerReferences[0].BlockOwnerDeletion)
	require.NoError(t, world.Delete(t.Context(), cert))
	require.NoError(t, world.Delete(t.Context(), secret))
	s.writes(t)

	// Whatever the deletions led to was queued before this and is done with it:
	// there is one queue, and four workers that are long idle again.
	s.served(t, s.createMany(t, 8)...)
	err := world.Get(t.Context(), secretKey(cert), &corev1.Secret{})
	require.True(t, apierrors.IsNotFound(err), "the Secret is there again: %v", err)
	for _, w := range s.writes(t) {
		require.NotEqual(t, cert.Name, w.Name, "a write for what is gone: %s", w)
		require.NotEqual(t, secret.Name, w.Name, "a write for what is gone: %s", w)
	}
}

// A Certificate that is made again under the same name gets a Secret of its own.
func TestDeletionAndReturn(t *testing.T) {
	s := newScene(t)
	s.startOperator(t)
	cert := s.create(t, "a")
	s.served(t, cert)
	old := readSecret(t, cert)

	require.NoError(t, world.Delete(t.Context(), cert))
	again := s.create(t, "a")
	eventually(t, func() error { // until the old one's Secret is cleared up, it is in the way
		if len(again.Status.Conditions) == 0 {
			_, err := read(t, again)
			return errors.Join(err, errors.New("no condition yet"))
		}
		return nil
	})
	require.NoError(t, world.Delete(t.Context(), old))
	s.served(t, again)
	require.NotEqual(t, old.UID, readSecret(t, again).UID)
}
