package doccheck

import (
	"bytes"
	_ "embed" // for the table of imports
	"encoding/json"
	"errors"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed imports.txt
var importTable string

// Packages are the packages that snippets and names speak of, as the compiler left
// them.
type Packages struct {
	ByName map[string]string // import path by the name that pages use
	types.Importer
}

// modules are the folders whose requirements the snippets have: what a user gets.
func modules() []string { return []string{"examples/certrotator", "examples/minimal", "otel"} }

// Load makes the packages ready, in a workspace of its own below scratch. A package of
// the table that the tree at root does not have yet is left out.
func Load(root, scratch string) (*Packages, error) {
	p := &Packages{ByName: map[string]string{}}
	for row := range strings.Lines(importTable) {
		if fields := strings.Fields(row); len(fields) == 2 && there(root, fields[1]) {
			p.ByName[fields[0]] = fields[1]
		}
	}
	workspace, err := makeWorkspace(root, scratch)
	if err != nil {
		return nil, err
	}
	exports, err := list(root, workspace, slices.Sorted(maps.Values(p.ByName)))
	if err != nil {
		return nil, err
	}
	p.Importer = importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		if exports[path] == "" {
			return nil, fmt.Errorf("doccheck: package %s is not among what pages can import", path)
		}
		return os.Open(exports[path])
	})
	return p, nil
}

const module = "github.com/trimtab/trimtab"

func there(root, path string) bool {
	folder, ours := strings.CutPrefix(path, module)
	_, err := os.Stat(filepath.Join(root, folder))
	return !ours || err == nil
}

// makeWorkspace writes a go.work for the modules, with the root's in its place.
func makeWorkspace(root, scratch string) (string, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return "", fmt.Errorf("doccheck: %w", err)
	}
	var text bytes.Buffer
	fmt.Fprintf(&text, "go 1.26.0\n\nreplace %s => %s\n", module, root)
	for _, folder := range modules() {
		fmt.Fprintf(&text, "use %s\n", filepath.Join(root, folder))
	}
	file := filepath.Join(scratch, "go.work")
	if err := os.WriteFile(file, text.Bytes(), 0o600); err != nil {
		return "", fmt.Errorf("doccheck: %w", err)
	}
	return file, nil
}

// list returns the file of export data of each package and all that they need.
func list(root, workspace string, paths []string) (map[string]string, error) {
	args := append([]string{"list", "-export", "-deps", "-json=ImportPath,Export"}, paths...)
	cmd := exec.Command("go", args...) //nolint:gosec // The paths are those of the table.
	cmd.Dir = filepath.Join(root, modules()[0])
	cmd.Env = append(os.Environ(), "GOWORK="+workspace, "GOFLAGS=")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("doccheck: go list: %w: %s", err, stderr.String())
	}
	exports := map[string]string{}
	for lines := json.NewDecoder(bytes.NewReader(out)); ; {
		var one struct{ ImportPath, Export string }
		switch err := lines.Decode(&one); {
		case errors.Is(err, io.EOF):
			return exports, nil
		case err != nil:
			return nil, fmt.Errorf("doccheck: go list: %w", err)
		}
		exports[one.ImportPath] = one.Export
	}
}
