package report

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
)

// Line is what was measured of one contestant along a parameter.
type Line struct {
	By     string
	Points []Point // X grows
}

// Point is what was measured at one value of a parameter.
type Point struct{ X, Y float64 }

// Lines returns a line for each contestant of a benchmark in that unit, along one of
// its parameters, whose values are numbers. The others are as in params. Trimtab's is
// the first.
func (r *Results) Lines(name, unit, along string, params map[string]string) []Line {
	points := map[string][]Point{}
	for _, row := range r.of(name, unit, params) {
		x, err := strconv.ParseFloat(row.params[along], 64)
		if err != nil {
			continue // It has no such parameter.
		}
		for by, s := range row.samples {
			points[by] = append(points[by], Point{x, s.median})
		}
	}
	var lines []Line
	for _, by := range slices.SortedFunc(maps.Keys(points), trimtabFirst) {
		slices.SortFunc(points[by], func(a, b Point) int { return cmp.Compare(a.X, b.X) })
		lines = append(lines, Line{by, points[by]})
	}
	return lines
}

func trimtabFirst(a, b string) int {
	switch {
	case a == b:
		return 0
	case a == Trimtab:
		return -1
	case b == Trimtab:
		return 1
	default:
		return cmp.Compare(a, b)
	}
}

// Values returns the values that a parameter of a benchmark has, in the order of the
// results.
func (r *Results) Values(name, param string) (values []string) {
	for _, row := range r.rows {
		value, ok := row.params[param]
		if ok && row.name == name && !slices.Contains(values, value) {
			values = append(values, value)
		}
	}
	return values
}

// Comparison is one of the tables' ratios.
type Comparison struct {
	Section string // of a table
	Case    string // of the section, or ""
	Peer    string
	Ratio   float64 // what Trimtab takes for what the peer takes: +Inf for something where the peer takes nothing
}

// String returns the ratio as the tables have it.
func (c Comparison) String() string { return times(c.Ratio, true) }

// Comparisons returns all ratios of the tables, in their order.
func (r *Results) Comparisons() (all []Comparison) {
	for _, table := range tables() {
		for _, section := range table.sections {
			for _, row := range r.of(section.name, section.unit, nil) {
				for _, peer := range table.compared {
					if ratio, ok := row.ratio(Trimtab, peer); ok {
						all = append(all, Comparison{section.title, row.title(), peer, ratio})
					}
				}
			}
		}
	}
	return all
}

// Format returns v with three digits, in the unit that benchstat gives it.
func Format(v float64, unit string) string { return value(v, unit) }
