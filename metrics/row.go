package metrics

import (
	"sync/atomic"

	"github.com/trimtab/trimtab/trigger"
)

// unknown is the value of a label that is not known.
const unknown = "unknown"

// triggers is the number of values of the label trigger: the sources, and
// unknown, which comes last.
const triggers = trigger.Count + 1

// ofSource is the index of source among the values of the label trigger.
func ofSource(source trigger.Source) int { return min(int(source), trigger.Count) }

// ofSet is the index of the source that a run caused by set counts under.
func ofSet(set trigger.Set) int {
	if source, ok := set.Strongest(); ok {
		return ofSource(source)
	}
	return trigger.Count
}

// triggerName is the value of the label trigger at index i.
func triggerName(i int) string {
	if i >= trigger.Count {
		return unknown
	}
	return trigger.Source(i).String()
}

// row is a metric M, such as a counter, for each trigger, made when it is first
// needed. It is safe for concurrent use.
type row[M any] struct {
	create  func(trigger string) M
	metrics [triggers]atomic.Pointer[M]
}

func newRow[M any](create func(trigger string) M) *row[M] { return &row[M]{create: create} }

// at returns the metric of the trigger at index i.
func (r *row[M]) at(i int) M {
	if m := r.metrics[i].Load(); m != nil {
		return *m
	}
	m := r.create(triggerName(i)) // two at once get the same one from their vector
	r.metrics[i].Store(&m)
	return m
}

// made returns the metric of the trigger at index i, and false if it was not needed
// yet.
func (r *row[M]) made(i int) (metric M, ok bool) {
	if m := r.metrics[i].Load(); m != nil {
		return *m, true
	}
	return metric, false
}

// fill makes the metrics of all sources. That of unknown waits until it is
// needed: it is not where the queue is Trimtab's.
func (r *row[M]) fill() {
	for i := range trigger.Count {
		r.at(i)
	}
}

// all yields the metrics that were made.
func (r *row[M]) all(yield func(M) bool) {
	for i := range r.metrics {
		if m := r.metrics[i].Load(); m != nil && !yield(*m) {
			return
		}
	}
}
