package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestScreenWithoutTerminalPrintsLines(t *testing.T) {
	var out bytes.Buffer
	s := newScreen(&out)
	require.Equal(t, lineInterval, s.interval())

	s.show([]string{"a table"}, "a line")
	s.show([]string{"a table"}, "another line")
	s.print("the end")
	require.Equal(t, "a line\nanother line\nthe end\n", out.String())
}

func TestScreenRedrawsInPlace(t *testing.T) {
	var out bytes.Buffer
	s := &screen{out: &out, width: func() int { return 4 }}
	require.Equal(t, redrawInterval, s.interval())

	s.show([]string{"one–two", "three"}, "a line")
	require.Equal(t, "one–\nthre\n", out.String())

	out.Reset()
	s.show([]string{"four"}, "a line")
	require.Equal(t, "\x1b[2A\x1b[Jfour\n", out.String())

	out.Reset()
	s.print("a line that stays")
	s.print("another")
	require.Equal(t, "\x1b[1A\x1b[Ja line that stays\nanother\n", out.String())
}
