package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	os.Exit(command(os.Stdout, os.Stderr))
}

// command runs the program until an interrupt and returns its exit code: 130,
// as shells have it, after an interrupt.
func command(stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()

	folder, err := assets(ctx, stderr)
	switch {
	case ctx.Err() != nil:
		fmt.Fprintln(stderr, "controlplane: interrupted; the next run goes on from here")
		return 130
	case err != nil:
		fmt.Fprintln(stderr, err)
		return 1
	}
	fmt.Fprintln(stdout, folder)
	return 0
}

// assets returns the folder that the environment names, else the one in the
// user's cache, which it fills if need be.
func assets(ctx context.Context, stderr io.Writer) (string, error) {
	if folder := os.Getenv(variable); folder != "" {
		return folder, checkNamed(folder)
	}
	releases, err := selected(ctx)
	if err != nil {
		return "", err
	}
	folder, err := cacheFolder(releases)
	if err != nil {
		return "", err
	}
	return folder, fill(ctx, folder, releases, stderr)
}
