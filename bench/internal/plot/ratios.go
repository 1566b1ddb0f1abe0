package plot

import (
	"cmp"
	"math"
	"slices"
	"strings"

	gonum "gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/trimtab/trimtab/bench/internal/report"
)

const (
	rowHeight  = vg.Length(11)  // of a bar with what is between two
	beside     = vg.Length(118) // width of what is written beside the bars
	labelSize  = vg.Length(7.5)
	lineLength = 58 // characters of a line of a title
)

// ratios shows where Trimtab is ahead and where it is behind.
func ratios(r *report.Results) (figure, bool) {
	all := sectionsOf(r.Comparisons())
	if len(all) == 0 {
		return figure{}, false
	}
	p := panel("", "what trimtab takes for what the peer takes", "")
	decades(&p.X, -2, 2, "x-")
	p.Y.Min, p.Y.Max = -float64(all.rows()), 0
	p.Y.Tick.Label.Font.Size = labelSize
	p.Y.Tick.Length = 0
	p.Y.Tick.Marker = all.titles()
	p.Add(&plotter.Grid{Vertical: gridLines().Vertical}, all)
	return figure{
		title: "Where Trimtab is ahead, and where it is behind",
		notes: []string{
			"All ratios of the tables, on a logarithmic scale. Left of 1×, in blue, trimtab takes less; right of it, in vermilion, it takes more.",
			"A bar ends, and the number is, where trimtab does worst; the thin marks are the other cases.",
		},
		desc: "A bar for each section of the tables and each peer: the ratio of what Trimtab takes to what the peer takes, " +
			"in the worst case for Trimtab, on a logarithmic scale around 1. The tables have the numbers.",
		panels: [][]*gonum.Plot{{p}},
		row:    36 + rowHeight*vg.Length(all.rows()),
	}, true
}

// section has a bar for each peer, one below the other.
type section struct {
	title string
	bars  []bar
}

type bar struct {
	peer  string
	cases []report.Comparison
}

// worst returns the case in which Trimtab does worst.
func (b bar) worst() report.Comparison {
	return slices.MaxFunc(b.cases, func(x, y report.Comparison) int { return cmp.Compare(x.Ratio, y.Ratio) })
}

// rows returns how many the section takes: its title may need more than its bars.
func (s section) rows() int { return max(len(s.bars), len(s.lines())) }

// lines returns the title as it is broken.
func (s section) lines() (lines []string) {
	line := ""
	for word := range strings.FieldsSeq(s.title) {
		if line != "" && len(line)+len(word) >= lineLength {
			lines = append(lines, line)
			line = ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	return append(lines, line)
}

// sections are drawn one below the other.
type sections []section

func sectionsOf(all []report.Comparison) (s sections) {
	for _, c := range all {
		if len(s) == 0 || s[len(s)-1].title != c.Section {
			s = append(s, section{title: c.Section})
		}
		last := &s[len(s)-1]
		i := slices.IndexFunc(last.bars, func(b bar) bool { return b.peer == c.Peer })
		if i < 0 {
			i, last.bars = len(last.bars), append(last.bars, bar{peer: c.Peer})
		}
		last.bars[i].cases = append(last.bars[i].cases, c)
	}
	return s
}

func (s sections) rows() (n int) {
	for _, section := range s {
		n += section.rows()
	}
	return n
}

// titles are ticks: each in the middle of its section.
func (s sections) titles() (ticks gonum.ConstantTicks) {
	row := 0
	for _, section := range s {
		middle := float64(row) + float64(section.rows())/2
		ticks = append(ticks, gonum.Tick{Value: -middle, Label: strings.Join(section.lines(), "\n")})
		row += section.rows()
	}
	return ticks
}

// GlyphBoxes implements gonum's GlyphBoxer, for what is written beside the bars.
func (s sections) GlyphBoxes(*gonum.Plot) []gonum.GlyphBox {
	return []gonum.GlyphBox{{X: 1, Y: 0.5, Rectangle: vg.Rectangle{Max: vg.Point{X: beside, Y: 1}}}}
}

// Plot implements gonum's Plotter.
func (s sections) Plot(c draw.Canvas, p *gonum.Plot) {
	toX, toY := p.Transforms(&c)
	row := 0.
	for _, section := range s {
		c.StrokeLine2(draw.LineStyle{Color: grid(), Width: 0.6}, c.Min.X, toY(-row), c.Max.X+beside, toY(-row))
		first := row + float64(section.rows()-len(section.bars))/2 + 0.5
		for i, bar := range section.bars {
			bar.draw(c, toY(-first-float64(i)), func(ratio float64) vg.Length {
				return toX(min(max(math.Log10(max(ratio, 0)), p.X.Min), p.X.Max)) // The ends stand for all beyond them.
			})
		}
		row += float64(section.rows())
	}
	c.StrokeLine2(draw.LineStyle{Color: ink(), Width: 1}, toX(0), c.Min.Y, toX(0), c.Max.Y)
}

// draw draws the bar from 1 to its worst case, a mark for each of the others, and who
// and what it is.
func (b bar) draw(c draw.Canvas, y vg.Length, toX func(float64) vg.Length) {
	const half = rowHeight/2 - 1.5
	color := blue()
	if b.worst().Ratio > 1 {
		color = vermilion()
	}
	one, end := toX(1), toX(b.worst().Ratio)
	c.FillPolygon(color, []vg.Point{{X: one, Y: y - half}, {X: end, Y: y - half}, {X: end, Y: y + half}, {X: one, Y: y + half}})
	for _, other := range b.cases {
		c.StrokeLine2(draw.LineStyle{Color: ink(), Width: 0.7}, toX(other.Ratio), y-half, toX(other.Ratio), y+half)
	}
	style := words(labelSize, ink())
	style.YAlign = draw.YCenter
	c.FillText(style, vg.Point{X: c.Max.X + 8, Y: y}, b.peer)
	style.XAlign = draw.XRight
	c.FillText(style, vg.Point{X: c.Max.X + beside, Y: y}, b.worst().String())
}
