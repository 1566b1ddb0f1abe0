package main

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestProblems(t *testing.T) {
	require.Equal(t, "2 wrong:\n  this; and that\n  more", problems{"this\nand that", "more"}.Error())

	var many problems
	for i := range 12 {
		many = append(many, fmt.Sprint(i))
	}
	text := many.Error()
	require.Contains(t, text, "12 wrong:\n  0\n")
	require.Contains(t, text, "\n  9\n  and 2 more")
}
