package measure

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
)

// Output runs a program and returns what it prints.
func Output(ctx context.Context, stderr io.Writer, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("bench: %s: %w\n%s", filepath.Base(name), err, out.String())
	}
	return out.String(), nil
}

// OnlyResults leaves out all lines but the results and what they need: nothing that
// names the machine.
func OnlyResults(out string) string {
	var kept strings.Builder
	for line := range strings.Lines(out) {
		for _, prefix := range []string{"Benchmark", "goos:", "goarch:", "pkg:"} {
			if strings.HasPrefix(line, prefix) {
				kept.WriteString(line)
			}
		}
	}
	return kept.String()
}
