//go:build !darwin && !linux

package main

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"runtime"
)

// runGroup runs the command; there are no process groups here.
func runGroup(cmd *exec.Cmd) error { return cmd.Run() }

// lock says that kube-apiserver can't be built here.
func lock(context.Context, string, io.Writer) (unlock func(), err error) {
	return nil, fmt.Errorf("controlplane: builds on Linux and macOS, not on %s: set %s", runtime.GOOS, variable)
}
