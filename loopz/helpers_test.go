package loopz_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/loopz"
)

// fake is a loop that says what it is told to.
type fake struct{ status trimtab.Status }

func (f *fake) Status() trimtab.Status { return f.status }

// get asks a handler.
func get(tb testing.TB, h http.Handler, method, target string) *http.Response {
	tb.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(tb.Context(), method, target, http.NoBody))
	return w.Result()
}

// report asks a handler for its JSON.
func report(tb testing.TB, h http.Handler) loopz.Report {
	tb.Helper()
	response := get(tb, h, http.MethodGet, loopz.Path+"?format=json")
	require.Equal(tb, http.StatusOK, response.StatusCode)
	require.Equal(tb, "application/json", response.Header.Get("Content-Type"))
	var r loopz.Report
	decoder := json.NewDecoder(response.Body)
	decoder.DisallowUnknownFields()
	require.NoError(tb, decoder.Decode(&r))
	return r
}
