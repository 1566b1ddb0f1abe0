package report_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/bench/internal/report"
)

func read(t *testing.T, csv string) *report.Results {
	t.Helper()
	results, err := report.Read(strings.NewReader(csv))
	require.NoError(t, err)
	return results
}

func TestLines(t *testing.T) {
	r := read(t, head+table("ms-longest",
		"StormWait/second=10,3,∞,,,,,5,∞,,\nStormWait/second=9,2,∞,7,∞,,,,,,\nStormWait/second=1/state=odd,8,∞,,,,,,,,\nStormWait/word=1,9,∞,,,,,,,,\n")+
		table("ms-other", "StormWait/second=9,1,∞,,,,,,,,\n"))
	require.Equal(t, []report.Line{
		{By: "trimtab", Points: []report.Point{{X: 1, Y: 8}, {X: 9, Y: 2}, {X: 10, Y: 3}}},
		{By: "client-go", Points: []report.Point{{X: 10, Y: 5}}},
		{By: "controller-runtime", Points: []report.Point{{X: 9, Y: 7}}},
	}, r.Lines("StormWait", "ms-longest", "second", nil))
	require.Equal(t, []report.Line{{By: "trimtab", Points: []report.Point{{X: 1, Y: 8}}}},
		r.Lines("StormWait", "ms-longest", "second", map[string]string{"state": "odd"}))
	require.Empty(t, r.Lines("Storm", "ms-longest", "second", nil))
}

func TestValues(t *testing.T) {
	r := read(t, head+times("Keys/keys=9/workers=8,1,∞,,,,,,,,\nKeys/keys=9/workers=1,1,∞,,,,,,,,\nKeys/keys=8/workers=8,1,∞,,,,,,,,\nHeap/workers=7,1,∞,,,,,,,,\nKeys/keys=5,1,∞,,,,,,,,\n"))
	require.Equal(t, []string{"8", "1"}, r.Values("Keys", "workers"))
}

// Series are for plots only: the tables are the same without them.
func TestSeriesAreInNoTable(t *testing.T) {
	got := markdown(t, head+times("Keys/keys=9,1,∞,,,,,,,,\n"))
	require.Equal(t, got, markdown(t, head+times("Keys/keys=9,1,∞,,,,,,,,\n")+
		table("ms-longest", "StormWait/second=9,2,∞,,,,,,,,\n")+
		table("runs", "OutageRuns/limiter=Default/ten-seconds=9,2,∞,,,,,,,,\n")+
		table("objects", "HerdLooks/op=Every/when=at-first/ten-seconds=9,2,∞,,,,,,,,\n")))
}

func TestComparisons(t *testing.T) {
	r := read(t, head+
		times("Keys/keys=1000/state=cold,1e-07,0%,4e-07,0%,,,,,,\n")+
		table("allocs/key", "Delayed,2,0%,0,0%,,,4,0%,,\n")+
		wrapped("sec/op", "Chain/op=least,5,0%,1,0%,,,3,0%,,,,,,\n"))
	got := r.Comparisons()
	require.Equal(t, []report.Comparison{
		{Section: "Add, get and done of distinct keys: time per key", Case: "1,000 keys, cold", Peer: "controller-runtime", Ratio: 0.25},
		{Section: "Delayed add of a new key: allocations", Peer: "controller-runtime", Ratio: math.Inf(1)},
		{Section: "Delayed add of a new key: allocations", Peer: "client-go", Ratio: 0.5},
		{Section: "Run of a reconciler that does nothing: time", Case: "least", Peer: "flux", Ratio: 2},
	}, got)
	require.Equal(t, "0.25×", got[0].String())
	require.Equal(t, "∞", got[1].String())
}
