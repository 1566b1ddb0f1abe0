package main

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"strings"
)

// build compiles the release into the file program and shows how far it is.
func build(ctx context.Context, r release, program string, stderr io.Writer) error {
	shown := newProgress(r, stderr)
	defer shown.end()

	// The list downloads what is missing and names the packages that are not yet
	// in the build cache.
	list := goCommand(ctx, "list", "-deps", "-mod=readonly", "-trimpath", "-f", "{{if .Stale}}{{.ImportPath}}{{end}}", r.main)
	packages, err := shown.follow(list)
	if err != nil {
		return buildError(ctx, r, err, shown)
	}
	shown.expect(strings.Count(packages, "\n"))

	flags := strings.Join(append([]string{"-s", "-w"}, r.stamp(r.version)...), " ")
	compile := goCommand(ctx, "build", "-v", "-mod=readonly", "-trimpath", "-ldflags", flags, "-o", program, r.main)
	if _, err := shown.follow(compile); err != nil {
		return buildError(ctx, r, err, shown)
	}
	return nil
}

// buildError says what the go command said, or that it was interrupted.
func buildError(ctx context.Context, r release, err error, shown *progress) error {
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return fmt.Errorf("controlplane: building %s %s: %w%s", r.name, r.version, err, shown.complaints())
}

// try runs the program and returns an error unless it starts and says that it
// is the release.
func try(ctx context.Context, r release, program string) error {
	out, err := exec.CommandContext(ctx, program, "--version").CombinedOutput()
	if err != nil {
		return fmt.Errorf("controlplane: %s --version: %w\n%s", r.name, err, out)
	}
	if !strings.Contains(string(out), strings.TrimPrefix(r.version, "v")) {
		return fmt.Errorf("controlplane: %s --version: want %s, got %q", r.name, r.version, out)
	}
	return nil
}
