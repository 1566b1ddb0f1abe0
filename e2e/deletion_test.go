package e2e_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// A deleted Certificate's Secret goes with it, by its owner reference, and is
// not made again. There is no garbage collector here, so the test plays it.
func TestDeletion(t *testing.T) {
	s := newScene(t)
	p := s.startOperator(t)
	certs := s.createMany(t, 20)
	s.served(t, certs...) // with the owner reference
	for _, cert := range certs {
		secret := readSecret(t, cert)
		require.True(t, *secret.OwnerReferences[0].BlockOwnerDeletion)
		require.NoError(t, world.Delete(t.Context(), cert))
		require.NoError(t, world.Delete(t.Context(), secret)) // which the operator may see first
	}

	s.served(t, s.create(t, "later"))
	s.settle(t, p)
	for _, w := range s.writesBy(t, userA) {
		require.NotEqual(t, "delete", w.Verb, "nothing but the garbage collector deletes: %s", w)
	}
	secrets := &corev1.SecretList{}
	require.NoError(t, world.List(t.Context(), secrets, client.InNamespace(s.namespace)))
	require.Len(t, secrets.Items, 1, "Secrets were made again")
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
