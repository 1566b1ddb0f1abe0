package report

import (
	"fmt"
	"strings"
)

const (
	begin = "<!-- The tables begin: make bench writes them. -->\n"
	end   = "<!-- The tables end. -->\n"
)

// Insert returns the text with tables between its two markers.
func Insert(text, tables string) (string, error) {
	before, rest, found := strings.Cut(text, begin)
	_, after, foundToo := strings.Cut(rest, end)
	if !found || !foundToo {
		return "", fmt.Errorf("report: the text lacks its markers, %q and %q", begin, end)
	}
	return before + begin + "\n" + tables + "\n" + end + after, nil
}
