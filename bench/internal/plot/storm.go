package plot

import (
	"math"

	gonum "gonum.org/v1/plot"

	"github.com/trimtab/trimtab/bench/internal/report"
)

// storm shows how long users wait while the queue is full of what nobody waits for.
func storm(r *report.Results) (figure, bool) {
	lines := r.Lines("StormWait", "ms-longest", "second", nil)
	if len(lines) == 0 {
		return figure{}, false
	}
	p := panel("", "seconds since the storm began", "longest wait of a change in that second")
	for i := range lines {
		lines[i].Points = logY(lines[i].Points)
	}
	addLines(p, lines)
	linear(&p.X, p.X.Max+1, 5, "")
	decades(&p.Y, math.Floor(p.Y.Min), math.Ceil(p.Y.Max), "ms-")
	return figure{
		title: "How long a user waits in a storm",
		notes: []string{
			"10,000 events of related objects and a resync of 10,000 objects are queued; a user changes an object ten times a second.",
			"Four workers take 5 ms for each. Lower is better.",
		},
		desc:   "A line for each queue: the longest wait of a user's change, for each second of the storm, on a logarithmic scale.",
		legend: contestants(lines),
		panels: [][]*gonum.Plot{{p}},
		row:    270,
	}, true
}

// contestants returns who the lines are of.
func contestants(lines []report.Line) (names []string) {
	for _, line := range lines {
		names = append(names, line.By)
	}
	return names
}
