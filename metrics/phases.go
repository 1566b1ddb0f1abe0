package metrics

import (
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// phase is a value of the label phase.
type phase int

const (
	delayPhase phase = iota
	waitPhase
	ownRunPhase
	readPhase
	computePhase
	writePhase
	statusPhase
	phaseCount
)

func phaseNames() [phaseCount]string {
	return [phaseCount]string{"delay", "wait", "own_run", "read", "compute", "write", "status"}
}

// phaseTimes adds up the time of each phase, and tells the counters when there is a
// scrape. Each run adds to most of them: here they stand beside each other, in
// memory that workers on other processors wait for once and not for each phase, and a
// whole number needs no second attempt.
type phaseTimes struct {
	nanos    [phaseCount]atomic.Int64
	told     [phaseCount]int64 // of nanos; guarded by Controller.telling
	counters [phaseCount]prometheus.Counter
}

// add adds d to phase. A negative time, of which a counter would panic, is none.
func (p *phaseTimes) add(phase phase, d time.Duration) {
	if d > 0 {
		p.nanos[phase].Add(int64(d))
	}
}

// tell raises the counters to what was added.
func (p *phaseTimes) tell() {
	for i := range p.nanos {
		now := p.nanos[i].Load()
		p.counters[i].Add(time.Duration(now - p.told[i]).Seconds())
		p.told[i] = now
	}
}
