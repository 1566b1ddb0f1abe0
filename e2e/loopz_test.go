package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/metrics/filters"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/loopz"
	"github.com/trimtab/trimtab/reconcile"

	"github.com/trimtab/trimtab/e2e/internal/browser"
	"github.com/trimtab/trimtab/e2e/internal/cluster"
)

// screenshotVar names the variable with the path of the PNG that the README shows.
const screenshotVar = "TRIMTAB_SCREENSHOT"

func startBrowser(t *testing.T) *browser.Browser {
	t.Helper()
	b, err := browser.Start(t.Context())
	require.NoError(t, err)
	t.Cleanup(b.Stop)
	return b
}

// shows returns an error while the page does not show all of it.
func shows(b *browser.Browser, wanted ...string) error {
	text, err := b.Text()
	if err != nil {
		return err
	}
	for _, want := range wanted {
		if !strings.Contains(text, want) {
			return fmt.Errorf("the page does not show %q: %s", want, text)
		}
	}
	return nil
}

// A page in a real browser shows a storm while it happens, the hot object and what to
// change, in both themes and on a phone; and it shows when it is over.
func TestLoopzShowsAStorm_QU07(t *testing.T) {
	f, address := startFleet(t, "shop", 80)
	b := startBrowser(t)
	require.NoError(t, b.Look(1280, 1600, "light"))
	require.NoError(t, b.Open("http://"+address+loopz.Path))
	eventually(t, func() error { return shows(b, "Live", "shop", "One trip round the loop", "Nothing is running") })
	eventually(t, func() error {
		return shows(b, "shop/"+hotOne+" was requeued at least", "last with invalid", "DataChanged")
	})
	require.NotContains(t, rulesOf(summaryOf(t, address)), "workers")

	f.storm.Store(true)
	eventually(t, func() error { return shows(b, "timeout", "4 of 4") })
	eventually(t, func() error { return shows(b, "asked for", "of 4 workers", "MaxConcurrentReconciles", "shop/"+hotOne) })
	require.Contains(t, eval[string](t, b, `document.querySelector("#news").textContent`), "dvice", "a screen reader hears of it")

	if os.Getenv(screenshotVar) != "" {
		time.Sleep(patience) // The charts are to show something.
	}
	for _, theme := range []string{"light", "dark"} {
		require.NoError(t, b.Look(1280, 1180, theme))
		require.Empty(t, eval[[]string](t, b, paleScript), "the text of the %s theme can be read", theme)
		keep(t, b, theme)
	}
	for _, width := range []int64{901, 640, 320, 390} {
		require.NoError(t, b.Look(width, 900, "light"))
		require.LessOrEqual(t, eval[int](t, b, overflowScript), 0, "no horizontal scrolling at %d", width)
	}
	keep(t, b, "phone")
	require.NoError(t, b.Look(1280, 1600, "light"))
	testKeyboard(t, b)

	f.storm.Store(false)
	eventually(t, func() error {
		if n := summaryOf(t, address).Queue.Depth; n > 5 {
			return fmt.Errorf("%d are ready", n)
		}
		return nil
	})
	require.Empty(t, b.Complaints())
}

// overflowScript is how much wider than the window the page is.
const overflowScript = `document.documentElement.scrollWidth - innerWidth`

// paleScript is what text has too little contrast with what is behind it: less than the
// 4.5 that WCAG asks for.
const paleScript = `(() => {
	const light = (c) => { const [r, g, b] = c.map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
	const parse = (s) => s.match(/[\d.]+/g).map(Number);
	const behind = (n) => { for (; n; n = n.parentElement) { const c = parse(getComputedStyle(n).backgroundColor); if (c.length < 4 || c[3] > 0) return c.slice(0, 3); } return [255, 255, 255]; };
	const pale = [];
	for (const n of document.querySelectorAll("p, th, td, h1, h2, h3, h4, a, button, span, strong")) {
		if (!n.innerText || !n.offsetParent || ![...n.childNodes].some((c) => c.nodeType === 3 && c.textContent.trim())) continue;
		const a = light(parse(getComputedStyle(n).color).slice(0, 3)), b = light(behind(n));
		const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
		if (contrast < 4.5) pale.push(contrast.toFixed(1) + " " + n.outerHTML);
	}
	return pale;
})()`

// testKeyboard goes to the loop by keys, and closes and opens it.
func testKeyboard(t *testing.T, b *browser.Browser) {
	t.Helper()
	eval[bool](t, b, `(() => { document.activeElement.blur(); scrollTo(0, 0); return true; })()`)
	focused := func() string {
		return eval[string](t, b, `(document.activeElement.innerText || "") + " " + (document.activeElement.getAttribute("aria-expanded") || "")`)
	}
	for range 10 {
		require.NoError(t, b.Press(kb.Tab))
		if strings.HasPrefix(focused(), "shop") {
			break
		}
	}
	require.Equal(t, "shop true", focused())
	require.NoError(t, b.Press(kb.Enter))
	require.Equal(t, "shop false", focused())
	require.NoError(t, b.Press(" "))
	require.Equal(t, "shop true", focused())
	// What is needed to find one's way by ear.
	require.Empty(t, eval[[]string](t, b, `[...document.querySelectorAll("main table")].filter((n) => !n.caption).map((n) => n.outerHTML)
		.concat([...document.querySelectorAll("main svg")].filter((n) => n.getAttribute("aria-hidden") !== "true").map((n) => n.outerHTML))
		.concat([...document.querySelectorAll("[role=img]")].filter((n) => !n.getAttribute("aria-label")).map((n) => n.outerHTML))
		.concat([...document.querySelectorAll("main thead th, main tbody th")].filter((n) => !n.scope).map((n) => n.outerHTML))
		.concat(["header", "main", "footer", "h1", "h2", "[aria-live=polite]", "[role=status]"].filter((s) => !document.querySelector(s)))`))
}

// keep writes a screenshot if one is asked for: that of the light theme is the README's.
func keep(t *testing.T, b *browser.Browser, name string) {
	t.Helper()
	path := os.Getenv(screenshotVar)
	if path == "" {
		return
	}
	png, err := b.Screenshot()
	require.NoError(t, err)
	if name != "light" {
		path = strings.TrimSuffix(path, ".png") + "-" + name + ".png"
	}
	require.NoError(t, os.WriteFile(path, png, 0o644)) //nolint:gosec // Everybody may see it.
}

// summaryOf reads the JSON of the first loop.
func summaryOf(t *testing.T, address string) loopz.LoopReport {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address+loopz.Path+"?format=json", http.NoBody)
	require.NoError(t, err)
	answer, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer func() { require.NoError(t, answer.Body.Close()) }()
	var r loopz.Report
	require.NoError(t, json.NewDecoder(answer.Body).Decode(&r))
	return r.Loops[0]
}

func rulesOf(l loopz.LoopReport) (rules []string) {
	for _, a := range l.Advice {
		rules = append(rules, a.Rule)
	}
	return rules
}

// served serves h at address until the test ends, or stop is called.
func served(t *testing.T, address string, h http.Handler) (stop func()) {
	t.Helper()
	l, err := net.Listen("tcp", address) //nolint:noctx // It is on loopback.
	require.NoError(t, err)
	server := &http.Server{Handler: h, ReadHeaderTimeout: patience}
	go func() { _ = server.Serve(l) }()
	stop = func() { _ = server.Close() }
	t.Cleanup(stop)
	return stop
}

// hostile is a name that would run, if it were not text.
const hostile = `<img src=x onerror=alert(1)><script>alert(2)</script>"'` + "`${alert(3)}`\u202e"

// The names of objects, loops and classes are text, whatever they look like.
func TestLoopzShowsNamesAsText(t *testing.T) {
	loop := trimtab.NewTyped("loop "+hostile, trimtab.TypedOptions[string]{
		Registerer: prometheus.NewRegistry(),
		Reconcile:  reconcile.Options[string]{Class: func(error) string { return "class " + hostile }},
	})
	r := loop.Reconciler(reconcile.TypedFunc[string](func(context.Context, string) (reconcile.Result, error) {
		return reconcile.Result{}, fmt.Errorf("broken")
	}))
	o := loop.ControllerOptions(controller.TypedOptions[string]{})
	q := o.NewQueue("hostile", o.RateLimiter)
	t.Cleanup(q.ShutDown)
	for range 3 {
		q.Add("object " + hostile)
		request, _ := q.Get()
		_, _ = r.Reconcile(t.Context(), request)
		q.AddRateLimited(request)
		q.Done(request)
	}
	q.Add("running " + hostile)
	_, _ = q.Get()
	address := freeAddress(t)
	served(t, address, loopz.New(loopz.Options{Loops: []loopz.Loop{loop}}))
	b := startBrowser(t)
	require.NoError(t, b.Open("http://"+address))
	eventually(t, func() error {
		return shows(b, "loop "+hostile, "object "+hostile, "running "+hostile, "class "+hostile)
	})
	require.Zero(t, eval[int](t, b, `document.querySelectorAll("main img, main script").length`))
	require.Empty(t, b.Complaints())
}

// The page says that the operator is gone, waits, and goes on by itself when another
// one answers; without a loop it says so, and with fifty it stays usable.
func TestLoopzComesBack(t *testing.T) {
	var loops []loopz.Loop
	for i := range 50 {
		loops = append(loops, trimtab.New(fmt.Sprintf("loop-%02d", i), trimtab.Options{Registerer: prometheus.NewRegistry()}))
	}
	address := freeAddress(t)
	stop := served(t, address, loopz.New(loopz.Options{}))
	b := startBrowser(t)
	require.NoError(t, b.Look(1280, 900, "light"))
	require.NoError(t, b.Open("http://"+address))
	eventually(t, func() error { return shows(b, "Live", "There is no loop on this page") })
	require.Empty(t, b.Complaints())

	stop()
	eventually(t, func() error { return shows(b, "Not connected", "The operator does not answer", "Trying again in") })
	stop = served(t, address, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }))
	eventually(t, func() error { return shows(b, "It asks who you are (HTTP 403)") })
	stop()
	served(t, address, loopz.New(loopz.Options{Loops: loops}))
	require.NoError(t, b.Click("#now"))
	eventually(t, func() error { return shows(b, "Live", "All loops", "loop-00", "loop-49") })
	require.NotContains(t, text(t, b), "does not answer")
	_ = b.Complaints() // A browser tells of each request that failed.

	require.NoError(t, b.Click(`a[href="#loop-30"]`))
	eventually(t, func() error { return shows(b, "No controller runs on this loop's queue now") })
	require.NoError(t, b.Look(390, 900, "dark"))
	require.LessOrEqual(t, eval[int](t, b, overflowScript), 0)
	require.True(t, eval[bool](t, b, `(() => { const f = document.querySelector("#filter"); f.value = "49"; return f.dispatchEvent(new Event("input")); })()`))
	require.NotContains(t, text(t, b), "loop-30")
	require.NoError(t, b.Click("#pause"))
	eventually(t, func() error { return shows(b, "Paused") })
	require.Empty(t, b.Complaints())
}

// The operator of the examples has the page beside its metrics, of the loop that works.
func TestLoopzOfTheOperator(t *testing.T) {
	s := newScene(t)
	p := s.startOperator(t)
	s.served(t, s.createMany(t, 3)...)
	address := strings.TrimSuffix(strings.TrimPrefix(p.LoopzURL(), "http://"), loopz.Path)
	l := summaryOf(t, address)
	require.Equal(t, "certificate", l.Controller)
	require.True(t, l.Measured)
	require.Equal(t, 4, l.Workers.Limit)
	require.GreaterOrEqual(t, l.Totals.Runs, uint64(3))
	require.Positive(t, l.Recent.Phases.Write)
	b := startBrowser(t)
	require.NoError(t, b.Open(p.LoopzURL()))
	eventually(t, func() error { return shows(b, "Live", "certificate", s.namespace+"/") })
	require.Empty(t, b.Complaints())
}

// Who may not read the metrics may not look at the page either.
func TestLoopzAsksWhoIsThere(t *testing.T) {
	address := freeAddress(t)
	mgr, err := ctrl.NewManager(world.Config(), ctrl.Options{Metrics: metricsserver.Options{
		BindAddress:    address,
		FilterProvider: filters.WithAuthenticationAndAuthorization,
	}})
	require.NoError(t, err)
	require.NoError(t, loopz.AddTo(mgr, trimtab.New("secret", trimtab.Options{Registerer: prometheus.NewRegistry()})))
	runManager(t, mgr)
	status := func(path, token string) int {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address+path, http.NoBody)
		require.NoError(t, err)
		if token != "" {
			request.Header.Set("Authorization", "Bearer "+token)
		}
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			return 0
		}
		defer func() { require.NoError(t, answer.Body.Close()) }()
		return answer.StatusCode
	}
	eventually(t, func() error {
		if got := status("/metrics", ""); got != http.StatusUnauthorized {
			return fmt.Errorf("status %d", got)
		}
		return nil
	})
	for _, path := range []string{loopz.Path, loopz.Path + "?format=json"} {
		require.Equal(t, http.StatusUnauthorized, status(path, ""))
		require.Equal(t, http.StatusForbidden, status(path, tokenOf(t, "stranger")))
		require.Equal(t, http.StatusOK, status(path, tokenOf(t, "looker", loopz.Path)))
	}
}

// tokenOf returns a token of a service account that may get those paths.
func tokenOf(t *testing.T, name string, paths ...string) string {
	t.Helper()
	ctx := t.Context()
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: cluster.Namespace, Name: name}}
	require.NoError(t, client.IgnoreAlreadyExists(world.Create(ctx, account)))
	if len(paths) > 0 {
		role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: []rbacv1.PolicyRule{{Verbs: []string{"get"}, NonResourceURLs: paths}}}
		require.NoError(t, client.IgnoreAlreadyExists(world.Create(ctx, role)))
		require.NoError(t, client.IgnoreAlreadyExists(world.Create(ctx, &rbacv1.ClusterRoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name},
			Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: cluster.Namespace, Name: name}},
		})))
	}
	request := &authenticationv1.TokenRequest{}
	require.NoError(t, world.SubResource("token").Create(ctx, account, request))
	return request.Status.Token
}

func eval[T any](t *testing.T, b *browser.Browser, expression string) T {
	t.Helper()
	result, err := browser.Eval[T](b, expression)
	require.NoError(t, err)
	return result
}

func text(t *testing.T, b *browser.Browser) string {
	t.Helper()
	s, err := b.Text()
	require.NoError(t, err)
	return s
}
