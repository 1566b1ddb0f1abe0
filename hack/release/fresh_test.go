package release_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Whoever copies an example has an operator that builds, under a name of their own.
func TestGoNew(t *testing.T) {
	p, gonew := newProxy(t), strings.TrimSpace(run(t, ".", os.Environ(), "go", "tool", "-n", "gonew"))
	for _, example := range []string{"certrotator", "minimal"} {
		t.Run(example, func(t *testing.T) {
			folder := "examples/" + example
			p.publish(t, folder)
			dir := filepath.Join(t.TempDir(), "operator")
			run(t, t.TempDir(), p.env, gonew, trimtab+"/"+folder+"@"+p.version, "example.com/operator", dir)
			env := append(p.env, "GOFLAGS=-modcacherw") // with a go.mod and go.sum that need nothing
			run(t, dir, env, "go", "build", "./...")
			require.Equal(t, "example.com/operator", strings.TrimSpace(run(t, dir, env, "go", "list", "-m")))
		})
	}
}

// Tracing comes into a module that has nothing yet.
func TestGoGetOtel(t *testing.T) {
	p := newProxy(t)
	p.publish(t, "otel")
	dir := t.TempDir()
	run(t, dir, p.env, "go", "mod", "init", "example.com/traced")
	copyFile(t, filepath.Join(p.root, "otel", "go.sum"), filepath.Join(dir, "go.sum"))
	source := "package traced\n\nimport \"" + trimtab + "/otel\"\n\nvar _ = otel.New\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "traced.go"), []byte(source), 0o600))
	run(t, dir, p.env, "go", "get", trimtab+"/otel@"+p.version)
	run(t, dir, append(p.env, "GOFLAGS=-modcacherw"), "go", "build", "./...")
}
