package main

import (
	"context"
	"os"
	"os/exec"
	"time"
)

// goCommand returns a go command that ends with ctx. The programs need no C:
// without cgo they build, and run, everywhere. A workspace of the user's is
// none of ours.
func goCommand(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	cmd.WaitDelay = 10 * time.Second // for go build to remove its files after an interrupt
	return cmd
}
