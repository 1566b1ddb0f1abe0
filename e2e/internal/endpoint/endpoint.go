// Package endpoint finds addresses for processes, and waits until they are ready.
package endpoint

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

const pollInterval = 20 * time.Millisecond

// Free returns so many different loopback addresses that nobody listens on.
func Free(count int) ([]string, error) {
	if count == 0 {
		return nil, nil
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("find a free address: %w", err)
	}
	defer func() { _ = l.Close() }()
	others, err := Free(count - 1) // while this one is taken
	return append(others, l.Addr().String()), err
}

// ErrEnded is the error of WaitOK for a process that ended before it was ready.
var ErrEnded = errors.New("ended before it was ready")

// WaitOK waits until a GET of url answers 200, or ended is closed.
func WaitOK(ctx context.Context, url string, ended <-chan struct{}) error {
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	for !isOK(ctx, url) {
		select {
		case <-ticker.C:
		case <-ended:
			return ErrEnded
		case <-ctx.Done():
			return fmt.Errorf("not ready: %w", ctx.Err())
		}
	}
	return nil
}

func isOK(ctx context.Context, url string) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return false
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	defer func() { _ = resp.Body.Close() }()
	return resp.StatusCode == http.StatusOK
}
