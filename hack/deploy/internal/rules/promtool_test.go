package rules_test

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/trimtab/trimtab/hack/deploy/internal/rules"
)

// labels are those that every series of the tests has, and every alert.
func labels() map[string]string {
	return map[string]string{"namespace": "shop", "job": "operator", "controller": "order"}
}

// series is an input of promtool: a sample each minute.
type series struct {
	Series string `yaml:"series"`
	Values string `yaml:"values"`
}

// s returns a series of the loop; labels are as in `trigger="retry"`.
func s(name, labels, values string) series {
	if labels != "" {
		labels = ", " + labels
	}
	return series{name + `{namespace="shop", job="operator", controller="order"` + labels + `}`, values}
}

// firing is an alert as it must fire.
type firing struct {
	severity             string
	labels               map[string]string
	summary, description string
}

// situation is what happens to a loop, and what promtool must find then.
type situation struct {
	name   string
	alert  string
	input  []series
	at     string   // when to look
	firing []firing // all of the alert; none means that it stays quiet
}

// test is a test of promtool.
type test struct {
	Name     string      `yaml:"name"`
	Interval string      `yaml:"interval"`
	Input    []series    `yaml:"input_series"`
	Alerts   []alertTest `yaml:"alert_rule_test,omitempty"`
	Exprs    []exprTest  `yaml:"promql_expr_test,omitempty"`
}

type alertTest struct {
	At     string     `yaml:"eval_time"`
	Alert  string     `yaml:"alertname"`
	Firing []expected `yaml:"exp_alerts"`
}

type expected struct {
	Labels      map[string]string `yaml:"exp_labels"`
	Annotations map[string]string `yaml:"exp_annotations"`
}

type exprTest struct {
	Expr    string   `yaml:"expr"`
	At      string   `yaml:"eval_time"`
	Samples []sample `yaml:"exp_samples"`
}

type sample struct {
	Labels string  `yaml:"labels"`
	Value  float64 `yaml:"value"`
}

// promtool lets promtool run the test on the rules of that name and what they ask of
// others, and returns what it says. With all rules it takes several times as long.
func promtool(t *testing.T, name string, one test) (output string, err error) {
	t.Helper()
	folder := t.TempDir()
	text, err := yaml.Marshal(map[string]any{"groups": only(name)})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "rules.yaml"), text, 0o600))
	one.Interval = "1m"
	tests, err := yaml.Marshal(map[string]any{
		"rule_files":          []string{"rules.yaml"},
		"evaluation_interval": "1m",
		"tests":               []test{one},
	})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "tests.yaml"), tests, 0o600))
	command := exec.CommandContext(t.Context(), "promtool", "test", "rules", filepath.Join(folder, "tests.yaml"))
	out, err := command.CombinedOutput()
	return string(out), err
}

// only returns the rules of that name and those that they ask, in their groups.
func only(name string) []rules.Group {
	asked := ""
	groups := rules.Groups()
	for _, group := range groups {
		for _, r := range group.Rules {
			if r.Alert == name {
				asked += r.Expr
			}
		}
	}
	for i := range groups {
		groups[i].Rules = slices.DeleteFunc(groups[i].Rules, func(r rules.Rule) bool {
			return r.Alert != name && r.Record != name && (r.Record == "" || !strings.Contains(asked, r.Record))
		})
	}
	return groups
}

func (s situation) test() test {
	a := alertTest{At: s.at, Alert: s.alert, Firing: []expected{}}
	for _, f := range s.firing {
		l := labels()
		maps.Copy(l, f.labels)
		l["severity"] = f.severity
		a.Firing = append(a.Firing, expected{Labels: l, Annotations: map[string]string{
			"summary":     f.summary,
			"description": f.description,
			"runbook_url": rules.Alert{Name: s.alert}.RunbookURL(),
		}})
	}
	return test{Name: s.name, Input: s.input, Alerts: []alertTest{a}}
}

func TestPromtoolFindsTheRulesGood(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rules.yaml")
	text, err := rules.File()
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, text, 0o600))
	out, err := exec.CommandContext(t.Context(), "promtool", "check", "rules", "--lint=all", "--lint-fatal", file).CombinedOutput()
	require.NoError(t, err, string(out))
	require.Contains(t, string(out), fmt.Sprintf("%d rules found", len(rules.Recordings())+len(rules.Alerts())))
}

// Each alert fires in a bad case, with words that make sense, and stays quiet in good
// ones, of which some are near to bad.
func TestAlerts(t *testing.T) {
	for _, s := range situations() {
		t.Run(s.alert+"/"+s.name, func(t *testing.T) {
			out, err := promtool(t, s.alert, s.test())
			require.NoError(t, err, out)
		})
	}
}

// An alert without a bad and a good case is not tested.
func TestEveryAlertHasSituations(t *testing.T) {
	fires, quiet := map[string]bool{}, map[string]bool{}
	for _, s := range situations() {
		for _, f := range s.firing {
			fires[s.alert+" "+f.severity] = true
		}
		quiet[s.alert] = quiet[s.alert] || len(s.firing) == 0
	}
	for _, a := range rules.Alerts() {
		require.True(t, fires[a.Name+" "+a.Severity], "%s, %s, has no case in which it fires", a.Name, a.Severity)
		require.True(t, quiet[a.Name], "%s has no case in which it stays quiet", a.Name)
	}
	names := map[string]bool{}
	for _, a := range rules.Alerts() {
		names[a.Name] = true
	}
	require.Len(t, quiet, len(names), "a case is of an alert that there is not")
}

// The recording rules record what their help says.
func TestRecordings(t *testing.T) {
	cases := recorded()
	for _, r := range rules.Recordings() {
		t.Run(r.Name, func(t *testing.T) {
			c, ok := cases[r.Name]
			require.True(t, ok, "it has no case")
			out, err := promtool(t, r.Name, test{Name: r.Name, Input: c.input, Exprs: []exprTest{{Expr: "round(" + r.Name + ", 0.001)", At: c.at, Samples: c.want}}})
			require.NoError(t, err, out)
		})
	}
	names := slices.Sorted(maps.Keys(cases))
	require.Len(t, names, len(rules.Recordings()), "a case is of a rule that there is not")
}

// The tests can fail: promtool sees what is not as it should be.
func TestPromtoolSeesWhatIsWrong(t *testing.T) {
	all := situations()
	bad := all[slices.IndexFunc(all, func(s situation) bool { return s.firing != nil })]
	bad.firing = nil
	out, err := promtool(t, bad.alert, bad.test())
	require.Error(t, err)
	require.Contains(t, out, bad.alert)
}
