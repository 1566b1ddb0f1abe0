package report

import (
	"fmt"
	"slices"
	"strings"
)

// table is sections whose rows have the same contestants.
type table struct {
	contestants []string // Trimtab first
	compared    []string // whom Trimtab is compared with
	sections    []section
}

// section is one of the parts of a table.
type section struct{ title, name, unit string }

func tables() []table {
	return []table{queues(), limiters(), predicates(), runs(), returns()}
}

// queues compares what hands requests out.
func queues() table {
	return table{
		contestants: []string{Trimtab, controllerRuntime, clientGo},
		compared:    []string{controllerRuntime, clientGo},
		sections: []section{
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
			{"Tenants: deliveries until the nine small ones are served", "Tenants", "deliveries"},
			{"Storm: wait of a user's change, P50", "Storm", "ms-primary-P50"},
			{"Storm: wait of a user's change, P99", "Storm", "ms-primary-P99"},
			{"Storm: wait of a user's change, longest", "Storm", "ms-primary-max"},
			{"Storm: longest wait of a watched event", "Storm", "s-watched-oldest"},
			{"Storm: wait until the first of the resync runs", "Storm", "s-resync-first"},
			{"Storm: longest wait of a resync", "Storm", "s-resync-oldest"},
			{"Storm: all is through after", "Storm", "s-complete"},
		},
	}
}

// limiters compares what says how long a failing key waits.
func limiters() table {
	return table{
		contestants: []string{Trimtab, clientGo},
		compared:    []string{clientGo},
		sections: []section{
			{"Failure of a key, exponential without jitter: time", "Exponential", perOp},
			{"Failure of a key, exponential without jitter: allocations", "Exponential", "allocs/op"},
			{"Failure of a key, bucket, beside client-go's default: time", "Bucket", perOp},
			{"Failure of a key, bucket, beside client-go's default: allocations", "Bucket", "allocs/op"},
			{"Failure of a key, exponential and bucket, beside client-go's default: time", "MaxOf", perOp},
			{"Failure of a key, exponential and bucket, beside client-go's default: allocations", "MaxOf", "allocs/op"},
			{"10,000 keys in turn, exponential, trimtab's with jitter: time", "Limiter", perOp},
			{"Live heap for each failing key", "Failing", "live-B/key"},
			{"Heap after the keys have failed once and 1,000 go on, for that of a limiter of these alone", "Vanished", "x-alone"},
		},
	}
}

// predicates compares what says which events count.
func predicates() table {
	return table{
		contestants: []string{Trimtab, controllerRuntime},
		compared:    []string{controllerRuntime},
		sections: []section{
			{"Predicate asked about an update: time", "Predicate", perOp},
			{"Predicate asked about an update: allocations", "Predicate", "allocs/op"},
		},
	}
}

// runs compares what is put around a reconciler and its client.
func runs() table {
	return table{
		contestants: []string{Trimtab, bare, flux, operatorpkg},
		compared:    []string{flux, operatorpkg},
		sections: []section{
			{"Run of a reconciler that does nothing: time", "Chain", perOp},
			{"Run of a reconciler that does nothing: allocations", "Chain", "allocs/op"},
			{"Get by a client that does nothing: time", "Call", perOp},
			{"Get by a client that does nothing: allocations", "Call", "allocs/op"},
			{"Scrape of all series: time", "Scrape", perOp},
			{"Scrape: size of the answer", "Scrape", "B/scrape"},
			{"Scrape: series", "Scrape", "series/scrape"},
			{"JSON of the live page: time", "Loopz", perOp},
			{"JSON of the live page: size of the answer", "Loopz", "B/look"},
			{"Live page open: time of a processor in each second", "Loopz", "ms-cpu-open"},
			{"Live page closed: time of a processor in each second", "Loopz", "ms-cpu-closed"},
			{"Heap after other objects were hot in each round, for that after the first round", "Hot", "x-first-round"},
			{"Read against the transport's own record, median difference", "Phases", "ms-read-off"},
			{"Write against the transport's own record, median difference", "Phases", "ms-write-off"},
			{"Status write against the transport's own record, median difference", "Phases", "ms-status-off"},
			{"All phases of a run against the time since its event, median difference", "Phases", "ms-sum-off"},
		},
	}
}

// returns compares what says when an object comes back.
func returns() table {
	return table{
		contestants: []string{Trimtab, controllerRuntime},
		compared:    []string{controllerRuntime},
		sections: []section{
			{"10,000 objects, each looked at every ten minutes: fullest second, for the mean", "Herd", "x-second"},
			{"The same: fullest ten seconds, for the mean", "Herd", "x-ten-seconds"},
			{"Call: time", "Return", perOp},
			{"Call: allocations", "Return", "allocs/op"},
			{"Call that sets a priority: time", "Priority", perOp},
			{"Call that sets a priority: allocations", "Priority", "allocs/op"},
			{"Schedule of robfig/cron: time", "Plan", perOp},
			{"A year of 1,000 crons in four zones: slots that are not near a change of the clock", "Slots", "slots"},
			{"Of these, slots that robfig/cron has not, or alone has", "Slots", "differ"},
			{"Near a change of the clock, slots that are not by the rule", "Slots", "off-the-rule"},
		},
	}
}

// Markdown returns the tables: first the bars, then all numbers.
func (r *Results) Markdown() string {
	var b strings.Builder
	r.writeHead(&b)
	r.writeBars(&b)
	for _, table := range tables() {
		r.writeTable(&b, table)
	}
	r.writeMatrix(&b, outage())
	return b.String()
}

func (r *Results) writeHead(b *strings.Builder) {
	c := r.Config
	fmt.Fprintf(b, "Made by `%s` on %s: %s rounds, %s, %s CPUs, GOMAXPROCS %s, %s/%s",
		c["command"], c["date"], c["rounds"], c["go"], c["cpus"], c["gomaxprocs"], c["goos"], c["goarch"])
	for _, peer := range []string{controllerRuntime, clientGo, flux, operatorpkg} {
		if version, ok := c[peer]; ok {
			fmt.Fprintf(b, ", %s %s", peer, version)
		}
	}
	b.WriteString(".\n\n")
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

func (r *Results) writeTable(b *strings.Builder, t table) {
	columns := slices.Clone(t.contestants)
	for _, peer := range t.compared {
		columns = append(columns, Trimtab+" ÷ "+peer)
	}
	fmt.Fprintf(b, "\n| | %s |\n|%s\n", strings.Join(columns, " | "), strings.Repeat("---|", 1+len(columns)))
	for _, section := range t.sections {
		rows := r.of(section.name, section.unit, nil)
		if len(rows) == 0 {
			continue
		}
		if len(rows) == 1 && len(rows[0].params) == 0 {
			rows[0].write(b, t, "**"+section.title+"**")
			continue
		}
		fmt.Fprintf(b, "| **%s** |%s\n", section.title, strings.Repeat(" |", len(columns)))
		for _, row := range rows {
			row.write(b, t, row.title())
		}
	}
}

func (r row) write(b *strings.Builder, t table, title string) {
	fmt.Fprintf(b, "| %s ", title)
	for _, name := range t.contestants {
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
	b.WriteString("|")
	for _, name := range t.compared {
		fmt.Fprintf(b, " %s |", times(r.ratio(Trimtab, name)))
	}
	b.WriteString("\n")
}
