package leash

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// Become turns the process into a tool if it was started through an alias of
// that tool, and then does not return. Otherwise it does nothing.
func Become() {
	assets := os.Getenv(assetsVariable)
	link, err := os.Readlink(os.Args[0])
	if assets == "" || err != nil {
		return
	}
	if self, err := os.Executable(); err != nil || self != link {
		return
	}
	err = become(filepath.Join(assets, filepath.Base(os.Args[0])))
	fmt.Fprintln(os.Stderr, "leash:", err)
	os.Exit(1)
}

// Attributes are what a child needs to be on the leash when it is started
// directly, in a process group of its own, which Ctrl-C does not reach. To the
// kernel, the parent is the thread that starts the child; Go ends none but
// those that a goroutine locked and left so.
func Attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// become asks the kernel for the leash and executes the tool at path. The
// signal is bound to the thread, so both happen on the same one.
func become(path string) error {
	runtime.LockOSThread()
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return err
	}
	if parent := os.Getenv(parentVariable); parent != strconv.Itoa(os.Getppid()) {
		return fmt.Errorf("parent %s is gone", parent) // it died before the leash was on
	}
	return unix.Exec(path, append([]string{path}, os.Args[1:]...), os.Environ())
}

// target returns what the alias of the tool at path points at: ourselves.
func target(string) (string, error) {
	return os.Executable()
}
