package operator_test

import (
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/e2e/internal/endpoint"
	"github.com/trimtab/trimtab/e2e/internal/operator"
)

// TestMain is the test or, started with a kubeconfig, a small operator.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && strings.HasPrefix(os.Args[1], "--kubeconfig=") {
		os.Exit(small(os.Args[1:]))
	}
	os.Exit(m.Run())
}

// small serves readyz and metrics until SIGTERM, or ends at once if told to.
func small(args []string) int {
	if args[len(args)-1] == "--broken" {
		fmt.Fprintln(os.Stderr, "broken as asked")
		return 3
	}
	terminated := make(chan os.Signal, 1)
	signal.Notify(terminated, syscall.SIGTERM)
	ok := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	for _, arg := range args[1:3] {
		_, address, _ := strings.Cut(arg, "=")
		go func() { panic(http.ListenAndServe(address, ok)) }()
	}
	<-terminated
	fmt.Fprintln(os.Stderr, "ended in peace")
	return 0
}

func newProcess(t *testing.T, args ...string) *operator.Process {
	t.Helper()
	p, err := operator.New(operator.Options{
		Binary:     os.Args[0],
		Kubeconfig: "none",
		Log:        filepath.Join(t.TempDir(), "operator.log"),
		Args:       args,
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Kill()) })
	return p
}

func log(t *testing.T, p *operator.Process) string {
	t.Helper()
	content, err := os.ReadFile(p.Log())
	require.NoError(t, err)
	return string(content)
}

func TestStartStopStart(t *testing.T) {
	p := newProcess(t)
	require.NoError(t, p.Stop(), "what does not run is stopped")
	require.Zero(t, p.PID())

	for range 2 {
		require.NoError(t, p.Start(t.Context()))
		require.NotZero(t, p.PID())
		resp, err := http.Get(p.MetricsURL())
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		require.NoError(t, p.Stop())
	}
	require.Equal(t, 2, strings.Count(log(t, p), "ended in peace"))
}

func TestKillGivesNoWarning(t *testing.T) {
	p := newProcess(t)
	require.NoError(t, p.Start(t.Context()))
	ended := p.Ended()
	require.NoError(t, p.Kill())
	<-ended
	require.NotContains(t, log(t, p), "ended in peace")
	require.NoError(t, p.Start(t.Context()))
}

func TestStartNamesTheLogOfWhatEnded(t *testing.T) {
	p := newProcess(t, "--broken")
	err := p.Start(t.Context())
	require.ErrorIs(t, err, endpoint.ErrEnded)
	require.ErrorContains(t, err, p.Log())
	require.Contains(t, log(t, p), "broken as asked")
}

func TestStartWithoutBinary(t *testing.T) {
	p, err := operator.New(operator.Options{Binary: "/no/such/operator", Log: filepath.Join(t.TempDir(), "log")})
	require.NoError(t, err)
	require.ErrorIs(t, p.Start(t.Context()), os.ErrNotExist)
}
