package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"time"

	"github.com/trimtab/trimtab/bench/internal/measure"
	"github.com/trimtab/trimtab/bench/internal/report"
)

// name is how people run the command.
const name = "make bench-scale"

type options struct {
	short     bool
	all       bool
	print     bool
	again     bool
	benchstat string
	e2e       string
	results   string
	page      string
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
	flags := flag.NewFlagSet("scale", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.BoolVar(&o.short, "short", false, "measure small fleets and queues only, and print the tables")
	flags.BoolVar(&o.all, "all", false, "measure the first writes of 100,000 objects, too, for 6 minutes more")
	flags.BoolVar(&o.print, "n", false, "print the tables and leave the page alone")
	flags.BoolVar(&o.again, "again", false, "measure nothing, take the results that are there")
	flags.StringVar(&o.benchstat, "benchstat", "benchstat", "the path of `benchstat`")
	flags.StringVar(&o.e2e, "e2e", "../e2e", "the `folder` of module e2e")
	flags.StringVar(&o.results, "results", "scale.out", "the `file` to keep what the benchmarks print")
	flags.StringVar(&o.page, "page", "../docs/scaling.md", "the `file` to write the tables into")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("scale: %q: no arguments are known, only flags", flags.Arg(0))
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
	results, err := measure.Medians(ctx, o.benchstat, o.results, []string{report.Trimtab, "controller-runtime"}, stderr)
	if err != nil {
		return err
	}
	if o.print || o.short {
		fmt.Fprint(stdout, results.Scale())
		return nil
	}
	text, err := os.ReadFile(o.page)
	if err != nil {
		return fmt.Errorf("scale: %w", err)
	}
	changed, err := report.InsertOf(name, string(text), results.Scale())
	if err != nil {
		return fmt.Errorf("scale: %s: %w", o.page, err)
	}
	return os.WriteFile(o.page, []byte(changed), 0o644)
}

// runAll runs the benchmarks, which have medians of their own, and writes what they
// print into the file of results.
func runAll(ctx context.Context, o options, stderr io.Writer) error {
	var results bytes.Buffer
	version, err := measure.Output(ctx, stderr, "go", "-C", o.e2e, "list", "-m", "-f", "{{.Version}}", "sigs.k8s.io/controller-runtime")
	if err != nil {
		return err
	}
	fmt.Fprintf(&results, "command: %s\ndate: %s\ngo: %s\ncpus: %d\ngomaxprocs: %d\ncontroller-runtime: %s\n",
		o.command(), time.Now().UTC().Format(time.DateOnly), runtime.Version(), runtime.NumCPU(), runtime.GOMAXPROCS(0), strings.TrimSpace(version))
	out, err := measure.Output(ctx, stderr, "go", o.test()...)
	if err != nil {
		return err
	}
	results.WriteString(measure.OnlyResults(out))
	if err := os.WriteFile(o.results, results.Bytes(), 0o644); err != nil {
		return fmt.Errorf("scale: %w", err)
	}
	return nil
}

// command is how people run what the options say.
func (o options) command() string {
	if o.all {
		return name + " BENCH_FLAGS=-all"
	}
	return name
}

// test are the arguments of go that run the benchmarks.
func (o options) test() []string {
	args := []string{"-C", o.e2e, "test", "-run=^$", "-bench=.", "-benchtime=1x", "-timeout=0", "./scale"}
	if o.short {
		args = append(args, "-short")
	}
	if o.all {
		args = append(args, "-everything")
	}
	return args
}
