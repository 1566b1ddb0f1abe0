package main

import (
	"fmt"
	"strings"
)

// manyProblems is how many problems are told in full.
const manyProblems = 10

// problems is what was found wrong at the end.
type problems []string

// Error implements error with one problem a line.
func (p problems) Error() string {
	shown := p[:min(len(p), manyProblems)]
	var text strings.Builder
	fmt.Fprintf(&text, "%d wrong:", len(p))
	for _, problem := range shown {
		text.WriteString("\n  " + strings.ReplaceAll(problem, "\n", "; "))
	}
	if len(p) > len(shown) {
		fmt.Fprintf(&text, "\n  and %d more", len(p)-len(shown))
	}
	return text.String()
}
