package report

import (
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf8"
)

// none stands where there is nothing to show.
const none = "–"

// Seconds formats a number of seconds with three digits at most.
func Seconds(s float64) string {
	switch {
	case math.IsNaN(s):
		return none
	case s == 0:
		return "0"
	case s < 0.9995e-3:
		return fmt.Sprintf("%.0fµs", s*1e6)
	case s < 0.9995:
		return digits(s*1e3) + "ms"
	case s < 59.95:
		return digits(s) + "s"
	}
	return time.Duration(s * float64(time.Second)).Round(time.Second).String()
}

// digits writes a number below 1000 with three digits at most.
func digits(f float64) string {
	switch {
	case f < 9.995:
		return fmt.Sprintf("%.2f", f)
	case f < 99.95:
		return fmt.Sprintf("%.1f", f)
	}
	return fmt.Sprintf("%.0f", f)
}

// number writes a count.
func number(f float64) string {
	return fmt.Sprintf("%.0f", f)
}

// ratio writes a quotient with one decimal, or nothing if there is none.
func ratio(a, b float64) string {
	if b == 0 {
		return none
	}
	return fmt.Sprintf("%.1f", a/b)
}

// Table lays out rows in columns: the first to the left, the others to the
// right.
func Table(rows [][]string) []string {
	return layOut(rows, func(column int) bool { return column == 0 })
}

// TableLeft lays out rows in columns, all to the left.
func TableLeft(rows [][]string) []string {
	return layOut(rows, func(int) bool { return true })
}

func layOut(rows [][]string, left func(column int) bool) []string {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	lines := make([]string, len(rows))
	for i, row := range rows {
		cells := make([]string, len(row))
		for j, cell := range row {
			cells[j] = pad(cell, widths[j], left(j))
		}
		lines[i] = strings.TrimRight(strings.Join(cells, "  "), " ")
	}
	return lines
}

func pad(cell string, width int, left bool) string {
	space := strings.Repeat(" ", width-utf8.RuneCountInString(cell))
	if left {
		return cell + space
	}
	return space + cell
}
