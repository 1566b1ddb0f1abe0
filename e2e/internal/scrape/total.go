package scrape

import (
	"maps"
	"slices"
	"strings"
)

// startTime is the series by which a restart is recognised.
const startTime = "process_start_time_seconds"

// Total adds up the counters and histograms of a process over its restarts,
// each of which starts them at zero. What a process counted after the last
// sample before its end is lost. Not safe for concurrent use.
type Total struct {
	// Counts names gauges that count from the start of the process, and so are
	// added up, too.
	Counts []string

	past Sample // the last samples of processes that are gone, added up
	last Sample // the last sample of the present one
}

// Observe takes the next sample.
func (t *Total) Observe(s Sample) {
	for _, name := range t.Counts {
		for i := range s[name] {
			s[name][i].Gauge = false
		}
	}
	if t.last != nil && t.last.Sum(startTime) != s.Sum(startTime) {
		t.past = add(t.past, t.last)
	}
	t.last = s
}

// Sample returns the totals; its gauges are those of the last sample.
func (t *Total) Sample() Sample {
	return add(t.past, t.last)
}

// add returns the sum of the counters and histograms of past and last, and
// last's gauges.
func add(past, last Sample) Sample {
	sum := make(Sample, len(last))
	for _, s := range []Sample{past, last} {
		for name := range s {
			sum[name] = nil
		}
	}
	for name := range sum {
		sum[name] = addSeries(past[name], last[name])
	}
	return sum
}

func addSeries(past, last []Series) []Series {
	sum := make([]Series, 0, len(last))
	at := make(map[string]int, len(last))
	for _, s := range last {
		at[s.key()] = len(sum)
		sum = append(sum, s)
	}
	for _, s := range past {
		i, ok := at[s.key()]
		switch {
		case s.Gauge:
		case ok:
			sum[i].Value += s.Value
			sum[i].Buckets = sum[i].Buckets.add(s.Buckets)
		default:
			sum = append(sum, s)
		}
	}
	return sum
}

// key identifies a series among those of one name.
func (s Series) key() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(s.Labels)) {
		b.WriteString(name + "\x00" + s.Labels[name] + "\x00")
	}
	return b.String()
}
