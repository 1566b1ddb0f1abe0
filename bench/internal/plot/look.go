package plot

import (
	"image/color"

	xfont "golang.org/x/image/font"
	gonum "gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/trimtab/trimtab/bench/internal/report"
)

const bold = xfont.WeightBold

func paper() color.Color { return color.White }
func ink() color.Color   { return color.Gray{0x22} }
func faint() color.Color { return color.Gray{0x55} }
func grid() color.Color  { return color.Gray{0xe4} }
func shade() color.Color { return color.RGBA{0xf6, 0xee, 0xd8, 0xff} }

// The colours are Okabe and Ito's, which the colour-blind tell apart.
func blue() color.Color       { return color.RGBA{0x00, 0x72, 0xb2, 0xff} }
func vermilion() color.Color  { return color.RGBA{0xd5, 0x5e, 0x00, 0xff} }
func green() color.Color      { return color.RGBA{0x00, 0x9e, 0x73, 0xff} }
func purple() color.Color     { return color.RGBA{0xb8, 0x5c, 0x94, 0xff} }
func darkOrange() color.Color { return color.RGBA{0xc2, 0x84, 0x00, 0xff} }

// look is how a contestant's line is drawn: by dashes and marks too, for those who see
// no colours.
type look struct {
	color  color.Color
	dashes []vg.Length
	mark   draw.GlyphDrawer
}

func lookOf(by string) look {
	switch by {
	case report.Trimtab:
		return look{blue(), nil, draw.CircleGlyph{}}
	case "controller-runtime":
		return look{vermilion(), []vg.Length{6, 2}, draw.SquareGlyph{}}
	case "client-go":
		return look{green(), []vg.Length{2, 2}, draw.TriangleGlyph{}}
	case "knative":
		return look{purple(), []vg.Length{8, 2, 2, 2}, draw.PyramidGlyph{}}
	default:
		return look{darkOrange(), []vg.Length{4, 4}, draw.CrossGlyph{}}
	}
}

func stroke(by string) draw.LineStyle {
	l := lookOf(by)
	return draw.LineStyle{Color: l.color, Width: 1.6, Dashes: l.dashes}
}

func glyph(by string) draw.GlyphStyle {
	l := lookOf(by)
	return draw.GlyphStyle{Color: l.color, Radius: 2.6, Shape: l.mark}
}

// words is a style of text.
func words(size vg.Length, c color.Color) text.Style {
	return text.Style{
		Color:   c,
		Font:    font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, size),
		Handler: gonum.DefaultTextHandler,
	}
}

// panel returns a plot with nothing in it but its axes.
func panel(title, x, y string) *gonum.Plot {
	p := gonum.New()
	p.BackgroundColor = nil // The figure has one.
	p.Title.Text, p.Title.Padding, p.Title.TextStyle = title, 4, words(10, ink())
	p.Title.TextStyle.XAlign, p.Title.TextStyle.YAlign = draw.XCenter, draw.YTop
	for _, axis := range []struct {
		*gonum.Axis
		label string
	}{{&p.X, x}, {&p.Y, y}} {
		axis.LineStyle = draw.LineStyle{Color: faint(), Width: 0.5}
		axis.Padding = 0
		axis.Label.Text, axis.Label.Padding = axis.label, 3
		axis.Label.TextStyle.Font, axis.Label.TextStyle.Color = words(9.5, ink()).Font, ink()
		axis.Tick.Label.Font, axis.Tick.Label.Color = words(9, ink()).Font, ink()
		axis.Tick.LineStyle, axis.Tick.Length = axis.LineStyle, 3
	}
	return p
}
