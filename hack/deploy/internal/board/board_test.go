package board_test

import (
	"encoding/json"
	"os"
	"regexp"
	"testing"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/cog/plugins"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/hack/deploy/internal/board"
)

func panels() (all []board.Panel) {
	for _, row := range board.Rows() {
		all = append(all, row.Panels...)
	}
	return all
}

func TestEveryPanelSaysWhatItIs(t *testing.T) {
	titles := map[string]bool{}
	for _, p := range panels() {
		require.False(t, titles[p.Title], "there are two of %s", p.Title)
		titles[p.Title] = true
		require.Regexp(t, `[.?]$`, p.Description, p.Title)
		require.NotEmpty(t, p.Unit, p.Title)
		require.NotEmpty(t, p.Queries, p.Title)
		for _, q := range p.Queries {
			require.NotEmpty(t, q.Legend, p.Title)
		}
	}
}

// Rows have no hole: Grafana would show it.
func TestRowsAreFull(t *testing.T) {
	for _, row := range board.Rows() {
		width := uint32(0)
		for _, p := range row.Panels {
			require.LessOrEqual(t, width%24+p.Columns(), uint32(24), p.Title)
			width += p.Columns()
		}
		require.Zero(t, width%24, row.Title)
	}
}

// Each query is of the chosen loops or processes only, but for what needs no series.
func TestQueriesHeedTheVariables(t *testing.T) {
	selectors := regexp.MustCompile(`\{[^{}]*\}`)
	for _, p := range panels() {
		for _, q := range p.Queries {
			expr := q.PromQL()
			found := selectors.FindAllString(expr, -1)
			require.NotEmpty(t, found, expr)
			for _, s := range found {
				require.Contains(t, s, `namespace=~"$namespace", job=~"$job"`, expr)
			}
			named := regexp.MustCompile(`trimtab_[a-z_]+|ALERTS|process_[a-z_]+|rest_client_[a-z_]+`).FindAllString(expr, -1)
			require.Len(t, found, len(named), "a series without a selector: %s", expr)
		}
	}
}

// The dashboard knows all series that package metrics documents, and no others.
func TestShowsAllSeries(t *testing.T) {
	doc, err := os.ReadFile("../../../../metrics/doc.go")
	require.NoError(t, err)
	documented := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^//\t([a-z]+_[a-z_]+) `).FindAllStringSubmatch(string(doc), -1) {
		documented["trimtab_"+m[1]] = true
	}
	require.Greater(t, len(documented), 30)

	shown := map[string]bool{}
	for _, p := range panels() {
		for _, q := range p.Queries {
			for _, name := range regexp.MustCompile(`trimtab_[a-z_]+`).FindAllString(q.PromQL(), -1) {
				if !documented[name] {
					name = regexp.MustCompile(`_(bucket|count|sum)$`).ReplaceAllString(name, "")
				}
				shown[name] = true
			}
		}
	}
	require.Equal(t, documented, shown)
}

// Grafana's own schema has each field that is built, with its type.
func TestSchema(t *testing.T) {
	text, err := board.JSON()
	require.NoError(t, err)
	plugins.RegisterDefaultPlugins()
	//nolint:staticcheck // Every Grafana imports this schema.
	err = new(dashboard.Dashboard).UnmarshalJSONStrict(text)
	var faults cog.BuildErrors
	require.ErrorAs(t, err, &faults) // The error is never nil: what it holds counts.
	require.Empty(t, faults)
}

// What is built is what Grafana reads: rows, panels with ids of their own, variables.
func TestJSON(t *testing.T) {
	text, err := board.JSON()
	require.NoError(t, err)
	var d struct {
		UID    string
		Panels []struct {
			ID      int
			Type    string
			Title   string
			GridPos struct{ H, W, X, Y int }
		}
		Templating struct{ List []struct{ Name, Type string } }
	}
	require.NoError(t, json.Unmarshal(text, &d))
	require.Equal(t, "trimtab-loops", d.UID)
	require.Len(t, d.Panels, len(board.Rows())+len(panels()))
	require.Len(t, d.Templating.List, 1+len(board.Variables()))

	ids, taken := map[int]bool{}, map[[2]int]string{}
	for _, p := range d.Panels {
		require.False(t, ids[p.ID], p.Title)
		ids[p.ID] = true
		for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
			for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
				require.Empty(t, taken[[2]int{x, y}], "%s lies on it", p.Title)
				taken[[2]int{x, y}] = p.Title
			}
		}
	}
}
