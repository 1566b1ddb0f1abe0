package board

import "strings"

// Row is a row of panels.
type Row struct {
	Title  string
	Panels []Panel
}

// Kind is how a panel shows its queries.
type Kind int

// The kinds of panels.
const (
	Lines   Kind = iota // each series over time
	Stacked             // the same, one above the other
	Stat                // the last value, in large
	Table               // the last values of the series, the largest first
	Heatmap             // the buckets of a histogram over time
)

// Panel is a panel.
type Panel struct {
	// Title is unique in the dashboard.
	Title string

	// Description says what the panel shows and when that is bad.
	Description string

	// Unit is Grafana's, such as s.
	Unit string

	Kind Kind

	// Width is of 24. Zero means 8.
	Width uint32

	// Limit is where good ends, in the panel's unit: a line, and red beyond it. Zero
	// means none.
	Limit float64

	Queries []Query
}

// Query is a query of a panel.
type Query struct {
	// Expr is PromQL in which {loop} stands for the labels of the chosen loops and
	// {process} for those of their processes; {loop, x="y"} has one more. See PromQL.
	Expr string

	// Legend names the series, by their labels.
	Legend string
}

// PromQL returns the expression with the dashboard's variables.
func (q Query) PromQL() string {
	const process = `{namespace=~"$namespace", job=~"$job"`
	return strings.NewReplacer("{process", process, "{loop", process+`, controller=~"$controller"`).Replace(q.Expr)
}

// Columns returns how many of 24 columns the panel takes.
func (p Panel) Columns() uint32 {
	if p.Width == 0 {
		return 8
	}
	return p.Width
}
