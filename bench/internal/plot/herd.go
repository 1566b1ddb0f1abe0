package plot

import (
	"strings"

	gonum "gonum.org/v1/plot"

	"github.com/trimtab/trimtab/bench/internal/report"
)

// herd shows when objects that began together are looked at.
func herd(r *report.Results) (figure, bool) {
	whens := r.Values("HerdLooks", "when")
	var panels []*gonum.Plot
	for _, way := range r.Values("HerdLooks", "op") {
		for _, when := range whens {
			lines := r.Lines("HerdLooks", "objects", "ten-seconds", map[string]string{"op": way, "when": when})
			if len(lines) != 1 {
				return figure{}, false
			}
			panels = append(panels, ofWay(strings.ReplaceAll(way+", "+when, "-", " "), lines[0]))
		}
	}
	if len(panels) == 0 {
		return figure{}, false
	}
	for i, p := range panels {
		if i%len(whens) == 0 {
			p.Y.Label.Text = "objects in 10 s"
		}
		if i+len(whens) >= len(panels) {
			p.X.Label.Text = "minutes of the period on the clock"
		}
	}
	return figure{
		title: "When objects come back that began together",
		notes: []string{
			"10,000 objects are looked at every ten minutes. All began at one instant, and did so again at a restart.",
			"The second period after each of them, on a logarithmic scale. Level is better: the mean is 167 in ten seconds.",
		},
		desc: "A row for each way to come back, with a panel for the time before a restart and one for that after it: " +
			"how many objects are looked at in each ten seconds of a period of ten minutes, on a logarithmic scale.",
		panels: inRows(panels, len(whens)),
		row:    125,
	}, true
}

// ofWay returns the panel of one way to come back.
func ofWay(title string, line report.Line) *gonum.Plot {
	p := panel(title, "", "")
	linear(&p.X, 10, 1, "")
	decades(&p.Y, 0, 4, "")
	for i, ten := range line.Points {
		line.Points[i].X = ten.X / 6
	}
	p.Add(gridLines(), columns{logY(line.Points), 1. / 6, lookOf(line.By).color})
	return p
}
