package scale_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/e2e/internal/leash"
)

// Whoever is measured is a process of its own, this test binary again, so that its
// memory and the time of its processors are nobody else's.

// jobVariable is the variable of the environment in which a child finds its job.
const jobVariable = "TRIMTAB_SCALE_JOB"

// job is what a child is to do: serve Objects of an API server, or take Keys through a
// queue.
type job struct {
	By      string // ours or stock
	Objects *objectsJob
	Keys    *keysJob
}

// The contestants.
const (
	ours  = "trimtab"
	stock = "controller-runtime"
)

// measures are what a child has measured, by their units.
type measures map[string]float64

func isChild() bool { return os.Getenv(jobVariable) != "" }

// work does the job and returns the exit code.
func work(ctx context.Context) int {
	var j job
	err := json.Unmarshal([]byte(os.Getenv(jobVariable)), &j)
	var found map[string]measures
	switch {
	case err != nil:
	case j.Objects != nil:
		found, err = serve(ctx, j.By, *j.Objects)
	default:
		found, err = enqueue(ctx, j.By, *j.Keys)
	}
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(found)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "scale:", err)
		return 1
	}
	return 0
}

// do has a child do the job, and returns what it has measured by what it was doing.
func do(tb testing.TB, j job) map[string]measures {
	tb.Helper()
	text, err := json.Marshal(j)
	require.NoError(tb, err)
	cmd := exec.CommandContext(tb.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), jobVariable+"="+string(text))
	cmd.SysProcAttr = leash.Attributes()
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, os.Stderr
	require.NoError(tb, cmd.Run(), "%s", out.String())
	var found map[string]measures
	require.NoError(tb, json.Unmarshal(out.Bytes(), &found))
	return found
}

// print prints measures as a benchmark does.
func (m measures) print(b *testing.B, name string) {
	b.Helper()
	b.Run(name, func(b *testing.B) {
		for b.Loop() { // It is measured already.
		}
		b.ReportMetric(0, "ns/op")
		for unit, value := range m {
			b.ReportMetric(value, unit)
		}
	})
}
