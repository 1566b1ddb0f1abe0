package doccheck

import (
	"cmp"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// Problem is something that is wrong, and where.
type Problem struct {
	File string
	Line int
	Text string
}

// String returns file, line and text, as a compiler says them.
func (p Problem) String() string { return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Text) }

func sorted(problems []Problem) []Problem {
	slices.SortStableFunc(problems, func(a, b Problem) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return problems
}

// Find returns the files below root, by their paths from there, whose names match
// one of the patterns. It leaves out what is hidden, what is built, and testdata.
func Find(root string, patterns ...string) (found []string, err error) {
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() {
			if path != root && (strings.HasPrefix(name, ".") || name == "bin" || name == "testdata" || name == "node_modules") {
				return filepath.SkipDir
			}
			return nil
		}
		matches := func(pattern string) bool { ok, _ := filepath.Match(pattern, name); return ok }
		if slices.ContainsFunc(patterns, matches) {
			relative, err := filepath.Rel(root, path)
			found = append(found, filepath.ToSlash(relative))
			return err
		}
		return nil
	})
	return found, err
}
