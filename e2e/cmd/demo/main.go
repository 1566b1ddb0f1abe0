package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/go-logr/logr"

	"github.com/trimtab/trimtab/e2e/internal/leash"
)

// The exit codes, as shells have them.
const (
	exitFault       = 1
	exitUsage       = 2
	exitInterrupted = 130
)

func main() {
	leash.Become()
	os.Exit(command(os.Args[1:], os.Stdout, os.Stderr))
}

// command runs the demo and returns its exit code.
func command(args []string, stdout, stderr io.Writer) int {
	opts, err := parse(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintln(stderr, "demo:", err)
		return exitUsage
	}
	ctrl.SetLogger(logr.Discard()) // a client's chatter would tear the table
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()

	err = run(ctx, opts, newScreen(stdout))
	switch {
	case ctx.Err() != nil:
		fmt.Fprintln(stderr, "\ndemo: interrupted; everything is stopped")
		return exitInterrupted
	case err != nil:
		fmt.Fprintln(stderr, "demo:", err)
		return exitFault
	}
	return 0
}
