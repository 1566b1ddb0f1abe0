package e2e_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	certv1 "github.com/trimtab/trimtab/examples/certrotator/api/v1"

	"github.com/trimtab/trimtab/e2e/internal/audit"
	"github.com/trimtab/trimtab/e2e/internal/authority"
	"github.com/trimtab/trimtab/e2e/internal/cluster"
	"github.com/trimtab/trimtab/e2e/internal/operator"
	"github.com/trimtab/trimtab/e2e/internal/scrape"
)

const (
	// patience bounds every wait for something that must happen.
	patience = time.Minute

	poll = 50 * time.Millisecond
)

// scene is one test's part of the world: a namespace and a CA of its own. An
// operator serves the whole cluster, so the tests take turns, and each takes
// along what it made.
type scene struct {
	namespace string
	ca        *authority.Authority
	caKey     types.NamespacedName
	log       *audit.Log
}

func newScene(tb testing.TB) *scene {
	tb.Helper()
	name := strings.ToLower(strings.NewReplacer("/", "-", "_", "-", "=", "-").Replace(tb.Name()))
	s := &scene{namespace: name, caKey: types.NamespacedName{Namespace: cluster.Namespace, Name: name}}
	require.NoError(tb, world.CreateNamespace(tb.Context(), name))
	tb.Cleanup(func() { s.clear(tb) })

	ca, err := authority.New(tb.Name())
	require.NoError(tb, err)
	s.ca = ca
	require.NoError(tb, world.Create(tb.Context(), ca.Secret(s.caKey.Namespace, s.caKey.Name)))
	s.log, err = audit.Open(world.AuditLog())
	require.NoError(tb, err)
	return s
}

// clear deletes what another test's operator would find.
func (s *scene) clear(tb testing.TB) {
	tb.Helper()
	ctx := context.WithoutCancel(tb.Context()) // that one is done before a cleanup
	for _, object := range []client.Object{&certv1.Certificate{}, &corev1.Secret{}} {
		require.NoError(tb, world.DeleteAllOf(ctx, object, client.InNamespace(s.namespace)))
	}
}

// newOperator returns an operator that runs as user and uses the scene's CA;
// it isn't started yet. It is stopped with the test, and its log is shown if
// the test fails.
func (s *scene) newOperator(t *testing.T, user string, args ...string) *operator.Process {
	t.Helper()
	log := filepath.Join(t.TempDir(), "operator.log")
	p, err := operator.New(operator.Options{
		Binary:     world.binary,
		Kubeconfig: world.kubeconfigs[user],
		Log:        log,
		Args:       append([]string{"--ca-secret=" + s.caKey.String()}, args...),
	})
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, p.Stop())
		if t.Failed() {
			t.Log(tail(log))
		}
	})
	return p
}

// startOperator starts an operator as the first user.
func (s *scene) startOperator(t *testing.T, args ...string) *operator.Process {
	t.Helper()
	p := s.newOperator(t, userA, args...)
	require.NoError(t, p.Start(t.Context()))
	return p
}

// writes returns the successful writes since the last call.
func (s *scene) writes(t *testing.T) []audit.Write {
	t.Helper()
	all, err := s.log.Read()
	require.NoError(t, err)
	var done []audit.Write
	for _, w := range all {
		if w.OK() {
			done = append(done, w)
		}
	}
	return done
}

// sample reads an operator's metrics.
func sample(t *testing.T, p *operator.Process) scrape.Sample {
	t.Helper()
	s, err := scrape.Get(t.Context(), nil, p.MetricsURL())
	require.NoError(t, err)
	return s
}

// eventually waits until check returns nil, and fails with its last error.
func eventually(tb testing.TB, check func() error) {
	tb.Helper()
	last := errors.New("not tried")
	deadline := time.Now().Add(patience)
	for time.Now().Before(deadline) {
		if last = check(); last == nil {
			return
		}
		time.Sleep(poll)
	}
	require.NoError(tb, last, "still so after %s", patience)
}

// during fails as soon as check returns an error in that time.
func during(t *testing.T, d time.Duration, check func() error) {
	t.Helper()
	for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(poll) {
		require.NoError(t, check())
	}
}

// tail returns the end of a file.
func tail(path string) string {
	content, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	lines := bytes.Split(content, []byte("\n"))
	last := lines[max(0, len(lines)-40):]
	return fmt.Sprintf("the last of %d lines of the operator's log:\n%s", len(lines), bytes.Join(last, []byte("\n")))
}
