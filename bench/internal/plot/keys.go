package plot

import (
	"math"
	"slices"

	gonum "gonum.org/v1/plot"

	"github.com/trimtab/trimtab/bench/internal/report"
)

// keys shows how the time for each key grows with their number.
func keys(r *report.Results) (figure, bool) {
	var panels []*gonum.Plot
	var names []string
	fewest, most, longest := math.Inf(1), 0., 0.
	for _, workers := range r.Values("Keys", "workers") {
		lines := r.Lines("Keys", "sec/key", "keys", map[string]string{"workers": workers, "type": "request", "state": "warm"})
		p := panel(workers+" workers", "keys", "")
		if workers == "1" {
			p.Title.Text = "1 worker"
		}
		for _, line := range lines {
			for i := range line.Points {
				line.Points[i].X = math.Log10(line.Points[i].X)
			}
		}
		addLines(p, lines)
		panels = append(panels, p)
		fewest, most, longest = min(fewest, p.X.Min), max(most, p.X.Max), max(longest, p.Y.Max)
		for _, name := range contestants(lines) {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	if fewest >= most { // one number of keys is no growth
		return figure{}, false
	}
	for _, p := range panels {
		decades(&p.X, fewest, most, "")
		step := stepOf(longest)
		linear(&p.Y, step*math.Ceil(longest/step), step, "sec")
	}
	panels[0].Y.Label.Text = "time for each key"
	return figure{
		title:  "What a key costs as their number grows",
		notes:  []string{"Add, get and done of distinct requests through a queue that has held as many before. Lower is better."},
		desc:   "A panel for each number of workers with a line for each queue: the time for each key, by the number of keys.",
		legend: names,
		panels: [][]*gonum.Plot{panels},
		row:    230,
	}, true
}
