package rules

// Group is rules that are evaluated one after the other, as a rule file has it.
type Group struct {
	Name  string `yaml:"name"`
	Rules []Rule `yaml:"rules"`
}

// Rule is a recording rule or an alert rule, as a rule file has it.
type Rule struct {
	Record      string            `yaml:"record,omitempty"`
	Alert       string            `yaml:"alert,omitempty"`
	Expr        string            `yaml:"expr"`
	For         string            `yaml:"for,omitempty"`
	Labels      map[string]string `yaml:"labels,omitempty"`
	Annotations map[string]string `yaml:"annotations,omitempty"`
}

// Groups returns all rules.
func Groups() []Group {
	recordings := Group{Name: "trimtab-recordings"}
	for _, r := range Recordings() {
		recordings.Rules = append(recordings.Rules, r.rule())
	}
	alerts := Group{Name: "trimtab-alerts"}
	for _, a := range Alerts() {
		alerts.Rules = append(alerts.Rules, a.rule())
	}
	return []Group{recordings, alerts}
}

// Words that the rules share. A loop is one controller of one operator; most rules
// add up its replicas, of which all but the leader do nothing.
const (
	loop     = "namespace, job, controller"
	replica  = "namespace, job, controller, instance"
	byUser   = `trigger=~"primary|external"`
	noError  = `class=~"success|requeue"`
	expected = `class!~"success|requeue|conflict|canceled"`
)

// bound is a matcher for a classic bucket: since Prometheus 3 its label is 30.0,
// before it is 30.
func bound(seconds string) string { return `le=~"` + seconds + `(\\.0)?"` }
