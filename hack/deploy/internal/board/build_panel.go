package board

import (
	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/cog/variants"
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/heatmap"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
	"github.com/grafana/grafana-foundation-sdk/go/stat"
	"github.com/grafana/grafana-foundation-sdk/go/table"
	"github.com/grafana/grafana-foundation-sdk/go/timeseries"
)

const (
	height     = 8
	statHeight = 4
)

// builder returns the panel for the SDK.
func (p Panel) builder(id uint32) cog.Builder[dashboard.Panel] {
	switch p.Kind {
	case Stat:
		return stat.NewPanelBuilder().Id(id).Title(p.Title).Description(p.Description).Datasource(datasource()).
			Height(statHeight).Span(p.Columns()).Unit(p.Unit).Thresholds(p.thresholds()).
			GraphMode(common.BigValueGraphModeArea).
			ReduceOptions(common.NewReduceDataOptionsBuilder().Calcs([]string{"lastNotNull"})).
			Targets(p.targets())
	case Table:
		return table.NewPanelBuilder().Id(id).Title(p.Title).Description(p.Description).Datasource(datasource()).
			Height(height).Span(p.Columns()).Unit(p.Unit).
			SortBy([]cog.Builder[common.TableSortByFieldState]{common.NewTableSortByFieldStateBuilder().DisplayName("Value").Desc(true)}).
			Footer(common.NewTableFooterOptionsBuilder().Show(false).Reducer([]string{})).
			WithTransformation(dashboard.DataTransformerConfig{
				Id:      "organize",
				Options: map[string]any{"excludeByName": map[string]bool{"Time": true}},
			}).
			Targets(p.targets())
	case Heatmap:
		return heatmap.NewPanelBuilder().Id(id).Title(p.Title).Description(p.Description).Datasource(datasource()).
			Height(height).Span(p.Columns()).
			YAxis(heatmap.NewYAxisConfigBuilder().Unit(p.Unit)).
			Targets(p.targets())
	default:
		return p.lines(id)
	}
}

// lines returns a panel of series over time.
func (p Panel) lines(id uint32) cog.Builder[dashboard.Panel] {
	b := timeseries.NewPanelBuilder().Id(id).Title(p.Title).Description(p.Description).Datasource(datasource()).
		Height(height).Span(p.Columns()).Unit(p.Unit).Min(0).
		Legend(common.NewVizLegendOptionsBuilder().
			DisplayMode(common.LegendDisplayModeTable).
			Placement(common.LegendPlacementBottom).
			ShowLegend(true).
			Calcs([]string{"lastNotNull", "max"})).
		Tooltip(common.NewVizTooltipOptionsBuilder().
			Mode(common.TooltipDisplayModeMulti).
			Sort(common.SortOrderDescending)).
		Targets(p.targets())
	if p.Kind == Stacked {
		b.FillOpacity(30).Stacking(common.NewStackingConfigBuilder().Mode(common.StackingModeNormal))
	}
	if p.Limit > 0 {
		b.Thresholds(p.thresholds()).
			ThresholdsStyle(common.NewGraphThresholdsStyleConfigBuilder().Mode(common.GraphThresholdsStyleModeDashed))
	}
	return b
}

func (p Panel) thresholds() cog.Builder[dashboard.ThresholdsConfig] {
	steps := []dashboard.Threshold{{Color: "green"}}
	if p.Limit > 0 {
		steps = append(steps, dashboard.Threshold{Color: "red", Value: new(p.Limit)})
	}
	return dashboard.NewThresholdsConfigBuilder().Mode(dashboard.ThresholdsModeAbsolute).Steps(steps)
}

func (p Panel) targets() (targets []cog.Builder[variants.Dataquery]) {
	for i, q := range p.Queries {
		t := prometheus.NewDataqueryBuilder().
			RefId(string(rune('A' + i))).
			Datasource(datasource()).
			EditorMode(prometheus.QueryEditorModeCode).
			Expr(q.PromQL()).
			LegendFormat(q.Legend)
		switch p.Kind {
		case Table:
			t.Instant().Format(prometheus.PromQueryFormatTable)
		case Heatmap:
			t.Range().Format(prometheus.PromQueryFormatHeatmap)
		default:
			t.Range()
		}
		targets = append(targets, t)
	}
	return targets
}
