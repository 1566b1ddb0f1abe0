package rules

// Alert is an alert rule with what its runbook page says of it.
type Alert struct {
	// Name is that of the alert, and of its page in docs/runbook. Two alerts of one
	// name differ in their Severity.
	Name string

	// Severity is critical if somebody should look now, else warning.
	Severity string

	// Expr is the PromQL that returns something while the alert is due.
	Expr string

	// For is how long that must be so. Empty means that once is enough.
	For string

	// Summary and Description are what the on-call person reads first: what is
	// wrong, and with which number. They are templates of Prometheus.
	Summary, Description string

	// Panels are the titles of the dashboard's panels to look at.
	Panels []string
}

// Severities.
const (
	critical = "critical"
	warning  = "warning"
)

const runbooks = "https://github.com/trimtab/trimtab/blob/main/docs/runbook/"

// RunbookURL returns where the runbook page is.
func (a Alert) RunbookURL() string { return runbooks + a.Name + ".md" }

func (a Alert) rule() Rule {
	return Rule{
		Alert:  a.Name,
		Expr:   a.Expr,
		For:    a.For,
		Labels: map[string]string{"severity": a.Severity},
		Annotations: map[string]string{
			"summary":     a.Summary,
			"description": a.Description,
			"runbook_url": a.RunbookURL(),
		},
	}
}
