package loopz_test

import (
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/flowcontrol"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/loopz"
)

func TestOptions(t *testing.T) {
	var none *trimtab.Loop
	for want, opts := range map[string]loopz.Options{
		"loopz: Loops[1] <nil>": {Loops: []loopz.Loop{&fake{}, nil}},
		"loopz: Loops[0] <nil>": {Loops: []loopz.Loop{none}},
		"loopz: QPS NaN":        {QPS: math.NaN()},
	} {
		err := opts.Validate()
		require.ErrorContains(t, err, want)
		require.PanicsWithError(t, err.Error(), func() { loopz.New(opts) })
	}
	require.NoError(t, loopz.Options{}.Validate())
}

// A page only shows.
func TestReadOnly(t *testing.T) {
	h := loopz.New(loopz.Options{})
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions, http.MethodConnect, "BREW"} {
		response := get(t, h, method, loopz.Path)
		require.Equal(t, http.StatusMethodNotAllowed, response.StatusCode, method)
		require.Equal(t, "GET, HEAD", response.Header.Get("Allow"))
	}
	require.Equal(t, http.StatusOK, get(t, h, http.MethodHead, loopz.Path).StatusCode)
	require.Equal(t, http.StatusBadRequest, get(t, h, http.MethodGet, loopz.Path+"?format=yaml").StatusCode)
	require.NotContains(t, body(t, get(t, h, http.MethodGet, loopz.Path+"?format=%3Cscript%3E")), "<script>")
}

func body(t *testing.T, r *http.Response) string {
	t.Helper()
	text, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	return string(text)
}

// A browser may run nothing but what is in the page, and load nothing from elsewhere.
func TestPage(t *testing.T) {
	h := loopz.New(loopz.Options{Loops: []loopz.Loop{&fake{status: trimtab.Status{Name: "<b>name</b>"}}}})
	response := get(t, h, http.MethodGet, loopz.Path)
	require.Equal(t, http.StatusOK, response.StatusCode)
	require.Equal(t, "text/html; charset=utf-8", response.Header.Get("Content-Type"))
	require.Equal(t, "nosniff", response.Header.Get("X-Content-Type-Options"))
	policy := response.Header.Get("Content-Security-Policy")
	require.Contains(t, policy, "default-src 'none'; script-src 'sha256-")
	require.NotContains(t, policy, "unsafe")
	page := body(t, response)
	require.NotContains(t, page, "/*style*/")
	require.NotContains(t, page, "/*script*/")
	require.NotContains(t, page, "name</b>", "what is from the cluster is only in the JSON")
	require.NotRegexp(t, `(src|href)="(https?:)?//`, page, "nothing from elsewhere")
	require.NotContains(t, page, "innerHTML")
	require.NotContains(t, page, "</script><", "the script does not end early")
}

// What the JSON says of a hostile name is harmless even where it is taken for HTML.
func TestHostileName(t *testing.T) {
	h := loopz.New(loopz.Options{Loops: []loopz.Loop{&fake{status: trimtab.Status{Name: "</script><script>alert(1)</script>\u2028\xff"}}}})
	text := body(t, get(t, h, http.MethodGet, loopz.Path+"?format=json"))
	require.NotContains(t, text, "<")
	require.Equal(t, "</script><script>alert(1)</script>\u2028\uFFFD", report(t, h).Loops[0].Name)
}

// A page without a loop, and one of a loop that has not begun.
func TestNoLoops(t *testing.T) {
	require.Contains(t, body(t, get(t, loopz.New(loopz.Options{}), http.MethodGet, loopz.Path+"?format=json")), `"loops":[]`)

	text := body(t, get(t, loopz.New(loopz.Options{Loops: []loopz.Loop{trimtab.New("idle", trimtab.Options{DisableMetrics: true})}}), http.MethodGet, loopz.Path+"?format=json"))
	require.Contains(t, text, `"measured":false`)
	require.NotContains(t, strings.NewReplacer(`"nextSeconds":null`, "", `"lastSuccess":null`, "", `"p50":null,"p95":null,"p99":null`, "").Replace(text), "null", "no list is null")
}

// server is a manager as far as AddTo needs one.
type server struct {
	manager.Manager
	config *rest.Config
	paths  map[string]http.Handler
	err    error
}

func (s *server) GetConfig() *rest.Config { return s.config }

func (s *server) AddMetricsServerExtraHandler(path string, h http.Handler) error {
	s.paths[path] = h
	return s.err
}

func TestAddTo(t *testing.T) {
	for _, config := range []*rest.Config{nil, {}, {QPS: -1}, {RateLimiter: flowcontrol.NewFakeAlwaysRateLimiter()}} {
		s := &server{config: config, paths: map[string]http.Handler{}}
		require.NoError(t, loopz.AddTo(s, &fake{status: trimtab.Status{Name: "a"}}, trimtab.New("b", trimtab.Options{DisableMetrics: true})))
		require.Len(t, s.paths, 1)
		require.Len(t, report(t, s.paths[loopz.Path]).Loops, 2)
	}
	s := &server{paths: map[string]http.Handler{}, err: errors.New("too late")}
	require.EqualError(t, loopz.AddTo(s), "loopz: add the page to the metrics server: too late")
	require.ErrorContains(t, loopz.AddTo(s, nil), "Loops[0]")
	require.ErrorContains(t, loopz.AddTo(nil), "AddTo(nil)")
}

func ExampleNew() {
	loop := trimtab.New("certificates", trimtab.Options{DisableMetrics: true})
	h := loopz.New(loopz.Options{Loops: []loopz.Loop{loop}})

	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/debug/loopz?format=json", http.NoBody))
	text, _, _ := strings.Cut(w.Body.String(), ",")
	fmt.Println(text)
	// Output: {"version":1
}
