package board

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

// Variable is a template variable whose values are those of a label.
type Variable struct{ Name, Label, Query string }

// Variables returns the template variables, each of those before it.
func Variables() []Variable {
	const series = "trimtab_workers_limit"
	return []Variable{
		{Name: "namespace", Label: "Namespace", Query: `label_values(` + series + `, namespace)`},
		{Name: "job", Label: "Job", Query: `label_values(` + series + `{namespace=~"$namespace"}, job)`},
		{Name: "controller", Label: "Controller", Query: `label_values(` + series + `{namespace=~"$namespace", job=~"$job"}, controller)`},
	}
}

// JSON returns the dashboard as Grafana imports it.
func JSON() ([]byte, error) {
	d, err := build()
	if err != nil {
		return nil, fmt.Errorf("board: %w", err)
	}
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(d); err != nil {
		return nil, fmt.Errorf("board: %w", err)
	}
	return text.Bytes(), nil
}

func build() (any, error) {
	//nolint:staticcheck // Every Grafana imports this schema; the newer one wants Grafana 12.
	b := dashboard.NewDashboardBuilder("Trimtab: reconcile loops")
	b.Uid("trimtab-loops").
		Description("The reconcile loops of operators that are built with Trimtab. Generated; github.com/trimtab/trimtab/hack/deploy is its source.").
		Tags([]string{"trimtab", "kubernetes", "controller-runtime"}).
		Editable().
		Tooltip(dashboard.DashboardCursorSyncCrosshair).
		Refresh("30s").
		Time("now-1h", "now").
		Timezone(common.TimeZoneBrowser).
		Link(runbook()).
		WithVariable(dashboard.NewDatasourceVariableBuilder("datasource").Label("Data source").Type("prometheus"))
	for _, v := range Variables() {
		b.WithVariable(v.builder())
	}
	id := uint32(0)
	for _, row := range Rows() {
		id++
		b.WithRow(dashboard.NewRowBuilder(row.Title).Id(id))
		for _, p := range row.Panels {
			id++
			b.WithPanel(p.builder(id))
		}
	}
	return b.Build()
}

func runbook() cog.Builder[dashboard.DashboardLink] {
	return dashboard.NewDashboardLinkBuilder("Runbook").
		Type(dashboard.DashboardLinkTypeLink).
		Url("https://github.com/trimtab/trimtab/tree/main/docs/runbook").
		TargetBlank(true)
}

func (v Variable) builder() cog.Builder[dashboard.VariableModel] {
	return dashboard.NewQueryVariableBuilder(v.Name).
		Label(v.Label).
		Query(dashboard.StringOrMap{String: new(v.Query)}).
		Definition(v.Query).
		Datasource(datasource()).
		Refresh(dashboard.VariableRefreshOnTimeRangeChanged).
		Sort(dashboard.VariableSortAlphabeticalAsc).
		Multi(true).
		IncludeAll(true).
		AllValue(".*"). // Also what has no such label, outside Kubernetes.
		Current(dashboard.VariableOption{
			Text:  dashboard.StringOrArrayOfString{String: new("All")},
			Value: dashboard.StringOrArrayOfString{String: new("$__all")},
		})
}

func datasource() common.DataSourceRef {
	return common.DataSourceRef{Type: new("prometheus"), Uid: new("${datasource}")}
}
