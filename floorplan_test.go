package trimtab_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

const module = "github.com/trimtab/trimtab"

// floors are the packages' folders from the ground up, as DESIGN.md has them. A
// package imports what is below it: nothing upward, nothing sideways. Tests are
// written from outside and import what they like.
func floors() [][]string {
	return [][]string{
		{"internal/*"},
		{"trigger", "ratelimit"},
		{"ratelimit/configfile"}, // a mezzanine: it stands on ratelimit
		{"queue", "handler", "predicate", "requeue"},
		{"predicate/predicatetest"}, // another: it stands on predicate
		{"reconcile", "metrics"},
		{"."},
		{"loopz"},
	}
}

// requirements are the modules that go.mod may require directly.
func requirements() []string {
	return []string{
		"github.com/fsnotify/fsnotify",
		"github.com/go-logr/logr",
		"github.com/prometheus/client_golang",
		"github.com/stretchr/testify",
		"go.yaml.in/yaml/v3",
		"golang.org/x/time",
		"k8s.io/api",
		"k8s.io/apimachinery",
		"k8s.io/client-go",
		"k8s.io/utils",
		"sigs.k8s.io/controller-runtime",
	}
}

func TestFloorPlan(t *testing.T) {
	packages, err := readPackages(os.DirFS("."))
	require.NoError(t, err)
	require.NotEmpty(t, packages)
	require.Empty(t, strings.Join(inspect(packages), "\n"))
}

func TestRequirements(t *testing.T) {
	ours := readMod(t, "go.mod")
	theirs := readMod(t, strings.TrimSpace(runGo(t, "list", "-m", "-f", "{{.GoMod}}", "sigs.k8s.io/controller-runtime")))
	require.Empty(t, strings.Join(checkMod(ours, theirs), "\n"))
}

// A package is a folder of the root module with Go files in it that are no
// tests.
type pkg struct {
	folder string
	files  map[string]*ast.File // by name
}

// readPackages reads the packages of the module at the root of the tree, not
// those of the modules inside it.
func readPackages(tree fs.FS) ([]pkg, error) {
	var packages []pkg
	err := fs.WalkDir(tree, ".", func(folder string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil || !entry.IsDir():
			return err
		case folder != "." && isNoPackage(tree, folder):
			return fs.SkipDir
		}
		p, err := readPackage(tree, folder)
		if len(p.files) > 0 {
			packages = append(packages, p)
		}
		return err
	})
	return packages, err
}

// isNoPackage says whether the go command looks past the folder, or finds
// another module there.
func isNoPackage(tree fs.FS, folder string) bool {
	base := path.Base(folder)
	_, err := fs.Stat(tree, path.Join(folder, "go.mod"))
	return err == nil || base == "testdata" || base[0] == '.' || base[0] == '_'
}

func readPackage(tree fs.FS, folder string) (pkg, error) {
	p := pkg{folder: folder, files: map[string]*ast.File{}}
	names, err := fs.Glob(tree, path.Join(folder, "*.go"))
	if err != nil {
		return p, err
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := fs.ReadFile(tree, name)
		if err != nil {
			return p, err
		}
		if p.files[name], err = parser.ParseFile(token.NewFileSet(), name, text, parser.ParseComments); err != nil {
			return p, err
		}
	}
	return p, nil
}

// inspect returns what the packages do against the rules.
func inspect(packages []pkg) (complaints []string) {
	for _, p := range packages {
		complaints = append(complaints, checkFloor(p)...)
		complaints = append(complaints, checkDoc(p)...)
		for name, file := range p.files {
			complaints = append(complaints, checkImports(p.folder, name, file)...)
			complaints = append(complaints, checkInit(name, file)...)
			complaints = append(complaints, checkSleep(name, file)...)
		}
	}
	slices.Sort(complaints)
	return complaints
}

// floorOf returns the floor of the package in the folder.
func floorOf(folder string) (floor int, found bool) {
	for floor, patterns := range floors() {
		for _, pattern := range patterns {
			if match, _ := path.Match(pattern, folder); match { // the patterns are well formed
				return floor, true
			}
		}
	}
	return 0, false
}

func checkFloor(p pkg) []string {
	if _, found := floorOf(p.folder); !found {
		return []string{p.folder + ": has no floor"}
	}
	return nil
}

func checkImports(folder, name string, file *ast.File) (complaints []string) {
	from, _ := floorOf(folder)
	for _, spec := range file.Imports {
		imported := importPath(spec)
		if imported != module && !strings.HasPrefix(imported, module+"/") {
			continue
		}
		target := path.Clean("." + strings.TrimPrefix(imported, module))
		to, found := floorOf(target)
		switch {
		case !found:
			complaints = append(complaints, fmt.Sprintf("%s: imports %s, which has no floor", name, target))
		case to == from:
			complaints = append(complaints, fmt.Sprintf("%s: imports %s sideways", name, target))
		case to > from:
			complaints = append(complaints, fmt.Sprintf("%s: imports %s upward", name, target))
		}
	}
	return complaints
}

// checkDoc wants one package doc, in doc.go, that begins as go doc expects.
func checkDoc(p pkg) (complaints []string) {
	found := false
	for name, file := range p.files {
		switch {
		case file.Doc == nil:
		case path.Base(name) != "doc.go":
			complaints = append(complaints, name+": a package doc outside doc.go")
		case !strings.HasPrefix(file.Doc.Text(), "Package "+file.Name.Name+" "):
			complaints = append(complaints, fmt.Sprintf("%s: the package doc doesn't begin with Package %s", name, file.Name.Name))
		default:
			found = true
		}
	}
	if !found && complaints == nil {
		complaints = append(complaints, p.folder+": no package doc in doc.go")
	}
	return complaints
}

// checkInit forbids init functions: what an import does, nobody asked for.
func checkInit(name string, file *ast.File) (complaints []string) {
	for _, decl := range file.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
			complaints = append(complaints, name+": has an init function")
		}
	}
	return complaints
}

// checkSleep forbids time.Sleep, under whatever name: it can't be ended.
func checkSleep(name string, file *ast.File) (complaints []string) {
	clock := ""
	for _, spec := range file.Imports {
		if importPath(spec) == "time" {
			clock = "time"
			if spec.Name != nil {
				clock = spec.Name.Name
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == "Sleep" {
			if x, ok := s.X.(*ast.Ident); ok && x.Name == clock {
				complaints = append(complaints, name+": sleeps")
			}
		}
		return true
	})
	return complaints
}

func importPath(spec *ast.ImportSpec) string {
	unquoted, _ := strconv.Unquote(spec.Path.Value) // the parser accepted it
	return unquoted
}

// mod is what go mod edit -json says of a go.mod.
type mod struct {
	Go        string
	Toolchain string
	Require   []struct {
		Path, Version string
		Indirect      bool
	}
	Exclude, Replace, Tool []any
}

// checkMod holds our go.mod against the rules and against the one of
// controller-runtime, so that an operator that gets us has nothing moved.
func checkMod(ours, theirs mod) (complaints []string) {
	say := func(format string, args ...any) {
		complaints = append(complaints, "go.mod: "+fmt.Sprintf(format, args...))
	}
	if ours.Go != "1.25.0" || ours.Toolchain != "" {
		say("go %s and toolchain %q, want go 1.25.0 and none", ours.Go, ours.Toolchain)
	}
	if len(ours.Exclude)+len(ours.Replace)+len(ours.Tool) > 0 {
		say("has exclude, replace or tool lines")
	}
	selected := map[string]string{"sigs.k8s.io/controller-runtime": "v0.23.0"}
	for _, r := range theirs.Require {
		selected[r.Path] = r.Version
	}
	for _, r := range ours.Require {
		if !r.Indirect && !slices.Contains(requirements(), r.Path) {
			say("requires %s directly", r.Path)
		}
		if want, ok := selected[r.Path]; ok && want != r.Version {
			say("requires %s %s, controller-runtime v0.23.0 has %s", r.Path, r.Version, want)
		}
	}
	return complaints
}

func readMod(t *testing.T, file string) (m mod) {
	t.Helper()
	require.FileExists(t, file) // the test cache sees only what this process looks at
	require.NoError(t, json.Unmarshal([]byte(runGo(t, "mod", "edit", "-json", file)), &m))
	return m
}

func runGo(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Env = append(os.Environ(), "GOWORK=off")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	require.NoError(t, err)
	return string(out)
}

// The rules themselves: each is shown a house that breaks it.
func TestFloorPlanComplains(t *testing.T) {
	const doc = "// Package queue queues.\npackage queue\n"
	for name, test := range map[string]struct {
		tree map[string]string
		want []string
	}{
		"a good house": {tree: map[string]string{
			"doc.go":                "// Package trimtab trims.\npackage trimtab\n",
			"loop.go":               "package trimtab\nimport _ \"github.com/trimtab/trimtab/queue\"\n",
			"queue/doc.go":          doc,
			"queue/queue.go":        "package queue\nimport \"time\"\nimport _ \"github.com/trimtab/trimtab/internal/keyed\"\nvar _ = time.Second\n",
			"queue/queue_test.go":   "package queue_test\nimport _ \"github.com/trimtab/trimtab/reconcile\"\nfunc init() {}\n",
			"queue/testdata/t.go":   "package t\n",
			"internal/keyed/doc.go": "// Package keyed keys.\npackage keyed\n",
			"ratelimit/doc.go":      "// Package ratelimit limits.\npackage ratelimit\n",
			"e2e/go.mod":            "module e2e\n",
			"e2e/e2e.go":            "package e2e\nfunc init() {}\n",
			".hidden/h.go":          "package h\n",
			"ratelimit/configfile/doc.go": "// Package configfile reads.\npackage configfile\n" +
				"import _ \"github.com/trimtab/trimtab/ratelimit\"\nimport _ \"github.com/trimtab/trimtabs\"\n",
		}},
		"no floor": {
			tree: map[string]string{"attic/doc.go": "// Package attic stores.\npackage attic\n"},
			want: []string{"attic: has no floor"},
		},
		"too deep": {
			tree: map[string]string{"internal/a/b/doc.go": "// Package b is deep.\npackage b\n"},
			want: []string{"internal/a/b: has no floor"},
		},
		"upward": {
			tree: map[string]string{"queue/doc.go": doc + "import _ \"github.com/trimtab/trimtab/reconcile\"\n"},
			want: []string{"queue/doc.go: imports reconcile upward"},
		},
		"upward to the root": {
			tree: map[string]string{"queue/doc.go": doc + "import _ \"github.com/trimtab/trimtab\"\n"},
			want: []string{"queue/doc.go: imports . upward"},
		},
		"sideways": {
			tree: map[string]string{"queue/doc.go": doc + "import _ \"github.com/trimtab/trimtab/handler\"\n"},
			want: []string{"queue/doc.go: imports handler sideways"},
		},
		"into nowhere": {
			tree: map[string]string{"queue/doc.go": doc + "import _ \"github.com/trimtab/trimtab/examples/certrotator\"\n"},
			want: []string{"queue/doc.go: imports examples/certrotator, which has no floor"},
		},
		"no doc": {
			tree: map[string]string{"queue/doc.go": "package queue\n"},
			want: []string{"queue: no package doc in doc.go"},
		},
		"doc elsewhere": {
			tree: map[string]string{"queue/queue.go": doc},
			want: []string{"queue/queue.go: a package doc outside doc.go"},
		},
		"two docs": {
			tree: map[string]string{"queue/doc.go": doc, "queue/queue.go": doc},
			want: []string{"queue/queue.go: a package doc outside doc.go"},
		},
		"another's doc": {
			tree: map[string]string{"queue/doc.go": "// Package stack queues.\npackage queue\n"},
			want: []string{"queue/doc.go: the package doc doesn't begin with Package queue"},
		},
		"init": {
			tree: map[string]string{"queue/doc.go": doc + "func init() {}\n"},
			want: []string{"queue/doc.go: has an init function"},
		},
		"sleep": {
			tree: map[string]string{"queue/doc.go": doc + "import \"time\"\nfunc f() { time.Sleep(1) }\n"},
			want: []string{"queue/doc.go: sleeps"},
		},
		"sleep under another name": {
			tree: map[string]string{"queue/doc.go": doc + "import clock \"time\"\nvar f = clock.Sleep\n"},
			want: []string{"queue/doc.go: sleeps"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			tree := fstest.MapFS{}
			for name, text := range test.tree {
				tree[name] = &fstest.MapFile{Data: []byte(text)}
			}
			packages, err := readPackages(tree)
			require.NoError(t, err)
			require.Equal(t, test.want, inspect(packages))
		})
	}
}

func TestRequirementsComplain(t *testing.T) {
	const good = "go 1.25.0\nrequire sigs.k8s.io/controller-runtime v0.23.0\nrequire k8s.io/api v0.35.0\n"
	for name, test := range map[string]struct {
		mod  string
		want string
	}{
		"good":          {mod: good + "require example.com/far v1.0.0 // indirect\n"},
		"newer Go":      {mod: strings.Replace(good, "1.25.0", "1.26.0", 1), want: `go.mod: go 1.26.0 and toolchain "", want go 1.25.0 and none`},
		"toolchain":     {mod: good + "toolchain go1.26.1\n", want: `go.mod: go 1.25.0 and toolchain "go1.26.1", want go 1.25.0 and none`},
		"replace":       {mod: good + "replace k8s.io/api => ../api\n", want: "go.mod: has exclude, replace or tool lines"},
		"tool":          {mod: good + "tool example.com/tool\n", want: "go.mod: has exclude, replace or tool lines"},
		"newer runtime": {mod: strings.Replace(good, "v0.23.0", "v0.24.0", 1), want: "go.mod: requires sigs.k8s.io/controller-runtime v0.24.0, controller-runtime v0.23.0 has v0.23.0"},
		"newer api":     {mod: strings.Replace(good, "v0.35.0", "v0.36.0", 1), want: "go.mod: requires k8s.io/api v0.36.0, controller-runtime v0.23.0 has v0.35.0"},
		"newer indirect": {
			mod:  strings.Replace(good, "v0.35.0", "v0.36.0 // indirect", 1),
			want: "go.mod: requires k8s.io/api v0.36.0, controller-runtime v0.23.0 has v0.35.0",
		},
		"a module too many": {mod: good + "require example.com/far v1.0.0\n", want: "go.mod: requires example.com/far directly"},
	} {
		t.Run(name, func(t *testing.T) {
			theirs := writeMod(t, "go 1.25.0\nrequire k8s.io/api v0.35.0\n")
			require.Equal(t, test.want, strings.Join(checkMod(writeMod(t, test.mod), theirs), "\n"))
		})
	}
}

func writeMod(t *testing.T, text string) mod {
	t.Helper()
	file := filepath.Join(t.TempDir(), "go.mod")
	require.NoError(t, os.WriteFile(file, []byte("module example.com/m\n"+text), 0o644))
	return readMod(t, file)
}
