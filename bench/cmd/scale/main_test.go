package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const results = `command: make bench-scale
date: 2026-01-02
goos: plan9
BenchmarkObjects/objects=1000/at=start/form=full/by=trimtab-2 1 4280 live-B/object 0.5 s-all
BenchmarkObjects/objects=1000/at=start/form=full/by=controller-runtime-2 1 4300 live-B/object 0.25 s-all
BenchmarkObjects/objects=100000/at=start/form=full/by=trimtab-2 1 3000 live-B/object 25 s-all
BenchmarkKeys/keys=1000/by=trimtab-2 1 0.35 ms-status 559 series
`

// benchstat returns the path of the one that make bench-scale uses.
func benchstat(t *testing.T) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "-C", "../../../hack/tools", "tool", "-n", "benchstat")
	cmd.Env = append(os.Environ(), "GOWORK=off")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	require.NoError(t, err)
	return strings.TrimSpace(string(out))
}

// write returns the name of a new file of that text.
func write(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	return file
}

func TestTables(t *testing.T) {
	for name, flag := range map[string]string{"printed": "-n", "short": "-short"} {
		t.Run(name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			args := []string{"-again", flag, "-benchstat", benchstat(t), "-results", write(t, results), "-page", "nowhere"}
			require.NoError(t, command(t.Context(), args, &stdout, &stderr))
			require.Empty(t, stderr.String())
			require.Contains(t, stdout.String(), "Made by `make bench-scale` on 2026-01-02: ")
			require.Contains(t, stdout.String(), "| until all objects have run | trimtab | 500 ms | 25 s | 50× |\n")
			require.Contains(t, stdout.String(), "| until all objects have run | controller-runtime | 250 ms | | |\n")
			require.Contains(t, stdout.String(), "| `Loop.Status` | trimtab | 350 µs | 1× |\n")
		})
	}
}

// The page has the markers.
func TestOwnPage(t *testing.T) {
	text, err := os.ReadFile("../../../docs/scaling.md")
	require.NoError(t, err)
	page := write(t, string(text))
	var stdout, stderr bytes.Buffer
	args := []string{"-again", "-benchstat", benchstat(t), "-results", write(t, results), "-page", page}
	require.NoError(t, command(t.Context(), args, &stdout, &stderr))
	require.Empty(t, stdout.String())
	changed, err := os.ReadFile(page)
	require.NoError(t, err)
	require.Contains(t, string(changed), "on 2026-01-02: ")
	require.True(t, strings.HasPrefix(string(changed), strings.SplitAfter(string(text), "\n")[0]))
}

func TestComplaints(t *testing.T) {
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"an argument":  {[]string{"all"}, `scale: "all": no arguments are known`},
		"unknown flag": {[]string{"-fast"}, "not defined: -fast"},
		"no benchstat": {[]string{"-again", "-benchstat", "/nowhere/benchstat"}, "bench: /nowhere/benchstat: "},
		"no results":   {[]string{"-again", "-benchstat", benchstat(t), "-results", "nowhere"}, "benchstat: report: no results"},
		"no page":      {[]string{"-again", "-benchstat", benchstat(t), "-results", write(t, results), "-page", "nowhere"}, "no such file"},
		"no markers":   {[]string{"-again", "-benchstat", benchstat(t), "-results", write(t, results), "-page", write(t, "text\n")}, "lacks its markers"},
	} {
		t.Run(name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			require.ErrorContains(t, command(t.Context(), tc.args, &stdout, &stderr), tc.want)
			require.Empty(t, stdout.String())
		})
	}
}

func TestArguments(t *testing.T) {
	require.Equal(t, []string{"-C", "e", "test", "-run=^$", "-bench=.", "-benchtime=1x", "-timeout=0", "./scale", "-short"},
		options{e2e: "e", short: true}.test())
	require.Equal(t, []string{"./scale", "-everything"}, options{all: true}.test()[7:])
	require.Equal(t, "make bench-scale BENCH_FLAGS=-all", options{all: true}.command())
	require.Equal(t, "make bench-scale", options{}.command())
}
