package report

import (
	"fmt"
	"strings"
)

// Insert returns the text with what make bench writes between its two markers.
func Insert(text, tables string) (string, error) { return InsertOf("make bench", text, tables) }

// InsertOf is Insert for what another command writes.
func InsertOf(command, text, tables string) (string, error) {
	begin := "<!-- The tables begin: " + command + " writes them. -->\n"
	const end = "<!-- The tables end. -->\n"
	before, rest, found := strings.Cut(text, begin)
	_, after, foundToo := strings.Cut(rest, end)
	if !found || !foundToo {
		return "", fmt.Errorf("report: the text lacks its markers, %q and %q", begin, end)
	}
	return before + begin + "\n" + tables + "\n" + end + after, nil
}
