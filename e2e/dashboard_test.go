package e2e_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	promv1 "github.com/prometheus/client_golang/api/prometheus/v1"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	certv1 "github.com/trimtab/trimtab/examples/certrotator/api/v1"

	"github.com/trimtab/trimtab/e2e/internal/operator"
	"github.com/trimtab/trimtab/e2e/internal/outage"
	"github.com/trimtab/trimtab/e2e/internal/prometheus"
)

// Every query of the dashboard has data of a real operator in a real Prometheus, which
// evaluates each rule without an error, and no alert fires.
func TestDashboardAndRules(t *testing.T) {
	s := newScene(t)
	first := s.createMany(t, 10, lives(time.Minute, 45*time.Second)) // they come as a resync
	p := s.startOperator(t, "--backoff-base=200ms", "--backoff-max=2s", "--recheck-interval=1s", "--rotation-spread=1s")
	prom := startPrometheus(t, p, prometheus.Options{Rules: "../deploy/rules.yaml"})
	native := startPrometheus(t, p, prometheus.Options{Native: true})
	s.served(t, first...)
	stir := s.trouble(t, first)

	missing := map[string]question{}
	d := readDashboard(t)
	values := d.variables(t, prom)
	for id, expr := range d.queries() {
		missing[id] = question{prom, substitute(t, expr, values)}
	}
	for _, name := range recordings(t, prom) {
		missing["rule "+name] = question{prom, name}
	}
	for _, expr := range nativeQueries(t) {
		missing["native "+expr] = question{native, expr}
	}
	require.Greater(t, len(missing), 60)
	eventually(t, func() error {
		stir()
		for id, q := range missing {
			if ok, err := q.hasData(t, id); err != nil {
				return err
			} else if ok {
				delete(missing, id)
			}
		}
		if len(missing) > 0 {
			return fmt.Errorf("no data: %s", strings.Join(slices.Sorted(maps.Keys(missing)), "; "))
		}
		return nil
	})

	requireQuiet(t, prom)
	ok, err := question{prom, `rate(trimtab_no_such_total[30s])`}.hasData(t, "none")
	require.NoError(t, err)
	require.False(t, ok, "the test takes nothing for data")
}

// startPrometheus starts a Prometheus that scrapes the operator each second.
func startPrometheus(t *testing.T, p *operator.Process, opts prometheus.Options) *prometheus.Prometheus {
	t.Helper()
	target, err := url.Parse(p.MetricsURL())
	require.NoError(t, err)
	if opts.Rules != "" {
		opts.Rules, err = filepath.Abs(opts.Rules)
		require.NoError(t, err)
	}
	opts.Folder, opts.Target, opts.Interval = t.TempDir(), target.Host, time.Second
	opts.Namespace, opts.Job = "certrotator-system", "certrotator"
	prom, err := prometheus.Start(t.Context(), opts)
	require.NoError(t, err)
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(tail(prom.Log()))
		}
		require.NoError(t, prom.Stop())
	})
	return prom
}

// nativeQueries returns what deploy/README.md says for native histograms.
func nativeQueries(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("../deploy/README.md")
	require.NoError(t, err)
	var found []string
	for _, m := range regexp.MustCompile("(?m)^histogram_quantile.*|`1 - histogram_fraction[^`]*`").FindAllString(string(text), -1) {
		if !strings.Contains(m, "_bucket") {
			found = append(found, strings.Trim(m, "`"))
		}
	}
	require.Len(t, found, 2)
	return found
}

// trouble makes each signal happen: writes of Secrets in a namespace of its own are
// refused, and a Secret is somebody else's, so that there are retries and polls as long
// as the test goes on. What it returns changes and spoils something each time.
func (s *scene) trouble(t *testing.T, certs []*certv1.Certificate) (stir func()) {
	t.Helper()
	const beside = "dashboard-beside"
	require.NoError(t, world.CreateNamespace(t.Context(), beside))
	other := &scene{namespace: beside, ca: s.ca, log: s.log}
	t.Cleanup(func() { other.clear(t) })
	require.NoError(t, outage.Begin(t.Context(), world, beside))
	t.Cleanup(func() { require.NoError(t, outage.End(context.WithoutCancel(t.Context()), world, beside)) })
	failing := other.createMany(t, 3)

	taken := &corev1.Secret{}
	taken.Namespace, taken.Name = s.namespace, "taken"
	require.NoError(t, world.Create(t.Context(), taken))
	s.create(t, "polled", func(spec *certv1.CertificateSpec) { spec.SecretName = taken.Name })

	turn := 0
	return func() {
		cert := certs[turn%len(certs)]
		turn++
		change(t, cert, addName)
		change(t, failing[turn%len(failing)], addName) // its backoff starts anew
		spoiled := &corev1.Secret{}
		spoiled.Namespace, spoiled.Name = secretKey(cert).Namespace, secretKey(cert).Name
		require.NoError(t, client.IgnoreNotFound(world.Delete(t.Context(), spoiled)))
		time.Sleep(time.Second) // a scrape
	}
}

// dashboard is what the test needs of the dashboard's JSON.
type dashboard struct {
	Panels []struct {
		Title, Type string
		Targets     []struct{ RefID, Expr string }
	}
	Templating struct {
		List []struct {
			Name, Type string
			Query      any
		}
	}
}

func readDashboard(t *testing.T) (d dashboard) {
	t.Helper()
	text, err := os.ReadFile("../deploy/dashboard.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &d))
	return d
}

// queries returns the queries of all panels, by the titles.
func (d dashboard) queries() map[string]string {
	all := map[string]string{}
	for _, p := range d.Panels {
		for _, target := range p.Targets {
			all[p.Title+" "+target.RefID] = target.Expr
		}
	}
	return all
}

// variables returns what Grafana would offer for each variable, which must be
// something.
func (d dashboard) variables(t *testing.T, prom *prometheus.Prometheus) map[string]string {
	t.Helper()
	values := map[string]string{"__rate_interval": "15s"}
	query := regexp.MustCompile(`^label_values\((.*), ([a-z]+)\)$`)
	for _, v := range d.Templating.List {
		if v.Type != "query" {
			continue
		}
		m := query.FindStringSubmatch(fmt.Sprint(v.Query))
		require.NotNil(t, m, "%s: %v", v.Name, v.Query)
		selector := substitute(t, m[1], values)
		eventually(t, func() error {
			found, err := prom.LabelsOf(t.Context(), m[2], selector)
			if err == nil && len(found) == 0 {
				err = errors.New("no values of " + selector)
			}
			values[v.Name] = strings.Join(found, "|")
			return err
		})
	}
	require.Equal(t, map[string]string{
		"__rate_interval": "15s", "namespace": "certrotator-system", "job": "certrotator", "controller": "certificate",
	}, values)
	return values
}

// substitute returns the expression with values in the place of variables, all of
// which must be known.
func substitute(t *testing.T, expr string, values map[string]string) string {
	t.Helper()
	return regexp.MustCompile(`\$[a-z_]+`).ReplaceAllStringFunc(expr, func(name string) string {
		value, ok := values[name[1:]]
		require.True(t, ok, "%s in %s", name, expr)
		return value
	})
}

// question is what a Prometheus is asked.
type question struct {
	prom *prometheus.Prometheus
	expr string
}

// hasData says whether the expression returns something, and, if it is of what happens
// here, something that is not zero.
func (q question) hasData(t *testing.T, id string) (bool, error) {
	t.Helper()
	values, err := q.prom.Values(t.Context(), q.expr)
	if err != nil || mayBeZero(id) {
		return len(values) > 0, err
	}
	return slices.ContainsFunc(values, func(v float64) bool { return v != 0 }), nil
}

// recordings returns the recorded series, once all rules have been evaluated.
func recordings(t *testing.T, prom *prometheus.Prometheus) (names []string) {
	t.Helper()
	eventually(t, func() (err error) {
		names, _, err = prom.Evaluated(t.Context())
		return err
	})
	require.NotEmpty(t, names)
	return names
}

// mayBeZero is what does not happen here, or is seldom so at the moment of a scrape.
func mayBeZero(id string) bool {
	return slices.ContainsFunc([]string{
		"Firing alerts", "Saturated", "Saturation", "What must not happen", "Runs past their deadline",
		"Hot loops, overruns, failure resets A", "Hot loops, overruns, failure resets B",
		"Slow runs for users' changes", "rule controller:trimtab_latency_slow", "Delays of failed requests over 5 minutes",
		"Ready", "Queue depth", "Waiting", "Busy", "Workers A", "Worker utilisation", "rule controller:trimtab_workers", "Longest run", "Oldest run", "native 1 -",
	}, func(prefix string) bool { return strings.HasPrefix(id, prefix) })
}

// requireQuiet fails if an alert fires: what happens here is worth none.
func requireQuiet(t *testing.T, prom *prometheus.Prometheus) {
	t.Helper()
	_, alerts, err := prom.Evaluated(t.Context())
	require.NoError(t, err)
	require.NotEmpty(t, alerts)
	for _, a := range alerts {
		require.NotEqual(t, string(promv1.AlertStateFiring), a.State, a.Name)
	}
}
