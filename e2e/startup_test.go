package e2e_test

import (
	"errors"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	certv1 "github.com/trimtab/trimtab/examples/certrotator/api/v1"

	"github.com/trimtab/trimtab/e2e/internal/endpoint"
)

// An impossible option is named with its value, before anything starts.
func TestImpossibleOptions(t *testing.T) {
	for _, c := range []struct{ flag, value string }{
		{"concurrency", "0"},
		{"concurrency", "-1"},
		{"concurrency", "many"},
		{"backoff-base", "-1s"},
		{"backoff-max", "1ns"},
		{"backoff-jitter", "1.5"},
		{"backoff-jitter", "NaN"},
		{"renew-jitter", "-0.1"},
		{"rotation-spread", "-1s"},
		{"run-timeout", "-1s"},
		{"ca-secret", "no-slash"},
		{"kube-api-qps", "0"},
		{"kube-api-burst", "0"},
		{"metrics-bind-address", "nowhere"},
		{"health-probe-bind-address", "127.0.0.1:99999"},
		{"shutdown-timeout", "-1s"},
	} {
		t.Run(c.flag+"="+c.value, func(t *testing.T) {
			t.Parallel()
			// The kubeconfig is not there either, but nothing comes so far.
			output, err := exec.Command(world.binary, "--kubeconfig=/none", "--"+c.flag+"="+c.value).CombinedOutput()
			var exit *exec.ExitError
			require.ErrorAs(t, err, &exit)
			require.Equal(t, 2, exit.ExitCode(), "%s", output)
			require.Contains(t, string(output), c.flag)
			require.Contains(t, string(output), c.value)
		})
	}
}

// Without its CRD, the operator ends at once and says what is missing.
func TestMissingCRD(t *testing.T) {
	s := newScene(t)
	crds := envtest.CRDInstallOptions{Paths: []string{world.CRDs()}}
	require.NoError(t, envtest.UninstallCRDs(world.Config(), crds))
	t.Cleanup(func() {
		_, err := envtest.InstallCRDs(world.Config(), crds)
		require.NoError(t, err)
	})
	eventually(t, func() error { return gone(t) })

	p := s.newOperator(t, userA)
	err := p.Start(t.Context())
	require.ErrorIs(t, err, endpoint.ErrEnded)
	log, err := os.ReadFile(p.Log())
	require.NoError(t, err)
	require.Contains(t, string(log), "Certificate")
	require.Contains(t, string(log), "install the CRD")
	require.NotContains(t, string(log), "panic")
}

// gone returns an error while the API server still serves the kind.
func gone(t *testing.T) error {
	t.Helper()
	err := world.List(t.Context(), &certv1.CertificateList{})
	if err == nil {
		return errors.New("the kind is still served")
	}
	return nil
}
