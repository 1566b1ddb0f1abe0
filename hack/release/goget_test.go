package release_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// minors are the supported controller-runtimes, each with a go.mod and go.sum of the
// tree that require it.
func minors() map[string]string {
	return map[string]string{
		"v0.23.0": "go",
		"v0.24.1": "hack/compat/v0.24",
		"v0.25.3": "hack/compat/v0.25",
	}
}

// An operator gets Trimtab by one command and two lines. Nothing else of its go.mod
// moves, whichever minor it is on.
func TestGoGetMovesNothing(t *testing.T) {
	p := newProxy(t)
	for controllerRuntime, sums := range minors() {
		t.Run(controllerRuntime, func(t *testing.T) {
			dir := scaffold(t, p, controllerRuntime, sums)
			run(t, dir, p.env, "go", "mod", "tidy")
			run(t, dir, p.env, "go", "build", "./...")
			before := requirements(t, p, dir)

			run(t, dir, p.env, "go", "get", trimtab+"@"+p.version)
			adopt(t, dir)
			run(t, dir, p.env, "go", "mod", "tidy")
			run(t, dir, p.env, "go", "vet", "./...")

			after := requirements(t, p, dir)
			require.Equal(t, p.version, after[trimtab])
			delete(after, trimtab)
			require.Equal(t, before, after)
		})
	}
}

// scaffold writes an operator as it was before it knew Trimtab.
func scaffold(t *testing.T, p *proxy, controllerRuntime, sums string) string {
	t.Helper()
	dir := t.TempDir()
	copyFile(t, filepath.Join("testdata", "operator", "main.go.txt"), filepath.Join(dir, "main.go"))
	copyFile(t, filepath.Join(p.root, filepath.FromSlash(sums)+".sum"), filepath.Join(dir, "go.sum"))
	run(t, dir, p.env, "go", "mod", "init", "example.com/operator")
	run(t, dir, p.env, "go", "get", "sigs.k8s.io/controller-runtime@"+controllerRuntime)
	return dir
}

// adopt changes the two lines, and adds the import.
func adopt(t *testing.T, dir string) {
	t.Helper()
	name := filepath.Join(dir, "main.go")
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	changed := strings.NewReplacer(
		"\n)\n\ntype reconciler", "\n\n\t\"github.com/trimtab/trimtab\"\n)\n\ntype reconciler",
		"\treturn ctrl.NewControllerManagedBy", "\tloop := trimtab.New(\"deployment\", trimtab.Options{For: &appsv1.Deployment{}})\n\treturn ctrl.NewControllerManagedBy",
		"WithOptions(options)", "WithOptions(loop.ControllerOptions(options))",
		"Complete(r)", "Complete(loop.Reconciler(r))",
	).Replace(string(text))
	require.Equal(t, 4, strings.Count(changed, "loop")+strings.Count(changed, `"github.com/trimtab/trimtab"`))
	require.NoError(t, os.WriteFile(name, []byte(changed), 0o600))
}

// requirements returns the versions that a go.mod names.
func requirements(t *testing.T, p *proxy, dir string) map[string]string {
	t.Helper()
	var mod struct {
		Go      string
		Require []struct{ Path, Version string }
	}
	require.NoError(t, json.Unmarshal([]byte(run(t, dir, p.env, "go", "mod", "edit", "-json")), &mod))
	versions := map[string]string{"go": mod.Go}
	for _, r := range mod.Require {
		versions[r.Path] = r.Version
	}
	return versions
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	content, err := os.ReadFile(from)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(to, content, 0o600))
}
