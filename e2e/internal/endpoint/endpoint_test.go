package endpoint_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/e2e/internal/endpoint"
)

func TestFree(t *testing.T) {
	addresses, err := endpoint.Free(3)
	require.NoError(t, err)
	for _, address := range addresses { // All at once: they differ.
		l, err := net.Listen("tcp", address)
		require.NoError(t, err)
		defer func() { require.NoError(t, l.Close()) }()
	}
}

func TestWaitOK(t *testing.T) {
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1) < 3 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer server.Close()
	require.NoError(t, endpoint.WaitOK(t.Context(), server.URL, nil))
	require.Equal(t, int32(3), asked.Load())

	ended := make(chan struct{})
	close(ended)
	const nobody = "http://127.0.0.1:1"
	require.ErrorIs(t, endpoint.WaitOK(t.Context(), nobody, ended), endpoint.ErrEnded)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, endpoint.WaitOK(ctx, nobody, nil), context.Canceled)
}
