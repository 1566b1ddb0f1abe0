package report_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/bench/internal/report"
)

const head = `command: make bench
date: 2026-01-02
rounds: 6
go: go1.26.0
cpus: 2
gomaxprocs: 2
goos: linux
goarch: amd64
controller-runtime: v0.25.3
client-go: v0.37.0
`

// times is a table of benchstat's of times for each key, with these rows.
func times(rows string) string { return table("sec/key", rows) }

func table(unit, rows string) string {
	return ",trimtab,,controller-runtime,,,,client-go,,,\n" +
		strings.ReplaceAll(",U,CI,U,CI,vs base,P,U,CI,vs base,P\n", "U", unit) + rows +
		"geomean,1e-07,,1e-07,,+0.00%,,1e-07,,+0.00%,\n\n"
}

// wrapped is a table of benchstat's of what wraps reconcilers, with these rows.
func wrapped(unit, rows string) string {
	return ",trimtab,,bare,,,,flux,,,,operatorpkg,,,\n" +
		strings.ReplaceAll(",U,CI,U,CI,vs base,P,U,CI,vs base,P,U,CI,vs base,P\n", "U", unit) + rows + "\n"
}

func markdown(t *testing.T, csv string) string {
	t.Helper()
	results, err := report.Read(strings.NewReader(csv))
	require.NoError(t, err)
	return results.Markdown()
}

func TestMarkdown(t *testing.T) {
	got := markdown(t, head+times(
		"Keys/type=int/keys=1000/workers=1/state=cold-2,1e-07,0%,4e-07,12%,+300.00%,p=0.002 n=6,1e-07,∞,~,p=1.000 n=6\n"+
			"Keys/type=int/keys=1000000/workers=8/state=cold-2,1.3e-06,3%,3.25e-06,1%,+150.00%,p=0.002 n=6,1e-06,0%,-23.08%,p=0.002 n=6\n"+
			"Priorities/keys=10000-2,1.5e-06,3%,3e-06,1%,+100.00%,p=0.002 n=6\n")+
		table("ms-primary-P99", "Storm,2.5,∞,12100,∞,~,p=1.000 n=1,24600,∞,~,p=1.000 n=1\n"))
	require.True(t, strings.HasPrefix(got, "Made by `make bench` on 2026-01-02: 6 rounds, go1.26.0, 2 CPUs, GOMAXPROCS 2, linux/amd64, controller-runtime v0.25.3, client-go v0.37.0.\n\n"), got)
	for _, line := range []string{
		"| 1,000 keys, int, cold, 1 worker | 100 ns | 400 ns ±12% | 100 ns | 0.25× | 1.00× |",
		"| 1,000,000 keys, int, cold, 8 workers | 1.3 µs ±3% | 3.25 µs ±1% | 1 µs | 0.40× | 1.30× |",
		"| 10,000 keys | 1.5 µs ±3% | 3 µs ±1% | | 0.50× |  |",
		"| **Storm: wait of a user's change, P99** | 2.5 ms | 12.1 s | 24.6 s | <0.01× | <0.01× |",

		"| time per key, cold queue: controller-runtime ÷ trimtab | at least 3× | 2.5× | 1,000,000 keys, int, cold, 8 workers | **missed** |",
		"| time per key, warm queue: controller-runtime ÷ trimtab | at least 3× |  |  | not measured |",
		"| time per key, cold queue: trimtab ÷ client-go | at most 1.2× | 1.3× | 1,000,000 keys, int, cold, 8 workers | **missed** |",
		"| P99 of a user's change in the storm | at most 10 ms | 2.5 ms |  | met |",
	} {
		require.Contains(t, got, line+"\n")
	}
	require.NotContains(t, got, "Live heap for each", "a table without rows is left out")
}

func TestTitle(t *testing.T) {
	got := markdown(t, head+table("x-first-round", "Hot/keys=1000/rounds=10/loops=50,1,0%,,,,,,,,\n"))
	require.Contains(t, got, "| 1,000 keys, 50 loops, 10 rounds | 1× |")
}

// Each case of an outage has a line of its own, with what was measured of it.
func TestOutage(t *testing.T) {
	got := markdown(t, head+
		table("retries-meanwhile", "Outage/limiter=Default,160012,∞,,,,,,,,\nOutage/limiter=each-key,,,,,,,160000,∞,,\n")+
		table("s-all-well", "Outage/limiter=Default,644.411,∞,,,,,,,,\nOutage/limiter=each-key,,,,,,,120.18,∞,,\n")+
		table("peak-after", "Outage/limiter=Default,180,∞,,,,,,,,\n"))
	require.Contains(t, got, "\n\n| **Outage of 10 minutes, 10,000 keys** | | retries meanwhile | half are well after | all are well after | most runs in a second after it |\n"+
		"|---|---|---|---|---|---|\n"+
		"| trimtab | Default | 160,012 |  | 644 s | 180 |\n"+
		"| client-go | each key | 160,000 |  | 120 s |  |\n")
	require.NotContains(t, markdown(t, head+times("Keys/keys=9,1,0%,,,,,,,,\n")), "Outage", "nothing was measured")
}

// What is bare is taken off both sides of a ratio, and off what a bar is about.
func TestOverBare(t *testing.T) {
	got := markdown(t, head+"flux: v1.2.3\n"+
		wrapped("sec/op", "Chain/op=all-of-it-2,1.1e-06,1%,1e-07,0%,,,2.1e-06,2%,,,6e-07,0%,,\n"+
			"Chain/op=least-2,1.8e-06,1%,1e-07,0%,,,,,,,,,,\n"+
			"Call/op=own-object-2,1.4e-07,1%,1e-08,0%,,,,,,,,,,\n")+
		wrapped("allocs/op", "Chain/op=all-of-it-2,4,0%,1,0%,,,1,0%,,,4,0%,,\n"))
	for _, line := range []string{
		", client-go v0.37.0, flux v1.2.3.\n",
		"| | trimtab | bare | flux | operatorpkg | trimtab ÷ flux | trimtab ÷ operatorpkg |\n|---|---|---|---|---|---|---|",
		"| **Run of a reconciler that does nothing: time** | | | | | | |",
		"| all of it | 1.1 µs ±1% | 100 ns | 2.1 µs ±2% | 600 ns | 0.50× | 2.00× |",
		"| own object | 140 ns ±1% | 10 ns | | |  |  |",
		"| all of it | 4 | 1 | 1 | 4 | ∞ | 1.00× |",
		"| time of a run over the bare reconciler's | at most 1.5 µs | 1.7 µs | least | **missed** |",
		"| allocations of a run over the bare reconciler's | at most 3 | 3 | all of it | met |",
		"| time of a Get over the bare client's | at most 150 ns | 130 ns | own object | met |",
	} {
		require.Contains(t, got, line)
	}
}

// The case in which a bar is met least stands for all of those with the most keys.
func TestBarsTakeTheWorstCase(t *testing.T) {
	got := markdown(t, head+times(
		"Keys/keys=1000/workers=1/state=warm-2,9e-07,0%,1e-07,0%,,,1e-07,0%,,\n"+
			"Keys/keys=2000/workers=1/state=warm-2,1e-07,0%,5e-07,0%,,,1.1e-07,0%,,\n"+
			"Keys/keys=2000/workers=2/state=warm-2,1e-07,0%,4e-07,0%,,,1e-07,0%,,\n"+
			"Keys/keys=2000/workers=4/state=warm-2,1e-07,0%,6e-07,0%,,,2e-07,0%,,\n"))
	require.Contains(t, got, "warm queue: controller-runtime ÷ trimtab | at least 3× | 4× | 2,000 keys, warm, 2 workers | met |")
	require.Contains(t, got, "warm queue: trimtab ÷ client-go | at most 1.2× | 1× | 2,000 keys, warm, 2 workers | met |")
}

// Growth compares only what differs in the number of keys and nothing else, from the
// fewest to the most.
func TestGrowth(t *testing.T) {
	got := markdown(t, head+times(
		"Keys/keys=1000/workers=1/state=cold-2,1e-07,0%,,,,,1e-07,0%,,\n"+
			"Keys/keys=5000/workers=1/state=cold-2,1e-07,0%,,,,,9e-07,0%,,\n"+
			"Keys/keys=9000/workers=1/state=cold-2,3e-07,0%,,,,,2e-07,0%,,\n"+
			"Keys/keys=1000/workers=8/state=cold-2,9e-07,0%,,,,,1e-07,0%,,\n"+
			"Keys/keys=9000/workers=8/state=cold-2,9e-07,0%,,,,,1e-07,0%,,\n"))
	require.Contains(t, got, "trimtab's ÷ client-go's | at most 1.2× | 1.5× | from 1,000 to 9,000 keys, cold, 1 worker | **missed** |")
	got = markdown(t, head+times("Keys/keys=1000/workers=1/state=cold-2,1e-07,0%,,,,,1e-07,0%,,\n"))
	require.Contains(t, got, "trimtab's ÷ client-go's | at most 1.2× |  |  | not measured |")
}

// Each bar is met at its limit and missed just beyond it.
func TestBarLimits(t *testing.T) {
	for _, tc := range []struct {
		bar, unit, name string
		meets, misses   string // ours and the two others'
	}{
		{"controller-runtime ÷ trimtab | at least 3×", "sec/key", "Keys/keys=9/state=cold", "1,,3,,,,1,,,", "1,,2.9,,,,1,,,"},
		{"cold queue: trimtab ÷ client-go | at most 1.2×", "sec/key", "Keys/keys=9/state=cold", "1.2,,9,,,,1,,,", "1.3,,9,,,,1,,,"},
		{"live heap for each queued key: trimtab ÷ controller-runtime | at most 0.7×", "live-B/key", "Heap/keys=9", "7,,10,,,,1,,,", "8,,10,,,,1,,,"},
		{"of a known key | at most 0", "allocs/op", "Known/op=add-get-done", "0,,7,,,,0,,,", "1,,7,,,,0,,,"},
		{"of a delayed add | at most 1", "allocs/key", "Delayed", "1,,7,,,,0,,,", "1.1,,7,,,,0,,,"},
		{"trimtab ÷ controller-runtime | at most 0.8×", "sec/key", "Reconcile/keys=9", "8,,10,,,,1,,,", "9,,10,,,,1,,,"},
		{"fresh queue | at most 2×", "x-fresh", "Left/keys=9", "2,,10,,,,1,,,", "2.1,,10,,,,1,,,"},
		{"are served | at most 100", "deliveries", "Tenants", "100,,10,,,,1,,,", "101,,10,,,,1,,,"},
		{"exponential: trimtab ÷ client-go | at most 1×", "sec/op", "Exponential/op=one-caller", "1,,,,,,1,,,", "1.1,,,,,,1,,,"},
		{"of a failure, exponential | at most 0", "allocs/op", "Exponential/op=one-caller", "0,,,,,,0,,,", "1,,,,,,0,,,"},
		{"client-go's default ÷ trimtab | at least 2×", "sec/op", "Bucket/op=one-caller", "1,,,,,,2,,,", "1,,,,,,1.9,,,"},
		{"of a failure, bucket | at most 0", "allocs/op", "Bucket/op=one-caller", "0,,,,,,1,,,", "1,,,,,,1,,,"},
		{"each failing key: trimtab ÷ client-go | at most 1.2×", "live-B/key", "Failing/keys=9", "1.2,,,,,,1,,,", "1.3,,,,,,1,,,"},
		{"for that of the 1,000 that do | at most 2×", "x-alone", "Vanished/keys=9", "2,,,,,,9,,,", "2.1,,,,,,9,,,"},
		{"as text | at most 20 ms", "sec/op", "Scrape/op=text/loops=50", "0.02,,,,,,,,,", "0.0201,,,,,,,,,"},
		{"JSON of the live page, 50 busy loops | at most 20 ms", "sec/op", "Loopz/op=json/loops=50", "0.02,,,,,,,,,", "0.0201,,,,,,,,,"},
		{"the live page open | at most 10 ms", "ms-cpu-open", "Loopz/op=json/loops=50", "10,,,,,,,,,", "10.1,,,,,,,,,"},
		{"the live page closed | at most 1 ms", "ms-cpu-closed", "Loopz/op=json/loops=1", "1,,,,,,,,,", "1.1,,,,,,,,,"},
		{"for that after the first | at most 1.1×", "x-first-round", "Hot/keys=9", "1.1,,10,,,,1,,,", "1.11,,10,,,,1,,,"},
		{"second of 10,000 objects by Every, for the mean | at most 2.1×", "x-second", "Herd/op=Every/when=at-first", "2.1,,,,,,,,,", "2.11,,,,,,,,,"},
		{"ten seconds of 10,000 objects by Every, for the mean | at most 1.35×", "x-ten-seconds", "Herd/op=Every/when=at-first", "1.35,,,,,,,,,", "1.36,,,,,,,,,"},
		{"by a Ticker, for the mean | at most 1.1×", "x-second", "Herd/op=Ticker/when=at-first", "1.1,,,,,,,,,", "1.11,,,,,,,,,"},
		{"where no clock is changed | at most 0", "differ", "Slots", "0,,,,,,,,,", "1,,,,,,,,,"},
		{"off the rule, where a clock is changed | at most 0", "off-the-rule", "Slots", "0,,,,,,,,,", "1,,,,,,,,,"},
		{"time of a call that says when to come back | at most 200 ns", "sec/op", "Return/op=Every", "2e-07,,,,,,,,,", "2.1e-07,,,,,,,,,"},
		{"allocations of a call that says when to come back | at most 0", "allocs/op", "Return/op=Every", "0,,,,,,,,,", "1,,,,,,,,,"},
		{"time of one that sets a priority | at most 200 ns", "sec/op", "Priority/op=WithPriority", "2e-07,,,,,,,,,", "2.1e-07,,,,,,,,,"},
		{"| read against the transport's own record, median difference | at most 2 ms", "ms-read-off", "Phases/calls=in-parallel", "2,,,,,,,,,", "2.1,,,,,,,,,"},
		{"| write against the transport's own record, median difference | at most 2 ms", "ms-write-off", "Phases/calls=in-parallel", "2,,,,,,,,,", "2.1,,,,,,,,,"},
		{"| status write against the transport's own record, median difference | at most 2 ms", "ms-status-off", "Phases/calls=in-parallel", "2,,,,,,,,,", "2.1,,,,,,,,,"},
		{"since its event, median difference | at most 2 ms", "ms-sum-off", "Phases/calls=in-parallel", "2,,,,,,,,,", "2.1,,,,,,,,,"},
		{"in the storm | at most 10 ms", "ms-primary-P99", "Storm", "10,,10,,,,1,,,", "10.1,,10,,,,1,,,"},
	} {
		verdict := func(numbers string) string {
			for line := range strings.Lines(markdown(t, head+table(tc.unit, tc.name+","+numbers+"\n"))) {
				if strings.Contains(line, tc.bar) && !strings.Contains(line, "not measured") {
					cells := strings.Split(line, " | ")
					return strings.TrimSuffix(cells[len(cells)-1], " |\n")
				}
			}
			return "no such bar"
		}
		require.Equal(t, "met", verdict(tc.meets), tc.bar)
		require.Equal(t, "**missed**", verdict(tc.misses), tc.bar)
	}
}

func TestNumbers(t *testing.T) {
	for _, tc := range []struct{ unit, name, median, want string }{
		{"sec/key", "Keys", "1.2345e-08", "12.3 ns"},
		{"sec/key", "Keys", "9.9999e-07", "1,000 ns"},
		{"sec/key", "Keys", "0.5", "500 ms"},
		{"sec/key", "Keys", "12.04", "12 s"},
		{"sec/key", "Keys", "0", "0 ns"},
		{"live-B/key", "Heap", "1234.5", "1,235 B"},
		{"live-B/key", "Heap", "87.25", "87.2 B"},
		{"allocs/key", "Delayed", "0.0012", "0.001"},
		{"x-fresh", "Left", "1.5", "1.5×"},
		{"deliveries", "Tenants", "1000000", "1,000,000"},
		{"ms-primary-P50", "Storm", "0.25", "250 µs"},
		{"s-complete", "Storm", "25.35", "25.4 s"},
		{"B/scrape", "Scrape", "2243215", "2,243,215 B"},
		{"series/scrape", "Scrape", "26172", "26,172"},
	} {
		got := markdown(t, head+table(tc.unit, tc.name+","+tc.median+",0%,,,,,,,,\n"))
		require.Contains(t, got, "** | "+tc.want+" |", tc.median+" "+tc.unit)
	}
}

func TestRatioToNothing(t *testing.T) {
	got := markdown(t, head+table("allocs/key", "Delayed,2,0%,0,0%,?,,2,0%,~,\n"))
	require.Contains(t, got, "| 2 | 0 | 2 | ∞ | 1.00× |")
	got = markdown(t, head+table("allocs/key", "Delayed,0,0%,0,0%,?,,2,0%,~,\n"))
	require.Contains(t, got, "| 0 | 0 | 2 | 1.00× | 0.00× |")
	require.NotContains(t, got, "NaN")
}

func TestReadComplains(t *testing.T) {
	for name, tc := range map[string]struct{ csv, want string }{
		"nothing":   {head, "report: no results"},
		"no head":   {head + "Keys/keys=1,1,0%\n", `report: "Keys/keys=1": no head above it`},
		"a word":    {head + times("Keys/fast,1,0%\n"), `report: Keys/fast: "fast": not of the form key=value`},
		"no number": {head + times("Keys/keys=1,one,0%\n"), `report: Keys/keys=1: strconv.ParseFloat: parsing "one": invalid syntax`},
		"no CSV":    {`"`, `report: parse error on line 1, column 2: extraneous or missing " in quoted-field`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := report.Read(strings.NewReader(tc.csv))
			require.EqualError(t, err, tc.want)
		})
	}
}

func TestInsert(t *testing.T) {
	const begin, end = "<!-- The tables begin: make bench writes them. -->\n", "<!-- The tables end. -->\n"
	got, err := report.Insert("above\n"+begin+"old\n"+end+"below\n", "new\n")
	require.NoError(t, err)
	require.Equal(t, "above\n"+begin+"\nnew\n\n"+end+"below\n", got)
	again, err := report.Insert(got, "new\n")
	require.NoError(t, err)
	require.Equal(t, got, again)
	for _, text := range []string{"", begin, end, end + begin} {
		_, err := report.Insert(text, "new\n")
		require.ErrorContains(t, err, "lacks its markers")
	}
}
