package report

import (
	"time"

	"github.com/trimtab/trimtab/e2e/internal/scrape"
)

// depthLimit is how many waiting requests are still taken as keeping up.
const depthLimit = 100

// Peaks are the highest values of gauges over many samples. The zero value is
// ready for use.
type Peaks struct {
	Depth     float64       // requests waiting for a worker
	Resync    float64       // of them at that moment, those of a resync alone
	TooDeep   time.Duration // the longest time without a break above the limit
	Busy      float64       // reconciles at the same time
	Limit     float64       // and how many there could be
	Saturated bool          // whether the queue ever said that it is

	deepSince time.Time
}

// Observe takes a sample made at that time.
func (p *Peaks) Observe(s scrape.Sample, at time.Time) {
	depth := s.Sum("trimtab_queue_depth", label, controller)
	if depth > p.Depth {
		p.Depth, p.Resync = depth, Depth(s, "resync")
	}
	p.observeDepth(depth, at)
	p.Busy = max(p.Busy, s.Sum("trimtab_workers_busy", label, controller))
	p.Limit = max(p.Limit, s.Sum("trimtab_workers_limit", label, controller))
	p.Saturated = p.Saturated || s.Sum("trimtab_queue_saturated", label, controller) > 0
}

// observeDepth keeps the longest time above the limit.
func (p *Peaks) observeDepth(depth float64, at time.Time) {
	if depth <= depthLimit {
		p.deepSince = time.Time{}
		return
	}
	if p.deepSince.IsZero() {
		p.deepSince = at
	}
	p.TooDeep = max(p.TooDeep, at.Sub(p.deepSince))
}
