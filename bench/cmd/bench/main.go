package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"

	"github.com/trimtab/trimtab/bench/internal/plot"
	"github.com/trimtab/trimtab/bench/internal/report"
)

type options struct {
	quick     bool
	rounds    int
	print     bool
	again     bool
	benchstat string
	e2e       string
	results   string
	readme    string
	plots     string
}

func main() { os.Exit(run()) }

// run returns the exit code.
func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := command(ctx, os.Args[1:], os.Stdout, os.Stderr)
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// parse returns the options in the command line.
func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.BoolVar(&o.quick, "quick", false, "measure fewer cases with fewer keys")
	flags.IntVar(&o.rounds, "rounds", 6, "how often to run everything; benchstat needs 6 for its confidence")
	flags.BoolVar(&o.print, "n", false, "print the tables, and leave the README and the plots alone")
	flags.BoolVar(&o.again, "again", false, "measure nothing, take the results that are there")
	flags.StringVar(&o.benchstat, "benchstat", "benchstat", "the path of `benchstat`")
	flags.StringVar(&o.e2e, "e2e", "", "the `folder` of module e2e, whose benchmarks run once, on a control plane; none without it")
	flags.StringVar(&o.results, "results", "bench.out", "the `file` to keep what the benchmarks print")
	flags.StringVar(&o.readme, "readme", "README.md", "the `file` to write the tables into")
	flags.StringVar(&o.plots, "plots", "plots", "the `folder` to write the plots into")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	switch {
	case flags.NArg() > 0:
		return o, fmt.Errorf("bench: %q: no arguments are known, only flags", flags.Arg(0))
	case o.rounds < 1:
		return o, fmt.Errorf("bench: -rounds %d: must be at least 1", o.rounds)
	}
	return o, nil
}

// command runs the program.
func command(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, err := parse(args, stderr)
	if err != nil {
		return err
	}
	if !o.again {
		if err := runAll(ctx, o, stderr); err != nil {
			return err
		}
	}
	results, err := medians(ctx, o, stderr)
	if err != nil {
		return err
	}
	tables := results.Markdown()
	if o.print {
		fmt.Fprint(stdout, tables)
		return nil
	}
	text, err := os.ReadFile(o.readme)
	if err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	changed, err := report.Insert(string(text), tables)
	if err != nil {
		return fmt.Errorf("bench: %s: %w", o.readme, err)
	}
	if err := os.WriteFile(o.readme, []byte(changed), 0o644); err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	missing, err := plot.Write(o.plots, results)
	for _, name := range missing {
		fmt.Fprintf(stderr, "bench: %s is not drawn: the results lack its numbers\n", filepath.Join(o.plots, name+".svg"))
	}
	return err
}

// medians asks benchstat for them.
func medians(ctx context.Context, o options, stderr io.Writer) (*report.Results, error) {
	var out, remarks bytes.Buffer
	cmd := exec.CommandContext(ctx, o.benchstat, "-format", "csv", "-row", ".fullname",
		"-col", "/by@(trimtab controller-runtime client-go bare flux operatorpkg)", o.results)
	cmd.Stdout, cmd.Stderr = &out, &remarks
	err := cmd.Run()
	results, readErr := report.Read(&out)
	if err = errors.Join(err, readErr); err != nil { // else the remarks, such as on equal samples, are of no use
		fmt.Fprint(stderr, remarks.String())
		return nil, fmt.Errorf("bench: %s: %w", o.benchstat, err)
	}
	return results, nil
}
