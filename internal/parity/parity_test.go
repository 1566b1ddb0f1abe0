package parity_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/internal/parity"
)

const theirs = "package stock\n\ntype T struct{}\n\nfunc F(n int) int { return n }\n\nfunc (T) M() {}\n\nfunc unexported() {}\n"

// folder returns a folder with one file in it.
func folder(t *testing.T, source string) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.go"), []byte(source), 0o600))
	return dir
}

func TestFaults(t *testing.T) {
	for name, tc := range map[string]struct{ ours, fault string }{
		"whole":             {"package x\ntype T = stock.T\nfunc F(n int) int { return stock.F(n) }", ""},
		"generic":           {"package x\ntype T = stock.T[int]\nfunc F(n int) int { return stock.F[int](n) }", ""},
		"two arguments":     {"package x\ntype T = stock.T[int, string]\nfunc F(n int) int { return stock.F[int, string](n) }", ""},
		"no type":           {"package x\nfunc F(n int) int { return stock.F(n) }", "T is a type"},
		"own type":          {"package x\ntype T struct{}\nfunc F(n int) int { return stock.F(n) }", "T is a type"},
		"another's alias":   {"package x\ntype T = other.T\nfunc F(n int) int { return stock.F(n) }", "T is a type"},
		"no function":       {"package x\ntype T = stock.T", "F is a function"},
		"a variable":        {"package x\ntype T = stock.T\nvar F = stock.F", "F is a function"},
		"more than a call":  {"package x\ntype T = stock.T\nfunc F(n int) int { n++; return stock.F(n) }", "F is a function"},
		"another function":  {"package x\ntype T = stock.T\nfunc F(n int) int { return stock.G(n) }", "F is a function"},
		"no call":           {"package x\ntype T = stock.T\nfunc F(n int) int { return n }", "F is a function"},
		"a function of own": {"package x\ntype T = stock.T\nfunc F(n int) int { return f(n) }", "F is a function"},
	} {
		t.Run(name, func(t *testing.T) {
			faults, err := parity.Faults("stock", folder(t, theirs), folder(t, tc.ours))
			require.NoError(t, err)
			if tc.fault == "" {
				require.Empty(t, faults)
				return
			}
			require.Len(t, faults, 1)
			require.Contains(t, faults[0], tc.fault)
		})
	}
}

func TestFaultsOfConstants(t *testing.T) {
	stock := folder(t, "package stock\n\nconst C = 1\n")
	for ours, fault := range map[string]string{
		"const C = stock.C":           "",
		"const C = 1":                 "C is a constant: it must be a constant of its value",
		"const C, D = stock.C, 2":     "C is a constant: it must be a constant of its value",
		"var C = stock.C":             "C is a constant: it must be a constant of its value",
		"func C() int { return 1 }":   "C is a constant: it must be a constant of its value",
		"const D = stock.C":           "C is a constant: it must be a constant of its value",
		"const (\n\tC = stock.C\n)\n": "",
	} {
		faults, err := parity.Faults("stock", stock, folder(t, "package x\n"+ours))
		require.NoError(t, err)
		require.Equal(t, fault, strings.Join(faults, "\n"), ours)
	}
}

func TestFaultsOfVariables(t *testing.T) {
	faults, err := parity.Faults("stock", folder(t, "package stock\n\nvar V = 1\n"), folder(t, "package x\nvar V = stock.V"))
	require.NoError(t, err)
	require.Equal(t, []string{"V is a variable"}, faults)

	_, err = parity.Faults("stock", t.TempDir(), t.TempDir())
	require.ErrorContains(t, err, "no exported names")
	_, err = parity.Faults("stock", folder(t, "not Go"), t.TempDir())
	require.Error(t, err)
}

func TestSource(t *testing.T) {
	dir, err := parity.Source(strings.Clone)
	require.NoError(t, err)
	require.FileExists(t, filepath.Join(dir, "clone.go"))
}
