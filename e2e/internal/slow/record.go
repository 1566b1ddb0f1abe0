package slow

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Phase is what a call does. A greater one hides a smaller one at its side.
type Phase int

// The phases.
const (
	Read Phase = iota
	Write
	Status
	Phases
)

// Call is one call of the API.
type Call struct {
	Phase      Phase
	Begin, End time.Time
}

// Record is the calls that were made in one context.
type Record struct {
	mu    sync.Mutex
	calls []Call
}

type recordKey struct{}

// WithRecord returns a context whose calls are recorded.
func WithRecord(ctx context.Context) (context.Context, *Record) {
	r := &Record{}
	return context.WithValue(ctx, recordKey{}, r), r
}

func record(ctx context.Context, c Call) {
	r, ok := ctx.Value(recordKey{}).(*Record)
	if !ok {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls = append(r.calls, c)
}

// Times returns for how long the greatest phase of all calls in flight was each.
func (r *Record) Times() [Phases]time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	var edges []time.Time
	for _, c := range r.calls {
		edges = append(edges, c.Begin, c.End)
	}
	slices.SortFunc(edges, time.Time.Compare)
	var times [Phases]time.Duration
	for i := 1; i < len(edges); i++ {
		if p, ok := r.at(edges[i-1]); ok {
			times[p] += edges[i].Sub(edges[i-1])
		}
	}
	return times
}

// at returns the greatest phase of the calls in flight just after t.
func (r *Record) at(t time.Time) (greatest Phase, found bool) {
	for _, c := range r.calls {
		if !c.Begin.After(t) && c.End.After(t) {
			greatest, found = max(greatest, c.Phase), true
		}
	}
	return greatest, found
}
