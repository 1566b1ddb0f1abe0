package plot_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/bench/internal/plot"
	"github.com/trimtab/trimtab/bench/internal/report"
)

// table is one of benchstat's, whose rows are a benchmark and the numbers of trimtab,
// controller-runtime and client-go, or none.
func table(unit string, rows ...string) string {
	var b strings.Builder
	b.WriteString(strings.ReplaceAll(",trimtab,,controller-runtime,,,,client-go,,,\n,U,CI,U,CI,vs base,P,U,CI,vs base,P\n", "U", unit))
	for _, row := range rows {
		f := append(strings.Fields(strings.ReplaceAll(row, "none", `""`)), `""`, `""`)
		fmt.Fprintf(&b, "%q,%s,∞,%s,∞,,,%s,∞,,\n", f[0], f[1], f[2], f[3])
	}
	return b.String() + "\n"
}

const head = "command: make bench\n"

func storm() string {
	return table("ms-longest", "StormWait/second=0 1 10000 20000", "StormWait/second=1 10 1000 10000", "StormWait/second=2 100 2 10000")
}

func outage() string {
	return table("runs", "OutageRuns/limiter=Gentle/ten-seconds=0 100", "OutageRuns/limiter=Gentle/ten-seconds=1 1000",
		"OutageRuns/limiter=Gentle/ten-seconds=3 10000", "OutageRuns/limiter=each-key,-5ms-to-1000s/ten-seconds=70 none none 16000")
}

func herd() string {
	return table("objects", "HerdLooks/op=Every/when=at-first/ten-seconds=0 160", "HerdLooks/op=Every/when=after-a-restart/ten-seconds=1 170",
		"HerdLooks/op=RequeueAfter-without-a-phase/when=at-first/ten-seconds=0 none 10000",
		"HerdLooks/op=RequeueAfter-without-a-phase/when=after-a-restart/ten-seconds=9 none 10000")
}

func keys() string {
	return table("sec/key", "Keys/type=request/keys=1000/workers=1/state=warm 4e-7 2e-6 3e-7", "Keys/type=request/keys=1000000/workers=1/state=warm 5e-7 3e-6 1e-6",
		"Keys/type=request/keys=1000/workers=8/state=warm 6e-7 2e-6 9e-7", "Keys/type=request/keys=1000000/workers=8/state=warm 7e-7 3e-6 1e-6")
}

// draw returns the files that are written, and the names of those that are not.
func draw(t *testing.T, csv string) (files map[string]string, missing []string) {
	t.Helper()
	results, err := report.Read(strings.NewReader(head + csv))
	require.NoError(t, err)
	folder := filepath.Join(t.TempDir(), "plots")
	missing, err = plot.Write(folder, results)
	require.NoError(t, err)
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	files = map[string]string{}
	for _, entry := range entries {
		text, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		require.NoError(t, err)
		files[entry.Name()] = string(text)
	}
	return files, missing
}

func TestEachPlot(t *testing.T) {
	all := storm() + outage() + herd() + keys()
	files, missing := draw(t, all)
	require.Empty(t, missing)
	again, _ := draw(t, all)
	require.Equal(t, files, again, "the same bytes")
	for file, labels := range map[string][]string{
		"storm.svg":  {"How long a user waits in a storm", "seconds since the storm began", "longest wait of a change", "trimtab", "controller-runtime", "client-go", "1 ms", "100 s"},
		"outage.svg": {"What a limiter does in an outage", "minutes since the outage began", "runs a second", "trimtab: Gentle", "client-go: each key, 5ms to 1000s", "1,000"},
		"herd.svg":   {"When objects come back", "minutes of the period", "objects in 10 s", "Every, at first", "RequeueAfter without a phase, after a restart"},
		"keys.svg":   {"What a key costs", "1 worker", "8 workers", "time for each key", "1,000,000", "3 µs", "client-go"},
		"ratios.svg": {"Where Trimtab is ahead", "what trimtab takes", "Add, get and done of distinct keys: time per key", "client-go", "1.33×", "0.30×", "10×"},
	} {
		require.Contains(t, files, file)
		svg := files[file]
		wellFormed(t, file, svg)
		for _, label := range labels {
			require.Regexp(t, ">"+regexp.QuoteMeta(label)+"[^<]*</text>", svg, file)
		}
		require.Regexp(t, `<svg role="img" aria-labelledby="title desc" [^>]*>\n<title id="title">\w[^<]+</title>\n<desc id="desc">\w[^<]+</desc>`, svg)
		require.NotRegexp(t, "NaN|Inf", svg, file)
	}
	require.Len(t, files, 5)
}

// wellFormed also checks that no text is wider than the sheet.
func wellFormed(t *testing.T, file, svg string) {
	t.Helper()
	decoder, texts := xml.NewDecoder(strings.NewReader(svg)), 0
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err, file)
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == "text" {
			texts++
			require.Less(t, attribute(t, start, "x")+attribute(t, start, "textLength"), 631., file)
			require.Positive(t, attribute(t, start, "textLength"), file)
		}
	}
	require.Positive(t, texts, file)
}

func attribute(t *testing.T, start xml.StartElement, name string) float64 {
	t.Helper()
	for _, a := range start.Attr {
		if a.Name.Local == name {
			v, err := strconv.ParseFloat(a.Value, 64)
			require.NoError(t, err)
			return v
		}
	}
	require.Fail(t, "no attribute "+name)
	return 0
}

// What the results lack is told, and its file stays as it is.
func TestMissing(t *testing.T) {
	for name, tc := range map[string]struct {
		csv     string
		missing []string
	}{
		"but the storm":         {storm(), []string{"outage", "herd", "keys", "ratios"}},
		"but the outage":        {outage(), []string{"storm", "herd", "keys", "ratios"}},
		"no keys but of a kind": {table("sec/key", "Keys/type=int/keys=9/workers=1/state=warm 1 2 3", "Keys/type=int/keys=99/workers=1/state=warm 1 2 3"), []string{"storm", "outage", "herd", "keys"}},
		"as many keys":          {table("sec/key", "Keys/type=request/keys=9/workers=1/state=warm 1 2 3", "Keys/type=request/keys=9/workers=8/state=warm 1 2 3"), []string{"storm", "outage", "herd", "keys"}},
		"no restart": {
			table("objects", "HerdLooks/op=Every/when=at-first/ten-seconds=0 1", "HerdLooks/op=Every/when=after/ten-seconds=0 1", "HerdLooks/op=Ticker/when=after/ten-seconds=0 1"),
			[]string{"storm", "outage", "herd", "keys", "ratios"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			files, missing := draw(t, tc.csv)
			require.Equal(t, tc.missing, missing)
			require.Len(t, files, 5-len(missing))
		})
	}
	folder := t.TempDir()
	file := filepath.Join(folder, "storm.svg")
	require.NoError(t, os.WriteFile(file, []byte("old"), 0o600))
	results, err := report.Read(strings.NewReader(head + outage()))
	require.NoError(t, err)
	_, err = plot.Write(folder, results)
	require.NoError(t, err)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "old", string(text))

	_, err = plot.Write(file, results)
	require.ErrorContains(t, err, "plot: ")
}

// paths returns the points of all paths of that style, one after the other.
func paths(t *testing.T, svg, style string) (points [][2]float64) {
	t.Helper()
	for _, path := range regexp.MustCompile(`<path d="([^"]*)"\s*style="([^"]*)"`).FindAllStringSubmatch(svg, -1) {
		if !strings.Contains(path[2], style) {
			continue
		}
		for _, point := range regexp.MustCompile(`[ML]([-\d.e+]+),([-\d.e+]+)`).FindAllStringSubmatch(path[1], -1) {
			x, err := strconv.ParseFloat(point[1], 64)
			require.NoError(t, err)
			y, err := strconv.ParseFloat(point[2], 64)
			require.NoError(t, err)
			points = append(points, [2]float64{x, y})
		}
	}
	return points
}

// Each power of ten is as high as the one before.
func TestStormIsLogarithmic(t *testing.T) {
	files, _ := draw(t, storm())
	ours := paths(t, files["storm.svg"], "stroke:#0072B2")
	ours = ours[len(ours)-3:] // The legend has another.
	require.InDelta(t, ours[1][0]-ours[0][0], ours[2][0]-ours[1][0], 0.1)
	require.Greater(t, ours[1][1]-ours[0][1], 20.)
	require.InDelta(t, ours[1][1]-ours[0][1], ours[2][1]-ours[1][1], 0.1)
}

// Columns stand on the axis, side by side or apart as their times are.
func TestOutageColumns(t *testing.T) {
	files, _ := draw(t, outage())
	c := paths(t, files["outage.svg"], "fill:#0072B2")
	require.Len(t, c, 10, "two columns that touch, and one alone")
	width := c[2][0] - c[1][0]
	decade := c[3][1] - c[2][1]
	require.Greater(t, decade, 10.)
	require.InDelta(t, c[0][1], c[5][1], 0.01)
	require.InDelta(t, width, c[4][0]-c[3][0], 0.05)
	require.InDelta(t, width, c[6][0]-c[5][0], 0.05, "nothing ran for ten seconds")
	require.InDelta(t, 2*decade, c[2][1]-c[0][1], 0.1, "10 a second, from 0.1")
	require.InDelta(t, 4*decade, c[7][1]-c[6][1], 0.1)
}

// Less is a blue bar to the left of 1, more one of another colour to the right; both
// end at the worst case.
func TestRatios(t *testing.T) {
	files, _ := draw(t, table("allocs/op", "Known/op=a 1 10 4", "Known/op=b 1 100 0")+table("B/key", "Heap/keys=9 0 5"))
	svg := files["ratios.svg"]
	ahead, behind := paths(t, svg, "fill:#0072B2"), paths(t, svg, "fill:#D55E00")
	require.Len(t, ahead, 8)
	require.Len(t, behind, 4)
	one := ahead[0][0]
	decade := one - ahead[1][0]
	require.Greater(t, decade, 20.)
	require.InDelta(t, 2*decade, one-ahead[5][0], 0.1, "what takes nothing ends where the axis does")
	require.InDelta(t, one, behind[0][0], 0.01)
	require.InDelta(t, 2*decade, behind[1][0]-one, 0.1, "so does what takes more than nothing")
	for _, label := range []string{"0.10×", "0.00×", "∞"} {
		require.Contains(t, svg, ">"+label+"</text>")
	}
	require.Equal(t, 1, strings.Count(svg, ">0.01×</text>"), "the axis has it, the best case has no number")
}
