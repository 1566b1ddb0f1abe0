package doccheck_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/hack/tools/doccheck"
)

// root is that of the repository.
const root = "../../.."

func pages(t *testing.T) (all []*doccheck.Page) {
	t.Helper()
	files, err := doccheck.Find(root, "*.md")
	require.NoError(t, err)
	require.Contains(t, files, "README.md")
	require.Contains(t, files, "docs/README.md")
	for _, file := range files {
		page, err := doccheck.ReadPage(root, file)
		require.NoError(t, err)
		all = append(all, page)
	}
	return all
}

func none(t *testing.T, problems []doccheck.Problem) {
	t.Helper()
	for _, p := range problems {
		t.Error(p)
	}
}

func TestLinksLeadSomewhere(t *testing.T) {
	none(t, doccheck.Links(root, pages(t)))
}

// Every page can be reached from the README by links.
func TestPagesAreLinked(t *testing.T) {
	none(t, doccheck.Orphans(pages(t), "README.md", "docs/"))
}

func TestGo(t *testing.T) {
	packages, err := doccheck.Load(root, t.TempDir())
	require.NoError(t, err)

	t.Run("snippets in pages compile", func(t *testing.T) {
		var snippets []doccheck.Snippet
		for _, page := range pages(t) {
			snippets = append(snippets, page.Snippets...)
		}
		require.NotEmpty(t, snippets)
		none(t, doccheck.Snippets(packages, snippets))
	})

	t.Run("snippets in doc comments compile", func(t *testing.T) {
		files, err := doccheck.Find(root, "*.go")
		require.NoError(t, err)
		var snippets []doccheck.Snippet
		for _, file := range files {
			if isPublic(file) {
				found, err := doccheck.Comments(root, file)
				require.NoError(t, err)
				snippets = append(snippets, found...)
			}
		}
		require.Greater(t, len(snippets), 15)
		none(t, doccheck.Snippets(packages, snippets))
	})

	t.Run("names exist", func(t *testing.T) {
		series, err := doccheck.Series(root)
		require.NoError(t, err)
		require.Greater(t, len(series), 30)
		problems, err := doccheck.Names(packages, pages(t), series)
		require.NoError(t, err)
		none(t, problems)
	})
}

// isPublic reports whether users import the package of a file, and read about it.
func isPublic(file string) bool {
	if strings.HasSuffix(file, "_test.go") {
		return false
	}
	folder, _, _ := strings.Cut(file, "/")
	switch folder {
	case "internal", "hack", "e2e", "bench", "examples":
		return false
	}
	return true
}

// An author decides in ten minutes.
func TestREADMEIsShort(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(root, "README.md"))
	require.NoError(t, err)
	require.LessOrEqual(t, strings.Count(string(data), "\n"), 200, "lines of README.md")
}
