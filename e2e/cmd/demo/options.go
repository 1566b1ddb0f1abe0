package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"time"
)

// options are the demo's flags.
type options struct {
	duration     time.Duration
	certificates int
	namespaces   int
	concurrency  int
	seed         uint64
	operator     string
	stock        string
	manifests    string
}

// parse reads the flags, and names the first that is impossible with its value.
func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("demo", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // the error is told once, by the caller
	flags.DurationVar(&o.duration, "duration", time.Minute, "how long things happen, `at least 30s`")
	flags.IntVar(&o.certificates, "certificates", 500, "how many certificates, `20 to 5000`")
	flags.IntVar(&o.namespaces, "namespaces", 5, "over how many namespaces they are spread, `1 to 100`")
	flags.IntVar(&o.concurrency, "concurrency", 4, "how many reconciles the operator runs at once, `1 to 1000`")
	flags.Uint64Var(&o.seed, "seed", uint64(time.Now().UnixNano()), "seeds the choice of victims; the default is another `number` each time")
	flags.StringVar(&o.operator, "operator", os.Getenv("TRIMTAB_OPERATOR"), "`path` of the operator's binary; the default is $TRIMTAB_OPERATOR")
	flags.StringVar(&o.stock, "stock", os.Getenv("TRIMTAB_STOCK"), "`path` of the operator with controller-runtime's own queue; the default is $TRIMTAB_STOCK")
	flags.StringVar(&o.manifests, "manifests", manifests(), "`folder` of the operator's CRDs and roles")

	err := flags.Parse(args)
	if err == flag.ErrHelp { //nolint:errorlint // Parse returns the bare value
		flags.SetOutput(stderr)
		flags.Usage()
	}
	if err != nil {
		return o, err
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("unknown argument %q", flags.Arg(0))
	}
	return o, o.validate()
}

func (o options) validate() error {
	if o.duration < 30*time.Second {
		return fmt.Errorf("-duration %s: must be at least 30s, or no certificate lives to its renewal", o.duration)
	}
	for _, n := range []struct {
		flag             string
		value, low, high int
	}{
		{"certificates", o.certificates, 20, 5000},
		{"namespaces", o.namespaces, 1, 100},
		{"concurrency", o.concurrency, 1, 1000},
	} {
		if n.value < n.low || n.value > n.high {
			return fmt.Errorf("-%s %d: must be from %d to %d", n.flag, n.value, n.low, n.high)
		}
	}
	return o.validatePaths()
}

func (o options) validatePaths() error {
	for _, p := range []struct{ flag, value string }{{"operator", o.operator}, {"stock", o.stock}} {
		if p.value == "" {
			return fmt.Errorf("-%s %q: must be an operator's binary; make demo builds it", p.flag, p.value)
		}
		if info, err := os.Stat(p.value); err != nil || info.IsDir() {
			return fmt.Errorf("-%s %s: no such program", p.flag, p.value)
		}
	}
	if info, err := os.Stat(o.manifests); err != nil || !info.IsDir() {
		return fmt.Errorf("-manifests %s: no such folder", o.manifests)
	}
	return nil
}

// manifests finds the operator's CRDs and roles from the root of the tree and
// from this module.
func manifests() string {
	const folder = "examples/certrotator/config"
	if _, err := os.Stat(folder); err == nil {
		return folder
	}
	return "../" + folder
}

// lifetime is how long each certificate is valid: a minute, or less in a short
// demo so that it is renewed within it.
func (o options) lifetime() time.Duration {
	return min(time.Minute, o.duration).Truncate(time.Second)
}

// renewBefore is long, so that a certificate outlasts the outage and two
// restarts even on a busy machine, and is renewed several times in the demo.
func (o options) renewBefore() time.Duration {
	return o.lifetime() * 7 / 10
}
