package report

import (
	"fmt"
	"strings"
)

// section is one of the tables.
type section struct{ title, name, unit string }

func sections() []section {
	return []section{
		{"Add, get and done of distinct keys: time per key", "Keys", perKey},
		{"The same where each key has a priority of its own", "Priorities", perKey},
		{"Keys that the queue knows: time", "Known", "sec/op"},
		{"Keys that the queue knows: allocations", "Known", "allocs/op"},
		{"Delayed add of a new key: time", "Delayed", perKey},
		{"Delayed add of a new key: allocations", "Delayed", "allocs/key"},
		{"Live heap for each queued key", "Heap", "live-B/key"},
		{"Bytes allocated for each key while it is added", "Heap", "B/key"},
		{"Heap after the keys have come and gone and 1,000 stay, for that of a fresh queue with these", "Left", "x-fresh"},
		{"Empty reconcile in controller-runtime's controller, with its add: time", "Reconcile", perKey},
		{"Empty reconcile: allocations", "Reconcile", "allocs/key"},
		{"Rate limiter: time", "Limiter", "sec/op"},
		{"Tenants: deliveries until the nine small ones are served", "Tenants", "deliveries"},
		{"Storm: wait of a user's change, P50", "Storm", "ms-primary-P50"},
		{"Storm: wait of a user's change, P99", "Storm", "ms-primary-P99"},
		{"Storm: wait of a user's change, longest", "Storm", "ms-primary-max"},
		{"Storm: longest wait of a watched event", "Storm", "s-watched-oldest"},
		{"Storm: wait until the first of the resync runs", "Storm", "s-resync-first"},
		{"Storm: longest wait of a resync", "Storm", "s-resync-oldest"},
		{"Storm: all is through after", "Storm", "s-complete"},
	}
}

// Markdown returns the tables: first the bars, then all numbers.
func (r *Results) Markdown() string {
	var b strings.Builder
	r.writeHead(&b)
	r.writeBars(&b)
	r.writeSections(&b)
	return b.String()
}

func (r *Results) writeHead(b *strings.Builder) {
	c := r.Config
	fmt.Fprintf(b, "Made by `%s` on %s: %s rounds, %s, %s CPUs, GOMAXPROCS %s, %s/%s, controller-runtime %s, client-go %s.\n\n",
		c["command"], c["date"], c["rounds"], c["go"], c["cpus"], c["gomaxprocs"], c["goos"], c["goarch"], c["controller-runtime"], c["client-go"])
}

func (r *Results) writeBars(b *strings.Builder) {
	b.WriteString("| bar | wanted | measured | in the worst case | |\n|---|---|---|---|---|\n")
	for _, bar := range bars() {
		wanted := "at most "
		if bar.least {
			wanted = "at least "
		}
		worst, met, ok := bar.judge(r)
		result, verdict := value(worst.value, bar.unit), "met"
		switch {
		case !ok:
			result, verdict = "", "not measured"
		case !met:
			verdict = "**missed**"
		}
		fmt.Fprintf(b, "| %s | %s%s | %s | %s | %s |\n", bar.what, wanted, value(bar.limit, bar.unit), result, worst.title, verdict)
	}
}

func (r *Results) writeSections(b *strings.Builder) {
	b.WriteString("\n| | trimtab | controller-runtime | client-go | trimtab ÷ controller-runtime | trimtab ÷ client-go |\n|---|---|---|---|---|---|\n")
	for _, section := range sections() {
		rows := r.of(section.name, section.unit, nil)
		if len(rows) == 0 {
			continue
		}
		if len(rows) == 1 && len(rows[0].params) == 0 {
			rows[0].write(b, "**"+section.title+"**")
			continue
		}
		fmt.Fprintf(b, "| **%s** | | | | | |\n", section.title)
		for _, row := range rows {
			row.write(b, row.title())
		}
	}
}

func (r row) write(b *strings.Builder, title string) {
	fmt.Fprintf(b, "| %s ", title)
	for _, name := range []string{Trimtab, controllerRuntime, clientGo} {
		b.WriteString("| ")
		s, ok := r.samples[name]
		if !ok {
			continue
		}
		b.WriteString(value(s.median, r.unit) + " ")
		if s.spread != "" {
			b.WriteString("±" + s.spread + " ")
		}
	}
	fmt.Fprintf(b, "| %s | %s |\n", times(r.ratio(Trimtab, controllerRuntime)), times(r.ratio(Trimtab, clientGo)))
}
