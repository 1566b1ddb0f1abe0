package queue

import (
	"math"
	"time"

	"github.com/trimtab/trimtab/trigger"
)

// debounces reports whether an add waits for more of its kind.
func (q *Queue[T]) debounces(d decision, after time.Duration) bool {
	return q.opts.Debounce > 0 && d.source == trigger.Watched && after <= 0 && !d.limited
}

// debounce puts off the run at now.
func (h *hold) debounce(now, by, atMost time.Duration) {
	if h.push == never {
		h.latest = later(now, atMost)
	}
	h.push = min(later(now, by), h.latest)
}

// debounceMax is the zero value of Options.DebounceMax.
func debounceMax(debounce time.Duration) time.Duration {
	const times = 10
	if debounce > math.MaxInt64/times {
		return math.MaxInt64
	}
	return times * debounce
}
