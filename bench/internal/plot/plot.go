package plot

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/trimtab/trimtab/bench/internal/report"
)

// plots are all plots, by the names of their files. Each returns false if the results
// have too little for it.
func plots() []struct {
	name string
	draw func(*report.Results) (figure, bool)
} {
	return []struct {
		name string
		draw func(*report.Results) (figure, bool)
	}{
		{"storm", storm},
		{"outage", outage},
		{"herd", herd},
		{"keys", keys},
		{"ratios", ratios},
	}
}

// Write writes each plot into the folder, as NAME.svg, and returns the names of those
// that the results have too little for. Such a file stays as it is. The same results
// make the same bytes.
func Write(folder string, r *report.Results) (missing []string, err error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, fmt.Errorf("plot: %w", err)
	}
	for _, p := range plots() {
		f, ok := p.draw(r)
		if !ok {
			missing = append(missing, p.name)
			continue
		}
		if err := os.WriteFile(filepath.Join(folder, p.name+".svg"), f.svg(), 0o644); err != nil {
			return nil, fmt.Errorf("plot: %w", err)
		}
	}
	return missing, nil
}
