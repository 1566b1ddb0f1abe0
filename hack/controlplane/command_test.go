//go:build darwin || linux

package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestBuildsOnceAndPrintsTheFolder(t *testing.T) {
	w := newWorld(t)

	code, stdout, stderr := w.start(t).exit(t)
	require.Zero(t, code, stderr)
	require.Equal(t, w.folder(t)+"\n", stdout)
	require.Equal(t, []string{"etcd", "kube-apiserver"}, w.files(t))
	require.Contains(t, stderr, "kube-apiserver v1.99.1, 0s")

	code, stdout, stderr = w.start(t).exit(t)
	require.Zero(t, code, stderr)
	require.Equal(t, w.folder(t)+"\n", stdout)
	require.Empty(t, stderr)
	require.Equal(t, []string{"kube-apiserver", "etcd"}, w.built(t))
}

func TestBuildsOnlyWhatIsMissing(t *testing.T) {
	w := newWorld(t)
	w.start(t).exit(t)
	require.NoError(t, os.Remove(filepath.Join(w.folder(t), "etcd")))

	code, _, stderr := w.start(t).exit(t)
	require.Zero(t, code, stderr)
	require.Equal(t, []string{"kube-apiserver", "etcd", "etcd"}, w.built(t))
}

func TestFailedBuildSaysWhy(t *testing.T) {
	w := newWorld(t)
	w.turn(t, "fail-etcd", true)

	code, stdout, stderr := w.start(t).exit(t)
	require.Equal(t, 1, code)
	require.Empty(t, stdout)
	require.Contains(t, stderr, "controlplane: building etcd v3.99.2: exit status 1\none.go:1:1: no such thing\n")
	require.Equal(t, []string{"kube-apiserver"}, w.files(t))
}

func TestInterruptLeavesWholeProgramsOnly(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) {
			w := newWorld(t)
			w.turn(t, "hang-etcd", true)

			p := w.start(t)
			w.awaitHanging(t)
			require.NoError(t, p.Process.Signal(signal))
			code, stdout, stderr := p.exit(t)
			require.Equal(t, 130, code)
			require.Empty(t, stdout)
			require.Contains(t, stderr, "controlplane: interrupted")
			require.Equal(t, []string{"kube-apiserver"}, w.files(t))
			w.requireSleeperGone(t)

			w.turn(t, "hang-etcd", false)
			code, _, stderr = w.start(t).exit(t)
			require.Zero(t, code, stderr)
			require.Equal(t, []string{"kube-apiserver", "etcd", "etcd"}, w.built(t))
		})
	}
}

func TestKilledBuildIsSweptAndResumed(t *testing.T) {
	w := newWorld(t)
	w.turn(t, "hang-etcd", true)

	p := w.start(t)
	w.awaitHanging(t)
	require.NoError(t, p.Process.Kill())
	p.exit(t)
	require.Len(t, w.files(t), 2) // kube-apiserver, and what the kill left
	w.killSleeper(t)

	w.turn(t, "hang-etcd", false)
	code, _, stderr := w.start(t).exit(t)
	require.Zero(t, code, stderr)
	require.Equal(t, []string{"etcd", "kube-apiserver"}, w.files(t))
	require.Equal(t, []string{"kube-apiserver", "etcd", "etcd"}, w.built(t))
}

func TestSecondBuildWaitsForTheFirst(t *testing.T) {
	w := newWorld(t)
	w.turn(t, "hang-etcd", true)

	first := w.start(t)
	w.awaitHanging(t)
	second := w.start(t)
	second.await(t, "controlplane: waiting for another build")
	third := w.start(t)
	third.await(t, "controlplane: waiting for another build")
	require.NoError(t, third.Process.Signal(os.Interrupt))
	code, _, _ := third.exit(t)
	require.Equal(t, 130, code)

	w.turn(t, "hang-etcd", false)
	w.killSleeper(t) // and so the first build goes on
	code, stdout, stderr := first.exit(t)
	require.Zero(t, code, stderr)
	require.Equal(t, w.folder(t)+"\n", stdout)
	code, stdout, stderr = second.exit(t)
	require.Zero(t, code, stderr)
	require.Equal(t, w.folder(t)+"\n", stdout)
	require.Equal(t, []string{"kube-apiserver", "etcd"}, w.built(t))
}

func TestDeadHolderGivesBackTheLock(t *testing.T) {
	w := newWorld(t)
	w.turn(t, "hang-etcd", true)

	first := w.start(t)
	w.awaitHanging(t)
	second := w.start(t)
	second.await(t, "controlplane: waiting for another build")
	w.turn(t, "hang-etcd", false)
	require.NoError(t, first.Process.Kill())
	first.exit(t)
	code, _, stderr := second.exit(t)
	require.Zero(t, code, stderr)
	require.Equal(t, []string{"etcd", "kube-apiserver"}, w.files(t))
	w.killSleeper(t)
}

func TestEnvironmentWins(t *testing.T) {
	w := newWorld(t)
	named := t.TempDir()
	writeProgram(t, named, "etcd", 0o755)
	writeProgram(t, named, "kube-apiserver", 0o755)

	code, stdout, stderr := w.start(t, variable+"="+named).exit(t)
	require.Zero(t, code, stderr)
	require.Equal(t, named+"\n", stdout)
	require.NoFileExists(t, filepath.Join(w.goFolder, "built"))
}

func TestNoCacheFolder(t *testing.T) {
	code, stdout, stderr := newWorld(t).start(t, "XDG_CACHE_HOME=", "HOME=").exit(t)
	require.Equal(t, 1, code)
	require.Empty(t, stdout)
	require.Contains(t, stderr, "set XDG_CACHE_HOME, or KUBEBUILDER_ASSETS")
}

// awaitHanging waits until the fake go command hangs.
func (w world) awaitHanging(t *testing.T) {
	t.Helper()
	require.Eventually(t, func() bool {
		_, err := os.Stat(filepath.Join(w.goFolder, "hung"))
		return err == nil
	}, 20*time.Second, 5*time.Millisecond)
}

func (w world) sleeper(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(w.goFolder, "sleeper"))
	require.NoError(t, err)
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	require.NoError(t, err)
	return pid
}

// killSleeper ends what the fake go command waits for while it hangs.
func (w world) killSleeper(t *testing.T) {
	t.Helper()
	require.NoError(t, syscall.Kill(w.sleeper(t), syscall.SIGKILL))
}

// requireSleeperGone checks that a child of the go command is ended, too.
func (w world) requireSleeperGone(t *testing.T) {
	t.Helper()
	pid := w.sleeper(t)
	require.Eventually(t, func() bool { return syscall.Kill(pid, 0) == syscall.ESRCH }, 5*time.Second, 5*time.Millisecond)
}
