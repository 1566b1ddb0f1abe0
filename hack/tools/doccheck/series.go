package doccheck

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

// described is a series in the doc comment of package metrics.
var described = regexp.MustCompile(`(?m)^//\t([a-z]+_[a-z_]+) +\S`)

// Series returns the series that package metrics, in the tree at root, says it has.
func Series(root string) (map[string]bool, error) {
	data, err := os.ReadFile(filepath.Join(root, "metrics", "doc.go")) //nolint:gosec // It is a file of the repository.
	if err != nil {
		return nil, fmt.Errorf("doccheck: %w", err)
	}
	found := map[string]bool{}
	for _, m := range described.FindAllSubmatch(data, -1) {
		found["trimtab_"+string(m[1])] = true
	}
	return found, nil
}
