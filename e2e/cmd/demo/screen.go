package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"
)

const (
	redrawInterval = 500 * time.Millisecond // on a terminal
	lineInterval   = 3 * time.Second        // elsewhere
)

// screen shows a table that is redrawn in place on a terminal, and elsewhere
// a plain line now and then.
type screen struct {
	out   io.Writer
	width func() int // of the terminal; nil if it is none
	drawn int        // lines of the table that stands there now
}

func newScreen(out io.Writer) *screen {
	s := &screen{out: out}
	if file, ok := out.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		s.width = func() int {
			width, _, err := term.GetSize(int(file.Fd()))
			if err != nil {
				return 80
			}
			return width
		}
	}
	return s
}

// interval is how often there is something new to show.
func (s *screen) interval() time.Duration {
	if s.width == nil {
		return lineInterval
	}
	return redrawInterval
}

// show replaces the table, or prints the line where no table can be.
func (s *screen) show(table []string, line string) {
	if s.width == nil {
		s.print(line)
		return
	}
	s.wipe()
	width := s.width()
	for _, row := range table {
		fmt.Fprintln(s.out, cut(row, width))
	}
	s.drawn = len(table)
}

// wipe removes the table.
func (s *screen) wipe() {
	if s.drawn > 0 {
		fmt.Fprintf(s.out, "\x1b[%dA\x1b[J", s.drawn) // up, and clear from there
	}
	s.drawn = 0
}

// print writes lines that stay, in place of the table.
func (s *screen) print(lines ...string) {
	s.wipe()
	for _, line := range lines {
		fmt.Fprintln(s.out, line)
	}
}

// cut shortens a row to one line of the terminal: a wrapped one could not be
// redrawn.
func cut(row string, width int) string {
	if runes := []rune(row); len(runes) > width {
		return string(runes[:width])
	}
	return row
}
