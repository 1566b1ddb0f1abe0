package main

import (
	"os"
	"path/filepath"

	"github.com/trimtab/trimtab/hack/deploy/internal/board"
	"github.com/trimtab/trimtab/hack/deploy/internal/rules"
)

// write writes all that is generated into the repository at root.
func write(root string) error {
	for name, text := range map[string]func() ([]byte, error){
		"deploy/dashboard.json":      board.JSON,
		"deploy/rules.yaml":          rules.File,
		"deploy/prometheusrule.yaml": rules.PrometheusRule,
		"docs/dashboard.md":          list,
	} {
		content, err := text()
		if err != nil {
			return err
		}
		if err := writeFile(filepath.Join(root, name), content); err != nil {
			return err
		}
	}
	return writeRunbook(filepath.Join(root, "docs", "runbook"))
}

// writeFile writes a file, and its folder if need be.
func writeFile(name string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, content, 0o644)
}
