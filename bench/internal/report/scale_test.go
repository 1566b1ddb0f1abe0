package report_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/bench/internal/report"
)

// both is a table of benchstat's of the two who are measured at scale.
func both(unit, rows string) string {
	return ",trimtab,,controller-runtime,,,\n" + strings.ReplaceAll(",U,CI,U,CI,vs base,P\n", "U", unit) + rows + "\n"
}

func scale(t *testing.T, csv string) string {
	t.Helper()
	results, err := report.Read(strings.NewReader(csv))
	require.NoError(t, err)
	return results.Scale()
}

func TestScale(t *testing.T) {
	got := scale(t, head+
		both("s-all", "Objects/objects=1000/at=start/form=full-2,0.5,∞,0.4,∞,~,p=1\n"+
			"Objects/objects=10000/at=start/form=full-2,3,∞,3.5,∞,~,p=1\n"+
			"Objects/objects=100000/at=start/form=full-2,30,∞,,,,\n"+
			"Objects/objects=1000/at=first/form=full-2,2,∞,,,,\n")+
		both("calls", "Objects/objects=1000/at=queued/form=full-2,0,∞,0,∞,~,p=1\nObjects/objects=100000/at=queued/form=full-2,0,∞,0,∞,~,p=1\n")+
		both("live-B/key", "Keys/keys=1000-2,140,∞,300,∞,~,p=1\nKeys/keys=1000000-2,105,∞,250,∞,~,p=1\n")+
		both("series", "Keys/keys=1000-2,559,∞,90,∞,~,p=1\nKeys/keys=1000000-2,559,∞,90,∞,~,p=1\n"))
	require.True(t, strings.HasPrefix(got, "Made by `make bench` on 2026-01-02: go1.26.0, 2 CPUs, GOMAXPROCS 2, linux/amd64, controller-runtime v0.25.3.\n\n"+
		"| objects | | 1,000 | 10,000 | 100,000 | growth, of 100× |\n|---|---|---|---|---|---|\n"), got)
	for _, line := range []string{
		"| until all objects have run | trimtab | 500 ms | 3 s | 30 s | 60× |",
		"| until all objects have run | controller-runtime | 400 ms | 3.5 s | | |",
		"| until all objects have run | trimtab | 2 s | | | |",
		"| calls of the API server | trimtab | 0 | | 0 | |",
		"| requests | | 1,000 | 1,000,000 | growth, of 1,000× |",
		"| live heap for each queued request, its name aside | controller-runtime | 300 B | 250 B | 0.833× |",
		"| series of the controller | trimtab | 559 | 559 | 1× |",
	} {
		require.Contains(t, got, "\n"+line+"\n")
	}
	require.NotContains(t, got, "Loop.Status", "what was not measured has no line")
}

func TestScaleOfOneTable(t *testing.T) {
	got := scale(t, head+both("series", "Keys/keys=1000-2,559,∞,90,∞,~,p=1\n"))
	require.NotContains(t, got, "| objects |")
	require.Contains(t, got, "| requests | | 1,000 | growth, of 1× |\n")
}

func TestInsertOf(t *testing.T) {
	const text = "a\n<!-- The tables begin: make bench-scale writes them. -->\nold\n<!-- The tables end. -->\nb\n"
	got, err := report.InsertOf("make bench-scale", text, "new\n")
	require.NoError(t, err)
	require.Equal(t, strings.Replace(text, "old\n", "\nnew\n\n", 1), got)
	_, err = report.Insert(text, "new")
	require.ErrorContains(t, err, "make bench writes them")
}
