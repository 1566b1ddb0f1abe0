package doccheck_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/hack/tools/doccheck"
)

// write makes a folder of files, by their names.
func write(t *testing.T, files map[string]string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	for name, text := range files {
		file := filepath.Join(folder, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	return folder
}

func readAll(t *testing.T, folder string) (all []*doccheck.Page) {
	t.Helper()
	files, err := doccheck.Find(folder, "*.md")
	require.NoError(t, err)
	for _, file := range files {
		page, err := doccheck.ReadPage(folder, file)
		require.NoError(t, err)
		all = append(all, page)
	}
	return all
}

func texts(problems []doccheck.Problem) (all []string) {
	for _, p := range problems {
		all = append(all, p.String())
	}
	return all
}

const goodPage = "# The `Options`, and [more](more.md): a page\n## Twice\n## Twice\n<a id=\"here\"></a>\n" +
	"```sh\n# no heading, [no](link.md)\n```\n<!-- [no](link.md) -->\n"

func TestLinks(t *testing.T) {
	for name, test := range map[string]struct {
		page string
		want []string
	}{
		"a file":               {page: "[a](more.md) ![b](x/pic.svg \"t\") [c](x) <img src=\"x/pic.svg\">"},
		"an anchor":            {page: "# A b\n[a](#a-b) [b](more.md#the-options-and-more-a-page) [c](more.md#twice-1) [d](more.md#here)"},
		"an address":           {page: "[a](https://example.com/x#y) <https://example.com> [b](http://localhost:8080/) <mailto:a@b.example>"},
		"a definition":         {page: "[a][one] [two][]\n\n[one]: more.md\n[two]: more.md"},
		"code":                 {page: "`[a](gone.md)` and `#` [a](more.md)"},
		"an image in a link":   {page: "[![a](x/gone.svg)](gone.md)", want: []string{"page.md:1: the link \"x/gone.svg\" leads to no file", "page.md:1: the link \"gone.md\" leads to no file"}},
		"a file that is gone":  {page: "\n[a](gone.md)", want: []string{`page.md:2: the link "gone.md" leads to no file`}},
		"a picture that is":    {page: "![a](gone.svg)", want: []string{`page.md:1: the link "gone.svg" leads to no file`}},
		"in HTML":              {page: `<a href="gone.md">a</a>`, want: []string{`page.md:1: the link "gone.md" leads to no file`}},
		"no such heading":      {page: "# A\n[a](#b)", want: []string{`page.md:2: the link "#b" leads to no heading`}},
		"no such heading else": {page: "[a](more.md#twice-2)", want: []string{`page.md:1: the link "more.md#twice-2" leads to no heading`}},
		"a heading in code":    {page: "[a](more.md#no-heading-no)", want: []string{`page.md:1: the link "more.md#no-heading-no" leads to no heading`}},
		"a line of a file":     {page: "[a](x/pic.svg#L1)", want: []string{`page.md:1: the link "x/pic.svg#L1" leads to no heading`}},
		"out of it":            {page: "[a](../x.md)", want: []string{`page.md:1: the link "../x.md" leaves the repository`}},
		"by the root":          {page: "[a](/more.md)", want: []string{`page.md:1: the link "/more.md" leaves the repository`}},
		"http":                 {page: "[a](http://example.com)", want: []string{`page.md:1: the link "http://example.com" does not begin with https://`}},
		"no host":              {page: "[a](https://docs/x) <https:///x>", want: []string{`page.md:1: the link "https://docs/x" names no host`, `page.md:1: the link "https:///x" names no host`}},
		"no address":           {page: "[a](https://a b) [a]() [c](%zz)", want: []string{`page.md:1: the link "" can't be read`, `page.md:1: the link "%zz" can't be read`}},
		"another scheme":       {page: "[a](ftp://example.com/)", want: []string{`page.md:1: the link "ftp://example.com/" does not begin with https://`}},
		"nothing defined":      {page: "[a][one]", want: []string{"page.md:1: the link [one] is not defined"}},
		"a definition is bad":  {page: "[a][one]\n\n[one]: gone.md", want: []string{`page.md:3: the link "gone.md" leads to no file`}},
		"a block without end":  {page: "a\n```go\n[a](gone.md)", want: []string{"page.md:2: this block of code has no end"}},
		"a comment without":    {page: "a\n<!-- b\n[a](gone.md)", want: []string{"page.md:2: this comment has no end"}},
	} {
		t.Run(name, func(t *testing.T) {
			folder := write(t, map[string]string{"page.md": test.page, "more.md": goodPage, "x/pic.svg": ""})
			require.NoError(t, os.WriteFile(filepath.Join(folder, "x/pic.svg"), nil, 0o600))
			// more.md links to itself, so that nothing in it is wrong.
			require.Equal(t, test.want, texts(doccheck.Links(folder, readAll(t, folder))))
		})
	}
}

func TestOrphans(t *testing.T) {
	folder := write(t, map[string]string{
		"README.md":      "[a](docs/a.md)",
		"other.md":       "",
		"docs/a.md":      "[b](b.md#b) [c](c)",
		"docs/b.md":      "# B\n[a](a.md)",
		"docs/c/d.md":    "",
		"docs/gone.md":   "[e](e.md)",
		"docs/e.md":      "",
		"testdata/x.md":  "[x](gone.md)",
		".hidden/x.md":   "[x](gone.md)",
		"docs/bin/x.md":  "[x](gone.md)",
		"docs/notes.txt": "[x](gone.md)",
	})
	require.Equal(t, []string{
		"docs/e.md:1: no link from README.md leads here",
		"docs/gone.md:1: no link from README.md leads here",
	}, texts(doccheck.Orphans(readAll(t, folder), "README.md", "docs/")))
}

func TestBrokenGo(t *testing.T) {
	packages, err := doccheck.Load(root, t.TempDir())
	require.NoError(t, err)

	for name, test := range map[string]struct {
		page, want string
	}{
		"a file":                  {page: "```go\n// a\npackage main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println() }\n```"},
		"declarations":            {page: "```go\ntype T struct{ client.Client }\n\nfunc (T) M(ctx context.Context) error { return nil }\n```"},
		"what the context has":    {page: "```go\ntype Reconciler struct{ a int }\n\nfunc (r *Reconciler) A() int { return r.a }\n```"},
		"statements":              {page: "```go\nloop := trimtab.New(\"a\", trimtab.Options{})\n_ = loop.Snapshot()\n```"},
		"a result":                {page: "```go\nreturn requeue.After(time.Minute), nil\n```"},
		"an error":                {page: "```go\nreturn mgr.Start(ctx)\n```"},
		"an expression":           {page: "```go\ncontroller.Options{MaxConcurrentReconciles: 4}\n```"},
		"a chain":                 {page: "```go\nFor(&certv1.Certificate{}).\n\tWatches(&corev1.Secret{}, h). // a comment\n```"},
		"methods":                 {page: "```go\nRetryAfter() time.Duration\nRetryAfter() string\n```"},
		"something left out":      {page: "```go\nif err != nil {\n\t…\n}\n```"},
		"a need":                  {page: "<!-- go:\nimport b \"bytes\"\nvar tenant func() *b.Buffer\n-->\n\n```go\n_ = tenant().Len()\n```"},
		"no Go":                   {page: "```sh\nx := 1 +\n```\n\n```\nx := 1 +\n```"},
		"a name, or a package":    {page: "```go\n_ = mgr.Add(cache)\n```\n\n```go\n_ = cache.Options{}\n```"},
		"a need of another":       {page: "<!-- go: var x int -->\n\nText.\n\n```go\n_ = x\n```", want: "page.md:6: undefined: x"},
		"syntax":                  {page: "a\n\n```go\nx := 1\ny := (\n```", want: "page.md:6: "},
		"a name that is gone":     {page: "```go\nx := 1\n_ = x\n\n_ = queue.Options[int]{Debouncing: 1}\n```", want: "page.md:5: unknown field Debouncing in struct literal of type queue.Options[int]"},
		"a func that is gone":     {page: "```go\nreturn requeue.Sometimes(), nil\n```", want: "page.md:2: undefined: requeue.Sometimes"},
		"another type":            {page: "```go\nvar d time.Duration = \"1s\"\n```", want: "page.md:2: cannot use \"1s\""},
		"a package":               {page: "```go\n_ = nowhere.X\n```", want: "page.md:2: undefined: nowhere"},
		"a chain of what is gone": {page: "```go\nFor(&certv1.Certificate{}).\n\tSees(&corev1.Secret{}).\n```", want: "page.md:3: ctrl.NewControllerManagedBy(mgr).For(&certv1.Certificate{}).Sees undefined"},
		"a file's import":         {page: "```go\npackage p\n\nimport \"fmt\"\n```", want: "page.md:4: \"fmt\" imported and not used"},
		"a file's package":        {page: "```go\npackage p\n\nimport _ \"example.com/gone\"\n```", want: "page.md:4: could not import example.com/gone"},
		"two results of three":    {page: "```go\nreturn 1, 2, 3\n```", want: "page.md:2: "},
	} {
		t.Run(name, func(t *testing.T) {
			page := readAll(t, write(t, map[string]string{"page.md": test.page}))[0]
			require.Empty(t, page.Problems)
			problems := texts(doccheck.Snippets(packages, page.Snippets))
			if test.want == "" {
				require.Empty(t, problems)
				return
			}
			require.Len(t, problems, 1)
			require.True(t, strings.HasPrefix(problems[0], test.want), problems[0])
		})
	}

	t.Run("doc comments", func(t *testing.T) {
		const source = `// Package p is one.
//
//	x := queue.Gone()
//
// A table, a command and a configuration are no Go:
//
//	one    a word
//	two    another
//
//	go get example.com
//
//	capped:
//	  limiter: {}
package p

// F does.
//
//	return 1 +
func F() {}

// T is.
type T struct {
	// A is.
	//
	//	_ = trimtab.New("a", trimtab.Options{})
	A int
}
`
		snippets, err := doccheck.Comments(write(t, map[string]string{"p.go": source}), "p.go")
		require.NoError(t, err)
		require.Len(t, snippets, 3)
		problems := texts(doccheck.Snippets(packages, snippets))
		require.Len(t, problems, 2)
		require.Equal(t, "p.go:3: undefined: queue.Gone", problems[0])
		require.Contains(t, problems[1], "p.go:1") // in F's
	})

	t.Run("names", func(t *testing.T) {
		for code, want := range map[string]string{
			"queue.Options.MaxWait":                             "",
			"trimtab.Options.Queue.MaxWait":                     "",
			"Options.Queue":                                     "",
			"Queue.MaxWait":                                     "",
			"Loop.Snapshot":                                     "",
			"handler.Owned(mgr, &certv1.Certificate{})":         "",
			"manager.Options{NewClient: trimtab.NewClient}":     "",
			"runtime.Goexit":                                    "",
			"trimtab_latency_seconds":                           "",
			"rate(trimtab_latency_seconds_bucket[5m])":          "",
			"controller:trimtab_gone:rate5m":                    "",
			"trimtab_*":                                         "",
			"spec.Replicas":                                     "",
			"MaxWait":                                           "",
			"queue.Options.MaxWeight":                           "there is no queue.Options.MaxWeight",
			"trimtab.Options.Queue.MaxWeight":                   "there is no trimtab.Options.Queue.MaxWeight",
			"a := requeue.Sometimes(d)":                         "there is no requeue.Sometimes",
			"handler.Owned.X":                                   "there is no handler.Owned.X",
			"controller.Options.Gone":                           "there is no controller.Options.Gone",
			"Options.Gone":                                      "there is no Options.Gone in any of Trimtab's packages",
			"Queue.MaxWeight":                                   "there is no Queue.MaxWeight in any of Trimtab's packages",
			"trimtab_gone_total":                                "there is no series trimtab_gone_total",
			"trimtab_gone_seconds_bucket{trigger=\"primary\"}":  "there is no series trimtab_gone_seconds_bucket",
			"trimtab_latency_seconds, trimtab_latencies_second": "there is no series trimtab_latencies_second",
		} {
			series := map[string]bool{"trimtab_latency_seconds": true}
			all := readAll(t, write(t, map[string]string{"page.md": "a `" + code + "` b"}))
			problems, err := doccheck.Names(packages, all, series)
			require.NoError(t, err)
			if want == "" {
				require.Empty(t, problems, code)
				continue
			}
			require.Equal(t, []string{"page.md:1: " + want}, texts(problems), code)
		}
	})

	t.Run("a series in a block", func(t *testing.T) {
		all := readAll(t, write(t, map[string]string{"page.md": "```promql\ntrimtab_gone\n```"}))
		problems, err := doccheck.Names(packages, all, nil)
		require.NoError(t, err)
		require.Equal(t, []string{"page.md:2: there is no series trimtab_gone"}, texts(problems))
	})
}
