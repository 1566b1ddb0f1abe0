package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// matrix has a line for each case of one benchmark and a column for each unit of it.
// Each case is of one contestant.
type matrix struct {
	name    string
	param   string // tells the cases apart
	title   string
	columns []column
}

type column struct{ title, unit string }

// outage is what limiters do in an outage and after it.
func outage() matrix {
	return matrix{"Outage", "limiter", "Outage of 10 minutes, 10,000 keys", []column{
		{"retries meanwhile", "retries-meanwhile"},
		{"half are well after", "s-half-well"},
		{"all are well after", "s-all-well"},
		{"most runs in a second after it", "peak-after"},
	}}
}

// writeMatrix writes nothing without a case.
func (r *Results) writeMatrix(b *strings.Builder, m matrix) {
	cases := r.of(m.name, m.columns[0].unit, nil)
	if len(cases) == 0 {
		return
	}
	fmt.Fprintf(b, "\n| **%s** | |", m.title)
	for _, c := range m.columns {
		fmt.Fprintf(b, " %s |", c.title)
	}
	fmt.Fprintf(b, "\n|%s\n", strings.Repeat("---|", 2+len(m.columns)))
	for _, one := range cases {
		for _, contestant := range slices.Sorted(maps.Keys(one.samples)) {
			fmt.Fprintf(b, "| %s | %s |", contestant, strings.ReplaceAll(one.params[m.param], "-", " "))
			for _, c := range m.columns {
				fmt.Fprintf(b, " %s |", r.cell(m, c, one.params[m.param], contestant))
			}
			b.WriteString("\n")
		}
	}
}

// cell returns what was measured of a contestant in that case, or "".
func (r *Results) cell(m matrix, c column, which, contestant string) string {
	for _, row := range r.of(m.name, c.unit, map[string]string{m.param: which}) {
		if s, ok := row.samples[contestant]; ok {
			return value(s.median, c.unit)
		}
	}
	return ""
}
