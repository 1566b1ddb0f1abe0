package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// growing is a table with a column for each size, to show how a cost grows with it.
type growing struct {
	title  string
	name   string // of the benchmark
	size   string // the part of its name that is the size
	groups []group
}

// group is lines about the same thing.
type group struct {
	title string
	lines []line
}

// line is one measure.
type line struct {
	title string
	unit  string
	where map[string]string // the other parts of the benchmark's name
}

// fleets shows what operators of each size of fleet cost.
func fleets() growing {
	at := func(what string) map[string]string { return map[string]string{"at": what, "form": "full"} }
	start := func(form string) map[string]string { return map[string]string{"at": "start", "form": form} }
	return growing{"objects", "Objects", "objects", []group{
		{"Memory", []line{
			{"an object as JSON, for comparison", "B/object", at("size")},
			{"live heap, all objects in the cache, MB", "MB-live", start("full")},
			{"the same for each object", "live-B/object", start("full")},
			{"the same without managedFields", "live-B/object", start("without-managedFields")},
			{"the same as metadata only", "live-B/object", start("metadata")},
			{"the same as metadata only, without managedFields", "live-B/object", start("metadata-without-managedFields")},
			{"most memory of the process until then, MB", "MB-peak", start("full")},
			{"the same without managedFields, MB", "MB-peak", start("without-managedFields")},
		}},
		{"Start at which each run finds nothing to do", []line{
			{"until all objects have run", "s-all", start("full")},
			{"time of processors", "s-cpu", start("full")},
			{"calls of the API server", "calls", start("full")},
			{"until all have run, without managedFields", "s-all", start("without-managedFields")},
			{"until all have run, metadata only", "s-all", start("metadata")},
		}},
		{"Start at which each run writes a status", []line{
			{"until all objects have run", "s-all", at("first")},
			{"time of processors", "s-cpu", at("first")},
			{"calls of the API server", "calls", at("first")},
		}},
		{"Resync that the predicate drops", []line{
			{"from the first event to the last", "s-resync", at("dropped")},
			{"time of processors", "s-cpu", at("dropped")},
		}},
		{"Resync that goes through the queue, a run for each object", []line{
			{"from the first event to the end of the last run", "s-resync", at("queued")},
			{"time of processors", "s-cpu", at("queued")},
			{"allocations for each object", "allocs/object", at("queued")},
			{"calls of the API server", "calls", at("queued")},
		}},
		{"A user's change, until its run", append(waits("alone", "nothing else going on"),
			append(waits("resync", "while resyncs run"), waits("ticker", "while a `requeue.Ticker` goes through the fleet")...)...)},
		{"Metrics", []line{
			{"series of the controller", "series", at("metrics")},
			{"size of a scrape of them", "B/scrape", at("metrics")},
		}},
	}}
}

// waits are lines about a user's wait while something is going on.
func waits(at, while string) []line {
	where := map[string]string{"at": at, "form": "full"}
	return []line{{while + ", P50", "ms-P50", where}, {while + ", P99", "ms-P99", where}, {while + ", longest", "ms-max", where}}
}

// backlogs shows what queues of each size cost, in a loop.
func backlogs() growing {
	return growing{"requests", "Keys", "keys", []group{
		{"Memory", []line{
			{"live heap for each queued request, its name aside", "live-B/key", nil},
			{"most memory of the process, names and all, MB", "MB-peak", nil},
			{"live heap that is left once all have run twice and failed once, MB", "MB-left", nil},
		}},
		{"Time", []line{
			{"to add all", "s-add", nil},
			{"to run them all", "s-runs", nil},
			{"to add them, fail each once and run it again after its backoff", "s-failing", nil},
		}},
		{"All of them queued", []line{
			{"`Loop.Status`", "ms-status", nil},
			{"allocations of it", "allocs-status", nil},
			{"scrape of the controller's series", "ms-scrape", nil},
		}},
		{"After each has failed once", []line{
			{"series of the controller", "series", nil},
			{"requests that the queue knows as hot", "named", nil},
		}},
	}}
}

// Scale returns the tables of make bench-scale.
func (r *Results) Scale() string {
	var b strings.Builder
	c := r.Config
	fmt.Fprintf(&b, "Made by `%s` on %s: %s, %s CPUs, GOMAXPROCS %s, %s/%s, controller-runtime %s.\n",
		c["command"], c["date"], c["go"], c["cpus"], c["gomaxprocs"], c["goos"], c["goarch"], c[controllerRuntime])
	for _, table := range []growing{fleets(), backlogs()} {
		r.writeGrowing(&b, table)
	}
	return b.String()
}

// writeGrowing writes nothing of what was not measured.
func (r *Results) writeGrowing(b *strings.Builder, g growing) {
	sizes := r.sizes(g)
	if len(sizes) == 0 {
		return
	}
	fmt.Fprintf(b, "\n| %s | |", g.title)
	for _, size := range sizes {
		fmt.Fprintf(b, " %s |", grouped(size))
	}
	last := float64(sizes[len(sizes)-1]) / float64(sizes[0])
	fmt.Fprintf(b, " growth, of %s× |\n|%s\n", digits(last), strings.Repeat("---|", 3+len(sizes)))
	for _, group := range g.groups {
		fmt.Fprintf(b, "| **%s** |%s\n", group.title, strings.Repeat(" |", 2+len(sizes)))
		for _, l := range group.lines {
			for _, by := range []string{Trimtab, controllerRuntime} {
				r.writeGrowth(b, g, l, sizes, by)
			}
		}
	}
}

func (r *Results) writeGrowth(b *strings.Builder, g growing, l line, sizes []int, by string) {
	bySize := map[int]float64{}
	for _, row := range r.of(g.name, l.unit, l.where) {
		if s, ok := row.samples[by]; ok {
			bySize[row.number(g.size)] = s.median
		}
	}
	if len(bySize) == 0 {
		return
	}
	fmt.Fprintf(b, "| %s | %s |", l.title, by)
	for _, size := range sizes {
		if v, ok := bySize[size]; ok {
			b.WriteString(" " + value(v, l.unit))
		}
		b.WriteString(" |")
	}
	first, ok := bySize[sizes[0]]
	last, okToo := bySize[sizes[len(sizes)-1]]
	switch {
	case !ok || !okToo, first == 0:
		b.WriteString(" |\n")
	default:
		fmt.Fprintf(b, " %s× |\n", digits(last/first))
	}
}

// sizes returns the sizes that were measured, the smallest first.
func (r *Results) sizes(g growing) []int {
	var sizes []int
	for _, row := range r.rows {
		if row.name == g.name {
			sizes = append(sizes, row.number(g.size))
		}
	}
	slices.SortFunc(sizes, cmp.Compare[int])
	return slices.Compact(sizes)
}

// number returns a part of the row's name as a number, 0 if it is none.
func (r row) number(key string) int {
	n, _ := strconv.Atoi(r.params[key]) // 0 otherwise
	return n
}
