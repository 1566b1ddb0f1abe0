//go:build linux

package leash_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/e2e/internal/leash"
)

const (
	role       = "TRIMTAB_LEASH_TEST_ROLE"
	aliasesVar = "TRIMTAB_LEASH_TEST_ALIASES"
)

// TestMain plays three parts: the test, a parent that starts a leashed child
// and waits to be killed, and the alias of that child.
func TestMain(m *testing.M) {
	leash.Become()
	if os.Getenv(role) == "parent" {
		parent()
	}
	os.Exit(m.Run())
}

// parent starts the leashed sleep, says its process id, and waits.
func parent() {
	folder := os.Getenv(aliasesVar)
	tool, err := exec.LookPath("sleep")
	if err != nil {
		panic(err)
	}
	if err := leash.Alias(folder, filepath.Dir(tool), "sleep"); err != nil {
		panic(err)
	}
	child := exec.Command(filepath.Join(folder, "sleep"), "600")
	child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := child.Start(); err != nil {
		panic(err)
	}
	fmt.Println(child.Process.Pid)
	_ = child.Wait()
	os.Exit(0)
}

// A child behind an alias is the tool itself, and dies with a parent that was
// killed and so had no chance to stop it.
func TestChildDiesWithItsParent(t *testing.T) {
	parent := exec.Command(os.Args[0])
	parent.Env = append(os.Environ(), role+"=parent", aliasesVar+"="+t.TempDir())
	out, err := parent.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, parent.Start())

	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	pid := strings.TrimSpace(line)
	require.Eventually(t, func() bool { return name(pid) == "sleep" }, 10*time.Second, 10*time.Millisecond)

	require.NoError(t, parent.Process.Kill())
	_ = parent.Wait()
	require.Eventually(t, func() bool { return name(pid) != "sleep" }, 10*time.Second, 10*time.Millisecond,
		"the child outlived its parent")
}

func TestAliasNamesTheMissingTool(t *testing.T) {
	err := leash.Alias(t.TempDir(), t.TempDir(), "etcd")
	require.ErrorContains(t, err, "no etcd in")
}

// name returns the name of a running process, or nothing if it is gone.
func name(pid string) string {
	status, err := os.ReadFile("/proc/" + pid + "/status")
	if err != nil || strings.Contains(string(status), "State:\tZ") {
		return ""
	}
	comm, _ := os.ReadFile("/proc/" + pid + "/comm")
	return strings.TrimSpace(string(comm))
}
