package loopz

import (
	"slices"
	"sync"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/metrics"
	"github.com/trimtab/trimtab/trigger"
)

const (
	// freshFor is how long an answer serves further looks: many viewers cost as much
	// as one that looks once in this time.
	freshFor = time.Second

	// What rates, percentiles and advice look back at, once somebody has looked for so
	// long: short enough to see a storm come and go, long enough for a P99 of what runs
	// once in a second, and long enough to change a setting for.
	rateWindow   = 10 * time.Second
	recentWindow = time.Minute
	adviceWindow = 5 * time.Minute

	// enoughTime is how long looks must have gone on for advice from what they saw.
	// Until then it is drawn from all the time since the handler was made.
	enoughTime = 30 * time.Second
)

// sampler makes reports, and remembers earlier looks at the loops for their rates. It
// is safe for concurrent use.
type sampler struct {
	opts    Options
	started time.Time

	mu      sync.Mutex
	samples []sample // the oldest first
	answer  []byte   // to the last look
	at      time.Time
	forget  *time.Timer
}

// sample is what all loops had counted at one moment.
type sample struct {
	at    time.Time
	loops []reading
}

// reading is what one loop had counted, and what was ready.
type reading struct {
	totals metrics.Totals
	depth  [trigger.Count]int
}

func newSampler(opts Options) *sampler { return &sampler{opts: opts, started: time.Now()} }

// body returns what encode makes of a report, not older than freshFor.
func (s *sampler) body(encode func(*Report) ([]byte, error)) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if s.answer != nil && now.Sub(s.at) < freshFor {
		return s.answer, nil
	}
	body, err := encode(s.report(now))
	if err != nil {
		return nil, err
	}
	s.answer, s.at = body, now
	s.forgetLater()
	return body, nil
}

// forgetLater drops what was kept, when nobody has looked for so long that it would
// be of no use.
func (s *sampler) forgetLater() {
	const after = adviceWindow + time.Minute
	if s.forget != nil {
		s.forget.Reset(after)
		return
	}
	s.forget = time.AfterFunc(after, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if time.Since(s.at) >= after { // else somebody looked just now
			s.samples, s.answer = nil, nil
		}
	})
}

// report looks at all loops at now.
func (s *sampler) report(now time.Time) *Report {
	r := &Report{Version: Version, Time: now, Started: s.started, Loops: []LoopReport{}}
	next := sample{at: now}
	for i, loop := range s.opts.Loops {
		status := loop.Status()
		r.Loops = append(r.Loops, s.look(i, &status, now))
		next.loops = append(next.loops, reading{totals: status.Totals, depth: status.Queue.Depth})
	}
	s.keep(next)
	return r
}

// look returns the report of the loop of that index.
func (s *sampler) look(i int, status *trimtab.Status, now time.Time) LoopReport {
	rates, recent := s.since(rateWindow, i, status, now), s.since(recentWindow, i, status, now)
	long := s.since(adviceWindow, i, status, now)
	if long.over < enoughTime {
		long = s.sinceStart(status, now)
	}
	return reportOf(status, rates, recent, long, s.opts.QPS)
}

// since returns what was counted in about the last d.
func (s *sampler) since(d time.Duration, i int, status *trimtab.Status, now time.Time) window {
	for n, from := range slices.Backward(s.samples) {
		if now.Sub(from.at) >= d || n == 0 {
			return newWindow(now.Sub(from.at), from.loops[i], status)
		}
	}
	return s.sinceStart(status, now)
}

func (s *sampler) sinceStart(status *trimtab.Status, now time.Time) window {
	return newWindow(now.Sub(s.started), reading{}, status)
}

// keep remembers next, and forgets what is too old, or too close to another to tell
// more than that.
func (s *sampler) keep(next sample) {
	kept := s.samples[:0]
	for i, old := range s.samples {
		age := next.at.Sub(old.at)
		spacing := rateWindow / 4
		if age > recentWindow+rateWindow {
			spacing = recentWindow / 2
		}
		isLast := i == len(s.samples)-1 // Of one that looks now and then it is all there is.
		if age > adviceWindow+recentWindow && !isLast {
			continue
		}
		if len(kept) == 0 || old.at.Sub(kept[len(kept)-1].at) >= spacing {
			kept = append(kept, old)
		}
	}
	clear(s.samples[len(kept):])
	kept = append(kept, next)
	s.samples = kept
}
