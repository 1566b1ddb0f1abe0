package e2e_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/client"

	certv1 "github.com/trimtab/trimtab/examples/certrotator/api/v1"
)

// What no watch tells of, such as a status that somebody spoils, the ticker repairs;
// without it that stays until the next renewal.
func TestDrift(t *testing.T) {
	s := newScene(t)
	p := s.startOperator(t, "--repair-interval=2s")
	certs := s.createMany(t, 5)
	s.served(t, certs...)
	for _, cert := range certs {
		right := cert.Status.SerialNumber
		require.NotEmpty(t, right)
		cert.Status.SerialNumber = "spoiled"
		require.NoError(t, world.Status().Update(t.Context(), cert))
		eventually(t, func() error {
			now := &certv1.Certificate{}
			if err := world.Get(t.Context(), client.ObjectKeyFromObject(cert), now); err != nil {
				return err
			}
			if now.Status.SerialNumber != right {
				return fmt.Errorf("the serial number is still %q", now.Status.SerialNumber)
			}
			return nil
		})
	}
	require.Positive(t, sample(t, p).Sum("trimtab_runs_total", "trigger", "periodic"))
}
