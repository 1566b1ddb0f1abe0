package plot

import (
	"image/color"
	"math"

	gonum "gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/trimtab/trimtab/bench/internal/report"
)

// decades lets an axis go from one power of ten to another, with a tick at each of
// them. What it shows is a logarithm: gonum's own scale misplaces a vertical axis's
// label. Its numbers are in that unit.
func decades(axis *gonum.Axis, from, to float64, unit string) {
	axis.Min, axis.Max = from, to
	var ticks []gonum.Tick
	for power := math.Ceil(from); power <= to; power++ {
		ticks = append(ticks, gonum.Tick{Value: power, Label: report.Format(math.Pow(10, power), unit)})
	}
	axis.Tick.Marker = gonum.ConstantTicks(ticks)
}

// linear lets an axis go from nothing to a number, with a tick every step.
func linear(axis *gonum.Axis, to, step float64, unit string) {
	axis.Min, axis.Max = 0, to
	ticks := []gonum.Tick{{Value: 0, Label: "0"}}
	for i := 1.0; i*step <= to*(1+1e-9); i++ {
		ticks = append(ticks, gonum.Tick{Value: i * step, Label: report.Format(i*step, unit)})
	}
	axis.Tick.Marker = gonum.ConstantTicks(ticks)
}

// stepOf returns a round number of which an axis has up to five: 1, 2 or 5 times a
// power of ten.
func stepOf(to float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(to/5)))
	for _, step := range []float64{power, 2 * power, 5 * power} {
		if step >= to/5 {
			return step
		}
	}
	return 10 * power
}

// logY returns the points with the logarithms of their numbers, without those that
// have none.
func logY(points []report.Point) (all []report.Point) {
	for _, point := range points {
		if point.Y > 0 {
			all = append(all, report.Point{X: point.X, Y: math.Log10(point.Y)})
		}
	}
	return all
}

// addLines adds the grid, then the lines with a mark at each point.
func addLines(p *gonum.Plot, lines []report.Line) {
	p.Add(gridLines())
	for _, line := range lines {
		xys := make(plotter.XYs, len(line.Points))
		for i, point := range line.Points {
			xys[i] = plotter.XY(point)
		}
		p.Add(&plotter.Line{XYs: xys, LineStyle: stroke(line.By)},
			&plotter.Scatter{XYs: xys, GlyphStyle: glyph(line.By)})
	}
}

func gridLines() *plotter.Grid {
	style := draw.LineStyle{Color: grid(), Width: 0.6}
	return &plotter.Grid{Vertical: style, Horizontal: style}
}

// columns are numbers of equal width, drawn as the area below them.
type columns struct {
	points []report.Point // X is where a column begins
	width  float64        // of a column
	color  color.Color
}

// Plot implements gonum's Plotter.
func (s columns) Plot(c draw.Canvas, p *gonum.Plot) {
	toX, toY := p.Transforms(&c)
	c.SetColor(s.color)
	var area vg.Path
	end := math.Inf(-1) // of the columns that touch each other
	for _, point := range s.points {
		if point.Y < p.Y.Min {
			continue
		}
		left, right, top := toX(point.X), toX(point.X+s.width), toY(min(point.Y, p.Y.Max))
		if point.X > end+s.width/2 {
			area = ground(area, toX(end), c.Min.Y)
			area.Move(vg.Point{X: left, Y: c.Min.Y})
		}
		area.Line(vg.Point{X: left, Y: top})
		area.Line(vg.Point{X: right, Y: top})
		end = point.X + s.width
	}
	area = ground(area, toX(end), c.Min.Y)
	c.Fill(area)
}

// ground closes an area down to the axis, if there is one.
func ground(area vg.Path, x, y vg.Length) vg.Path {
	if len(area) > 0 {
		area.Line(vg.Point{X: x, Y: y})
		area.Close()
	}
	return area
}

// band shades all between two numbers of the horizontal axis.
type band struct{ from, to float64 }

// Plot implements gonum's Plotter.
func (b band) Plot(c draw.Canvas, p *gonum.Plot) {
	toX, _ := p.Transforms(&c)
	from, to := toX(b.from), toX(b.to)
	c.FillPolygon(shade(), []vg.Point{{X: from, Y: c.Min.Y}, {X: to, Y: c.Min.Y}, {X: to, Y: c.Max.Y}, {X: from, Y: c.Max.Y}})
}
