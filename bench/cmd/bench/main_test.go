package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// benchstat returns the path of the one that make bench uses.
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

// results are of six rounds.
func results(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("command: make bench\ndate: 2026-01-02\ngoos: plan9\n")
	for round := range 6 {
		fmt.Fprintf(&b, "BenchmarkKeys/keys=1000000/state=warm/by=trimtab-2 \t 9 \t %d ns/key\n", 100+round)
		fmt.Fprintf(&b, "BenchmarkKeys/keys=1000000/state=warm/by=client-go-2 \t 9 \t %d ns/key\n", 100+round)
		fmt.Fprintf(&b, "BenchmarkKeys/keys=1000000/state=warm/by=controller-runtime-2 \t 9 \t %d ns/key\n", 400+round)
		fmt.Fprintf(&b, "BenchmarkChain/op=all-of-it/by=trimtab-2 \t 9 \t %d ns/op \t 3 allocs/op\n", 1100+10*round)
		fmt.Fprint(&b, "BenchmarkChain/op=all-of-it/by=bare-2 \t 9 \t 2 ns/op \t 0 allocs/op\n")
		fmt.Fprint(&b, "BenchmarkChain/op=all-of-it/by=flux-2 \t 9 \t 2248 ns/op \t 14 allocs/op\n")
		fmt.Fprint(&b, "BenchmarkKnown/op=add-get-done/by=trimtab-2 \t 9 \t 0 B/op \t 0 allocs/op\n")
	}
	b.WriteString("BenchmarkStorm/by=trimtab 1 2.5 ms-primary-P99\nBenchmarkStorm/by=controller-runtime 1 1.21e+04 ms-primary-P99\n")
	b.WriteString("BenchmarkStormWait/second=0/by=trimtab 1 2.5 ms-longest\nBenchmarkStormWait/second=1/by=trimtab 1 1.5 ms-longest\n")
	b.WriteString("pkg: e2e\nBenchmarkPhases/calls=in-parallel/by=trimtab-2 1 9 ns/op 0.75 ms-read-off 2.5 ms-sum-off\n")
	return write(t, b.String())
}

// The format of benchstat that is pinned is the one that the report reads.
func TestTables(t *testing.T) {
	var stdout, stderr bytes.Buffer
	require.NoError(t, command(t.Context(), []string{"-again", "-n", "-benchstat", benchstat(t), "-results", results(t)}, &stdout, &stderr))
	require.Empty(t, stderr.String())
	require.Contains(t, stdout.String(), "Made by `make bench` on 2026-01-02: ")
	require.Contains(t, stdout.String(), "| 1,000,000 keys, warm | 102 ns ±2% | 403 ns ±1% | 102 ns ±2% | 0.25× | 1.00× |\n")
	require.Contains(t, stdout.String(), "a known key | at most 0 | 0 | add get done | met |\n")
	require.Contains(t, stdout.String(), "P99** | 2.5 ms | 12.1 s | | <0.01× |  |\n")
	require.Contains(t, stdout.String(), "| all of it | 1.12 µs ±2% | 2 ns | 2.25 µs | | 0.50× |  |\n")
	require.Contains(t, stdout.String(), "| time of a run over the bare reconciler's | at most 1.5 µs | 1.12 µs | all of it | met |\n")
	require.Contains(t, stdout.String(), "| calls in parallel | 750 µs | | | |  |  |\n")
	require.Contains(t, stdout.String(), "| at most 2 ms | 2.5 ms | calls in parallel | **missed** |\n")
}

func TestReadme(t *testing.T) {
	const begin, end = "<!-- The tables begin: make bench writes them. -->\n", "<!-- The tables end. -->\n"
	readme, from := write(t, "above\n"+begin+"outdated\n"+end+"below\n"), results(t)
	plots := filepath.Join(t.TempDir(), "plots")
	args := []string{"-again", "-benchstat", benchstat(t), "-results", from, "-plots", plots, "-readme"}
	var stdout, stderr bytes.Buffer
	require.NoError(t, command(t.Context(), append(args, readme), &stdout, &stderr))
	require.Empty(t, stdout.String())
	text, err := os.ReadFile(readme)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(string(text), "above\n"+begin))
	require.True(t, strings.HasSuffix(string(text), end+"below\n"))
	require.Contains(t, string(text), "102 ns")
	require.NotContains(t, string(text), "outdated")
	entries, err := os.ReadDir(plots)
	require.NoError(t, err)
	require.Len(t, entries, 2)
	require.FileExists(t, filepath.Join(plots, "storm.svg"))
	require.FileExists(t, filepath.Join(plots, "ratios.svg"))
	require.Contains(t, stderr.String(), "bench: "+filepath.Join(plots, "outage.svg")+" is not drawn: the results lack its numbers\n")

	unmarked := write(t, "text\n")
	require.ErrorContains(t, command(t.Context(), append(args, unmarked), &stdout, &stderr), "lacks its markers")
	text, err = os.ReadFile(unmarked)
	require.NoError(t, err)
	require.Equal(t, "text\n", string(text))
	require.ErrorContains(t, command(t.Context(), append(args, "nowhere"), &stdout, &stderr), "no such file")
}

// The module's own README has the markers.
func TestOwnReadme(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	var stdout, stderr bytes.Buffer
	require.NoError(t, command(t.Context(), []string{
		"-again", "-benchstat", benchstat(t), "-results", results(t), "-readme", write(t, string(text)), "-plots", t.TempDir(),
	}, &stdout, &stderr))
}

func TestComplaints(t *testing.T) {
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"an argument":   {[]string{"all"}, `bench: "all": no arguments are known`},
		"no round":      {[]string{"-rounds", "0"}, "bench: -rounds 0: must be at least 1"},
		"unknown flag":  {[]string{"-fast"}, "not defined: -fast"},
		"no benchstat":  {[]string{"-again", "-benchstat", "/nowhere/benchstat"}, "bench: /nowhere/benchstat: "},
		"no results":    {[]string{"-again", "-benchstat", benchstat(t), "-results", "nowhere"}, "benchstat: report: no results"},
		"empty results": {[]string{"-again", "-benchstat", benchstat(t), "-results", write(t, "")}, "benchstat: report: no results"},
	} {
		t.Run(name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			require.ErrorContains(t, command(t.Context(), tc.args, &stdout, &stderr), tc.want)
			require.Empty(t, stdout.String())
			if name == "no results" {
				require.Contains(t, stderr.String(), "nowhere", "benchstat says why")
			}
		})
	}
}

func TestArguments(t *testing.T) {
	// The last of equal flags counts.
	require.Equal(t, []string{"-test.bench=.", "-test.timeout=0", "-test.benchtime=100ms", "-test.run=^$"}, arguments(options{}, 1))
	require.Equal(t, []string{"-test.short", "-test.benchtime=50ms"}, arguments(options{quick: true}, 1)[4:])
	require.Equal(t, []string{"-test.run=^Test(Storm|Tenants|Outage|Herd|Schedule)$", "-scenarios"}, arguments(options{}, 0)[4:])
}
