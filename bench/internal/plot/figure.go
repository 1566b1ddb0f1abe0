package plot

import (
	"bytes"
	"fmt"
	"html"
	"slices"
	"strings"

	gonum "gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// figure is a plot with its title: panels side by side and below each other.
type figure struct {
	title  string
	notes  []string        // lines below the title: what is measured
	desc   string          // what the picture shows, for those who don't see it
	legend []string        // contestants
	panels [][]*gonum.Plot // rows of equal length, filled up with nil
	row    vg.Length       // height of a row of panels
}

// All figures are as wide: about what a page of GitHub has.
const (
	width  = vg.Length(630)
	margin = vg.Length(10)
)

// svg returns the figure as a file.
func (f figure) svg() []byte {
	canvas := &sheet{Canvas: vgsvg.New(width, 2*margin+f.head()+vg.Length(len(f.panels))*f.row)}
	c := draw.New(canvas)
	c.SetColor(paper()) // In a dark page it is a light sheet.
	c.Fill(c.Path())
	c = draw.Crop(c, margin, -margin, margin, -margin)
	f.write(c)
	for i, tiles := range gonum.Align(f.panels, f.tiles(), draw.Crop(c, 0, 0, 0, -f.head())) {
		for j, tile := range tiles {
			if p := f.panels[i][j]; p != nil {
				p.Draw(tile)
			}
		}
	}
	var b bytes.Buffer
	_, _ = canvas.WriteTo(&b) // A buffer takes everything.
	return f.describe(canvas.fitted(b.String()))
}

func (f figure) tiles() draw.Tiles {
	return draw.Tiles{Rows: len(f.panels), Cols: len(f.panels[0]), PadX: 14, PadY: 8}
}

const titleHeight, noteHeight, legendHeight, gap = vg.Length(12), vg.Length(14), vg.Length(19), vg.Length(12)

// head returns how high it is what stands above the panels.
func (f figure) head() vg.Length {
	height := titleHeight + noteHeight*vg.Length(len(f.notes)) + gap
	if len(f.legend) > 0 {
		height += legendHeight
	}
	return height
}

// write writes what stands above the panels.
func (f figure) write(c draw.Canvas) {
	at := vg.Point{X: c.Min.X, Y: c.Max.Y - titleHeight}
	title := words(13, ink())
	title.Font.Weight = bold
	c.FillText(title, at, f.title)
	for _, note := range f.notes {
		at.Y -= noteHeight
		c.FillText(words(9.5, faint()), at, note)
	}
	at.Y -= legendHeight
	for _, by := range f.legend {
		at.X = swatch(c, at, by) + 18
	}
}

// swatch draws a contestant's line and name and returns where they end.
func swatch(c draw.Canvas, at vg.Point, by string) vg.Length {
	const length, gap = 24, 5
	middle := at.Y + 3
	c.StrokeLine2(stroke(by), at.X, middle, at.X+length, middle)
	c.DrawGlyph(glyph(by), vg.Point{X: at.X + length/2, Y: middle})
	style := words(10, ink())
	at.X += length + gap
	c.FillText(style, at, by)
	return at.X + style.Width(by)
}

// inRows returns the panels in rows of that many.
func inRows(panels []*gonum.Plot, across int) (rows [][]*gonum.Plot) {
	for row := range slices.Chunk(panels, across) {
		rows = append(rows, append(slices.Clone(row), make([]*gonum.Plot, across-len(row))...))
	}
	return rows
}

// describe tells those who don't see the picture what it shows.
func (f figure) describe(svg string) []byte {
	before, after, _ := strings.Cut(svg, "<svg")
	attributes, content, _ := strings.Cut(after, ">")
	return fmt.Appendf(nil, "%s<svg role=\"img\" aria-labelledby=\"title desc\"%s>\n<title id=\"title\">%s</title>\n<desc id=\"desc\">%s</desc>%s",
		before, attributes, html.EscapeString(f.title), html.EscapeString(f.desc), content)
}

// sheet is an SVG that knows how wide its texts are.
type sheet struct {
	*vgsvg.Canvas
	widths []vg.Length
}

// FillString implements vg.Canvas.
func (s *sheet) FillString(face font.Face, at vg.Point, text string) {
	s.widths = append(s.widths, face.Width(text))
	s.Canvas.FillString(face, at, text)
}

// fitted makes the texts of the SVG as wide as the layout has them, whatever font the
// reader has in place of that of the layout.
func (s *sheet) fitted(svg string) string {
	parts := strings.Split(strings.ReplaceAll(svg, "font-family:Liberation Sans;", "font-family:Liberation Sans,Arial,Helvetica,sans-serif;"), "<text ")
	for i, width := range s.widths {
		parts[i+1] = fmt.Sprintf("<text textLength=\"%.4g\" lengthAdjust=\"spacingAndGlyphs\" %s", width.Points(), parts[i+1])
	}
	return strings.Join(parts, "")
}
