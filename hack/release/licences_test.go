package release_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/licensecheck"
	"github.com/stretchr/testify/require"
)

// Whoever gets Trimtab gets what its packages import: nothing of that may ask more of
// them than a notice.
func TestLicences(t *testing.T) {
	allowed := []string{"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT"}
	modules := modulesBehind(t, "../..")
	require.Greater(t, len(modules), 20)
	for dir := range modules {
		for _, licence := range licencesIn(t, dir) {
			require.Contains(t, allowed, licence, dir)
		}
	}
}

// What is not allowed, or is no licence, is found.
func TestLicencesOfOthers(t *testing.T) {
	require.NotEmpty(t, licencesIn(t, "../.."))
	for _, text := range []string{"", "All rights reserved.", "SPDX-License-Identifier: GPL-3.0-only"} {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "LICENSE"), []byte(text), 0o600))
		require.Equal(t, []string{"unknown"}, licencesIn(t, dir), text)
	}
	require.Equal(t, []string{"none"}, licencesIn(t, t.TempDir()))
}

// modulesBehind returns the folders of the modules that the packages of a module import.
func modulesBehind(t *testing.T, dir string) map[string]bool {
	t.Helper()
	modules := map[string]bool{}
	list := run(t, dir, append(os.Environ(), "GOWORK=off"), "go", "list", "-deps", "-f", "{{with .Module}}{{.Dir}}{{end}}", "./...")
	for line := range strings.Lines(list) {
		if line = strings.TrimSpace(line); line != "" {
			modules[line] = true
		}
	}
	return modules
}

// licencesIn returns the licences that a module's files of that name are.
func licencesIn(t *testing.T, dir string) []string {
	t.Helper()
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	var found []string
	for _, file := range files {
		name := strings.ToUpper(file.Name())
		if file.IsDir() || !strings.HasPrefix(name, "LICEN") && !strings.HasPrefix(name, "COPYING") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, file.Name()))
		require.NoError(t, err)
		coverage := licensecheck.Scan(text)
		if coverage.Percent < 75 {
			found = append(found, "unknown")
			continue
		}
		for _, match := range coverage.Match {
			found = append(found, match.ID)
		}
	}
	if found == nil {
		return []string{"none"}
	}
	slices.Sort(found)
	return slices.Compact(found)
}
