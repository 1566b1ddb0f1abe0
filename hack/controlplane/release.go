package main

import (
	"context"
	"fmt"
	"strings"
)

// release is a component at a version.
type release struct {
	component
	version string // as in go.mod, with its v
}

// selected returns the components at the versions that go.mod selects.
func selected(ctx context.Context) ([]release, error) {
	args := []string{"list", "-m", "-mod=readonly", "-f", "{{.Path}} {{.Version}}"}
	for _, c := range components() {
		args = append(args, c.module)
	}
	cmd := goCommand(ctx, args...)
	var complaint strings.Builder
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("controlplane: reading versions from go.mod (is hack/controlplane the working directory?): %w\n%s", err, complaint.String())
	}
	return parseReleases(string(out))
}

// parseReleases reads lines of a module and its version.
func parseReleases(list string) ([]release, error) {
	versions := map[string]string{}
	for line := range strings.Lines(list) {
		module, version, _ := strings.Cut(strings.TrimSpace(line), " ")
		versions[module] = version
	}
	var releases []release
	for _, c := range components() {
		version := versions[c.module]
		if version == "" {
			return nil, fmt.Errorf("controlplane: go.mod selects no version of %s", c.module)
		}
		releases = append(releases, release{c, version})
	}
	return releases, nil
}
