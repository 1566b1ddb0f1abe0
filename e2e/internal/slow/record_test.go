package slow_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/e2e/internal/slow"
)

const ms = time.Millisecond

// answer answers at once.
type answer struct{}

func (answer) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(http.NoBody)}, nil
}

func TestRecord(t *testing.T) {
	call := func(t *testing.T, tr *slow.Transport, r *http.Request) {
		t.Helper()
		response, err := tr.RoundTrip(r)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
	}
	for name, tc := range map[string]struct {
		parallel bool
		want     [slow.Phases]time.Duration
	}{
		"in sequence": {false, [slow.Phases]time.Duration{slow.Read: 20 * ms, slow.Write: 30 * ms, slow.Status: 40 * ms}},
		"in parallel": {true, [slow.Phases]time.Duration{slow.Status: 40 * ms}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tr := &slow.Transport{RoundTripper: answer{}, Read: 20 * ms, Write: 30 * ms, Status: 40 * ms}
				ctx, record := slow.WithRecord(t.Context())
				var wg sync.WaitGroup
				for _, r := range []*http.Request{
					httptest.NewRequestWithContext(ctx, http.MethodGet, "/apis/a/status", nil),
					httptest.NewRequestWithContext(ctx, http.MethodPost, "/apis/a", nil),
					httptest.NewRequestWithContext(ctx, http.MethodPatch, "/apis/a/status", nil),
				} {
					wg.Go(func() { call(t, tr, r) })
					if !tc.parallel {
						wg.Wait()
					}
				}
				wg.Wait()
				require.Equal(t, tc.want, record.Times())
			})
		})
	}
}
