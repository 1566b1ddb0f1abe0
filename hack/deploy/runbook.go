package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/trimtab/trimtab/hack/deploy/internal/rules"
)

// The markers around what is generated of a page.
const (
	begin = "<!-- The rule begins: make generate writes it. -->\n"
	end   = "<!-- The rule ends. -->\n"
)

// writeRunbook writes each alert's rule into its page, which somebody has to have
// begun.
func writeRunbook(folder string) error {
	for name, rule := range alertRules() {
		file := filepath.Join(folder, name+".md")
		text, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%w: write the page of the alert, with the lines %q and %q", err, begin, end)
		}
		if err != nil {
			return err
		}
		page, err := insert(string(text), rule)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if err := writeFile(file, []byte(page)); err != nil {
			return err
		}
	}
	return nil
}

// alertRules returns what is generated of each page, by the name of the alert.
func alertRules() map[string]string {
	pages := map[string]string{}
	panels := map[string]string{}
	for _, a := range rules.Alerts() {
		var b bytes.Buffer
		fmt.Fprintf(&b, "\n**%s**, %s, if this is so:\n\n```promql\n%s\n```\n", a.Severity, wait(a), a.Expr)
		pages[a.Name] += b.String()
		panels[a.Name] = "\nPanels of the [dashboard](../dashboard.md): " + strings.Join(a.Panels, "; ") + ".\n"
	}
	for name := range pages {
		pages[name] += panels[name]
	}
	return pages
}

func wait(a rules.Alert) string {
	if a.For == "" {
		return "at once"
	}
	return "after " + a.For
}

// insert returns the text with the rule between its two markers.
func insert(text, rule string) (string, error) {
	before, rest, found := strings.Cut(text, begin)
	_, rest, foundToo := strings.Cut(rest, end)
	if !found || !foundToo {
		return "", fmt.Errorf("the text lacks its markers, %q and %q", begin, end)
	}
	return before + begin + rule + "\n" + end + rest, nil
}
