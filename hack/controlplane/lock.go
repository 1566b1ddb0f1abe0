//go:build darwin || linux

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"
)

const (
	lockPoll = 200 * time.Millisecond
	lockSay  = 5 * time.Second
)

// lock takes the lock file and returns what gives it back. It waits for another
// holder, says so, and ends early with ctx. The kernel gives back the lock of a
// process that dies.
func lock(ctx context.Context, file string, stderr io.Writer) (unlock func(), err error) {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("controlplane: %w", err)
	}
	if err := flock(ctx, f, stderr); err != nil {
		_ = f.Close() // nothing was written
		return nil, fmt.Errorf("controlplane: lock %s: %w", file, err)
	}
	return func() { _ = f.Close() }, nil // closing gives the lock back; nothing was written
}

// flock polls for the lock rather than wait for it in the kernel, where ctx
// could not reach it.
func flock(ctx context.Context, f *os.File, stderr io.Writer) error {
	poll := time.NewTicker(lockPoll)
	defer poll.Stop()
	start := time.Now()
	var said time.Time
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return err
		}
		if time.Since(said) >= lockSay {
			said = time.Now()
			fmt.Fprintf(stderr, "controlplane: waiting for another build in the same folder, %v\n", said.Sub(start).Round(time.Second))
		}
		select {
		case <-poll.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
