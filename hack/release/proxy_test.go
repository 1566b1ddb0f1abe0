package release_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

const trimtab = "github.com/trimtab/trimtab"

// proxy is a module proxy of files, with the tree as a release would publish it, and
// behind it the proxies of the environment.
type proxy struct {
	root    string // of the tree
	dir     string
	version string // of all that is published; no two trees share one
	env     []string
}

// newProxy returns a proxy that holds the root module.
func newProxy(t *testing.T) *proxy {
	t.Helper()
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	// As a pseudo-version, which a module cache keeps apart from any release, and from
	// another tree.
	now, dir := time.Now().UTC(), t.TempDir()
	p := &proxy{root: root, dir: dir, version: fmt.Sprintf("v0.1.1-0.%s-%012x", now.Format("20060102150405"), now.Nanosecond())}
	p.env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-modcacherw -mod=mod",
		"GOPROXY=file://"+dir+","+goEnv(t, "GOPROXY"), "GONOSUMDB="+trimtab+","+trimtab+"/*")
	p.publish(t, ".")
	return p
}

// publish puts the module in that folder of the tree into the proxy. One that requires
// the root first gets the version of that and its hash, as in a release.
func (p *proxy) publish(t *testing.T, folder string) {
	t.Helper()
	v := module.Version{Path: path.Join(trimtab, folder), Version: p.version}
	p.leaveNothing(t, v.Path)
	dir := p.copyTree(t, folder)
	if folder != "." {
		run(t, dir, p.env, "go", "mod", "edit", "-require="+trimtab+"@"+p.version)
		run(t, dir, p.env, "go", "mod", "tidy")
	}
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	require.NoError(t, err)
	var archive bytes.Buffer
	require.NoError(t, zip.CreateFromDir(&archive, v, dir))
	at := filepath.Join(p.dir, filepath.FromSlash(v.Path), "@v")
	require.NoError(t, os.MkdirAll(at, 0o755))
	published, err := module.PseudoVersionTime(p.version)
	require.NoError(t, err)
	info := fmt.Sprintf(`{"Version":%q,"Time":%q}`, p.version, published.Format(time.RFC3339))
	for name, content := range map[string][]byte{
		"list": nil, p.version + ".info": []byte(info), p.version + ".mod": mod, p.version + ".zip": archive.Bytes(),
	} {
		require.NoError(t, os.WriteFile(filepath.Join(at, name), content, 0o600))
	}
}

// leaveNothing removes the version from the user's module cache when the test is over.
func (p *proxy) leaveNothing(t *testing.T, modulePath string) {
	t.Helper()
	cache, under := goEnv(t, "GOMODCACHE"), filepath.FromSlash(modulePath)
	t.Cleanup(func() {
		left, err := filepath.Glob(filepath.Join(cache, "cache", "download", under, "@v", p.version+".*"))
		require.NoError(t, err)
		for _, name := range append(left, filepath.Join(cache, under+"@"+p.version)) {
			require.NoError(t, os.RemoveAll(name))
		}
	})
}

// copyTree copies a module of the working tree, without what git ignores.
func (p *proxy) copyTree(t *testing.T, folder string) string {
	t.Helper()
	dir, from := t.TempDir(), filepath.Join(p.root, folder)
	list := run(t, from, os.Environ(), "git", "ls-files", "--cached", "--others", "--exclude-standard")
	for name := range strings.Lines(list) {
		name = strings.TrimSpace(name)
		content, err := os.ReadFile(filepath.Join(from, name))
		if os.IsNotExist(err) {
			continue // deleted, and not committed yet
		}
		require.NoError(t, err)
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), content, 0o600))
	}
	return dir
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	return strings.TrimSpace(run(t, ".", os.Environ(), "go", "env", name))
}

// run returns what a program prints, and fails the test if it fails.
func run(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir, cmd.Env = dir, env
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoErrorf(t, err, "%s %s\n%s%s", name, strings.Join(args, " "), out, stderr.String())
	return string(out)
}
