package main

import (
	"context"
	"sync"
	"time"

	"github.com/trimtab/trimtab/e2e/internal/report"
	"github.com/trimtab/trimtab/e2e/internal/scrape"
)

// sampleInterval is short, so that the peaks of a burst are seen.
const sampleInterval = 250 * time.Millisecond

// sampler reads the operator's metrics again and again. Safe for concurrent use.
type sampler struct {
	url string

	mu    sync.Mutex
	total scrape.Total
	peaks report.Peaks
}

func newSampler(url string) *sampler {
	return &sampler{url: url, total: scrape.Total{Counts: []string{report.ObjectRequeues}}}
}

// run samples until ctx ends.
func (s *sampler) run(ctx context.Context) {
	ticker := time.NewTicker(sampleInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			s.sample(ctx)
		case <-ctx.Done():
			return
		}
	}
}

// sample reads the metrics once and returns the totals. While the operator is
// away there is nothing new.
func (s *sampler) sample(ctx context.Context) scrape.Sample {
	sample, err := scrape.Get(ctx, nil, s.url)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil {
		s.total.Observe(sample)
		s.peaks.Observe(sample, time.Now())
	}
	return s.total.Sample()
}

// totals returns what was counted so far, over all restarts.
func (s *sampler) totals() (scrape.Sample, report.Peaks) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.total.Sample(), s.peaks
}
