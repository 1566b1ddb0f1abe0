package trimtab

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/trimtab/trimtab/trigger"
)

const (
	// slowKept is how many of the slowest runs are remembered of each window.
	slowKept = 10

	// slowWindow is how long a window of slow runs is: with the one before, the list
	// holds at least the last five minutes and at most the last ten.
	slowWindow = 5 * time.Minute
)

// slowRuns remembers the slowest of the recent runs. A run that is not among them
// costs two reads of what hardly ever changes.
type slowRuns[request comparable] struct {
	least atomic.Int64 // what a run must take longer than, in nanoseconds
	until atomic.Int64 // when the window ends, in nanoseconds since 1970

	mu            sync.Mutex
	current, last []slowRun[request]
}

// slowRun is a run of the list.
type slowRun[request comparable] struct {
	request request
	run     trigger.Run
	ended   time.Time
}

// note looks at a run that has ended.
func (s *slowRuns[request]) note(r request, run trigger.Run) {
	took := run.Phases.Total()
	ended := run.Info.Started.Add(took)
	if int64(took) <= s.least.Load() && ended.UnixNano() < s.until.Load() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turn(ended)
	slow := slowRun[request]{request: r, run: run, ended: ended}
	if len(s.current) < slowKept {
		s.current = append(s.current, slow)
	} else if i := s.shortest(); took > s.current[i].run.Phases.Total() {
		s.current[i] = slow
	}
	if len(s.current) == slowKept {
		s.least.Store(int64(s.current[s.shortest()].run.Phases.Total()))
	}
}

// turn begins the next window if that has come at now.
func (s *slowRuns[request]) turn(now time.Time) {
	over := now.UnixNano() - s.until.Load()
	if over < 0 {
		return
	}
	s.last, s.current = s.current, nil
	if over >= int64(slowWindow) {
		s.last = nil
	}
	s.least.Store(0)
	s.until.Store(now.Add(slowWindow).UnixNano())
}

// shortest is the index of the shortest run of the window.
func (s *slowRuns[request]) shortest() int {
	least := 0
	for i := range s.current {
		if s.current[i].run.Phases.Total() < s.current[least].run.Phases.Total() {
			least = i
		}
	}
	return least
}

// slowest returns the slowest runs of the last minutes before now, the slowest first.
func (s *slowRuns[request]) slowest(now time.Time) []slowRun[request] {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turn(now)
	all := slices.Concat(s.current, s.last)
	slices.SortFunc(all, func(a, b slowRun[request]) int {
		return cmp.Or(cmp.Compare(b.run.Phases.Total(), a.run.Phases.Total()), a.ended.Compare(b.ended))
	})
	return all[:min(slowKept, len(all))]
}
