package e2e_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"github.com/trimtab/trimtab/e2e/internal/outage"
)

// While the API server refuses writes in one namespace, the others are served,
// retries slow down, and afterwards nothing is missing.
func TestOutage(t *testing.T) {
	s := newScene(t)
	p := s.startOperator(t, "--backoff-base=50ms", "--backoff-max=1s", "--backoff-jitter=0")
	const beside = "outage-beside"
	require.NoError(t, world.CreateNamespace(t.Context(), beside))
	other := &scene{namespace: beside, ca: s.ca, log: s.log}
	t.Cleanup(func() { other.clear(t) })

	require.NoError(t, outage.Begin(t.Context(), world, s.namespace))
	broken := s.createMany(t, 5)
	other.served(t, other.createMany(t, 5)...)
	// 50, 100, … 800 ms, 1 s: the seventh retry of each comes 2.5 s later.
	eventually(t, func() error { return ranFor(t, p, "retry", 7*len(broken)) })
	for _, cert := range broken {
		_, err := read(t, cert)
		require.Error(t, err, "there is a Secret in spite of the outage")
	}
	require.Zero(t, sample(t, p).Sum("trimtab_queue_saturated"))

	require.NoError(t, outage.End(t.Context(), world, s.namespace))
	s.served(t, broken...)
	event(t, broken[0], corev1.EventTypeNormal, "Issued")
}
