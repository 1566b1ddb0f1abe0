//go:build darwin || linux

package main

import (
	"os/exec"
	"syscall"
)

// runGroup runs the command in a process group of its own. When the command's
// context ends, it interrupts the group, so that go build ends its compilers
// and removes its files, and kills what doesn't heed that.
func runGroup(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGINT) }
	err := cmd.Run()
	if err != nil && cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // mostly there is nothing left to kill
	}
	return err
}
