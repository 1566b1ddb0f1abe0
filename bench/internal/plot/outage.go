package plot

import (
	"cmp"
	"math"
	"slices"
	"strings"

	gonum "gonum.org/v1/plot"

	"github.com/trimtab/trimtab/bench/internal/report"
)

// outage shows what each limiter does while a dependency is out, and once it is back.
func outage(r *report.Results) (figure, bool) {
	var panels []*gonum.Plot
	for _, limiter := range r.Values("OutageRuns", "limiter") {
		for _, line := range r.Lines("OutageRuns", "runs", "ten-seconds", map[string]string{"limiter": limiter}) {
			panels = append(panels, ofLimiter(strings.ReplaceAll(limiter, "-", " "), line))
		}
	}
	if len(panels) == 0 {
		return figure{}, false
	}
	const across = 2
	longest := slices.MaxFunc(panels, func(a, b *gonum.Plot) int { return cmp.Compare(a.X.Max, b.X.Max) }).X.Max
	for i, p := range panels {
		linear(&p.X, 10*math.Ceil(longest/10), 10, "")
		if i%across == 0 {
			p.Y.Label.Text = "runs a second"
		}
		if i+across >= len(panels) {
			p.X.Label.Text = "minutes since the outage began"
		}
	}
	return figure{
		title: "What a limiter does in an outage, and after it",
		notes: []string{
			"A dependency of 10,000 keys is out for ten minutes, which are shaded: until their end each run fails, after it none.",
			"Means of ten seconds, on a logarithmic scale. Few and even runs in the outage, and an early end without a peak, are better.",
		},
		desc: "A panel for each limiter: how many runs there are in a second, from the start of an outage of ten minutes " +
			"until all keys are well, on a logarithmic scale.",
		panels: inRows(panels, across),
		row:    125,
	}, true
}

// ofLimiter returns a limiter's panel.
func ofLimiter(name string, line report.Line) *gonum.Plot {
	p := panel(line.By+": "+name, "", "")
	decades(&p.Y, -1, 3.5, "")
	for i, ten := range line.Points {
		line.Points[i] = report.Point{X: ten.X / 6, Y: ten.Y / 10}
		p.X.Max = max(p.X.Max, (ten.X+1)/6) // minutes
	}
	p.Add(band{0, 10}, gridLines(), columns{logY(line.Points), 1. / 6, lookOf(line.By).color})
	return p
}
