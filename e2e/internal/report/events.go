package report

import (
	"slices"

	"github.com/trimtab/trimtab/e2e/internal/scrape"
)

// Events shows what the predicates of each watch admitted and dropped.
func Events(s scrape.Sample) []string {
	const name = "trimtab_events_total"
	rows := [][]string{{"watch", "predicate", "admitted", "dropped", "share dropped"}}
	for _, trigger := range append(Triggers(), "external", "unknown") {
		for _, predicate := range predicates(s[name], trigger) {
			labels := []string{label, controller, "trigger", trigger, "predicate", predicate}
			admitted := s.Sum(name, append(labels, "result", "admitted")...)
			dropped := s.Sum(name, append(labels, "result", "dropped")...)
			if admitted+dropped > 0 {
				rows = append(rows, []string{
					trigger, predicate, number(admitted), number(dropped), ratio(100*dropped, admitted+dropped) + "%",
				})
			}
		}
	}
	return layOut(rows, func(column int) bool { return column < 2 })
}

// predicates returns the names that the series of a trigger have, sorted.
func predicates(all []scrape.Series, trigger string) []string {
	var names []string
	for _, series := range all {
		if series.Labels["trigger"] == trigger {
			names = append(names, series.Labels["predicate"])
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
