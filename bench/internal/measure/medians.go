package measure

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"

	"github.com/trimtab/trimtab/bench/internal/report"
)

// Medians asks benchstat, which is at that path, for the medians of the results in a
// file, with a column for each contestant.
func Medians(ctx context.Context, benchstat, file string, contestants []string, stderr io.Writer) (*report.Results, error) {
	var medians, remarks bytes.Buffer
	cmd := exec.CommandContext(ctx, benchstat, "-format", "csv", "-row", ".fullname",
		"-col", "/by@("+strings.Join(contestants, " ")+")", file)
	cmd.Stdout, cmd.Stderr = &medians, &remarks
	err := cmd.Run()
	results, readErr := report.Read(&medians)
	if err = errors.Join(err, readErr); err != nil { // else the remarks, such as on equal samples, are of no use
		fmt.Fprint(stderr, remarks.String())
		return nil, fmt.Errorf("bench: %s: %w", benchstat, err)
	}
	return results, nil
}
