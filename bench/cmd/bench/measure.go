package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/trimtab/trimtab/bench/internal/measure"
)

// runAll runs all rounds and writes what they print into the file of results.
func runAll(ctx context.Context, o options, stderr io.Writer) error {
	folder, err := os.MkdirTemp("", "bench")
	if err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	defer func() { _ = os.RemoveAll(folder) }() // nobody needs it any more
	binary := filepath.Join(folder, "bench.test")
	if _, err := measure.Output(ctx, stderr, "go", "test", "-c", "-o", binary, "."); err != nil {
		return err
	}
	var results bytes.Buffer
	if err := writeHead(ctx, &results, o, stderr); err != nil {
		return err
	}
	for round := range o.rounds {
		fmt.Fprintf(stderr, "round %d of %d\n", round+1, o.rounds)
		out, err := measure.Output(ctx, stderr, binary, arguments(o, round)...)
		if err != nil {
			return err
		}
		results.WriteString(measure.OnlyResults(out))
	}
	if o.e2e != "" {
		out, err := measure.Output(ctx, stderr, "go", "-C", o.e2e, "test", "-run=^$", "-bench=.", "-benchtime=1x", ".")
		if err != nil {
			return err
		}
		results.WriteString(measure.OnlyResults(out))
	}
	if err := os.MkdirAll(filepath.Dir(o.results), 0o755); err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	if err := os.WriteFile(o.results, results.Bytes(), 0o644); err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	return nil
}

// arguments are those of the test binary. What the scenarios measure is the same in
// every round: the first runs them.
func arguments(o options, round int) []string {
	args := []string{"-test.bench=.", "-test.timeout=0", "-test.benchtime=100ms", "-test.run=^$"}
	if o.quick {
		args = append(args, "-test.short", "-test.benchtime=50ms")
	}
	if round == 0 {
		args = append(args, "-test.run=^Test(Storm|Tenants|Outage|Herd|Schedule)$", "-scenarios")
	}
	return args
}

// writeHead writes under which circumstances the results came about, as lines that
// benchstat passes on.
func writeHead(ctx context.Context, w io.Writer, o options, stderr io.Writer) error {
	name := "make bench"
	if o.quick {
		name = "make bench-quick"
	}
	fmt.Fprintf(w, "command: %s\ndate: %s\nrounds: %d\ngo: %s\ncpus: %d\ngomaxprocs: %d\n",
		name, time.Now().UTC().Format(time.DateOnly), o.rounds, runtime.Version(), runtime.NumCPU(), runtime.GOMAXPROCS(0))
	for name, module := range map[string]string{
		"controller-runtime": "sigs.k8s.io/controller-runtime",
		"client-go":          "k8s.io/client-go",
		"flux":               "github.com/fluxcd/pkg/runtime",
		"operatorpkg":        "github.com/awslabs/operatorpkg",
	} {
		version, err := measure.Output(ctx, stderr, "go", "list", "-m", "-f", "{{.Version}}", module)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%s: %s\n", name, strings.TrimSpace(version))
	}
	return nil
}
