package queue_test

import (
	"time"

	"github.com/trimtab/trimtab/queue"
	"github.com/trimtab/trimtab/trigger"
)

// modelFailing is what the model knows of a request that fails.
type modelFailing struct {
	failures int
	gaveUp   bool
	saw      []queue.Object // of the failing runs that knew of their object
	resets   []time.Duration
}

// forget ends the failures of key.
func (m *model) forget(key string) {
	delete(m.fails, key)
	delete(m.failing, key)
}

// reported notes how the run of key ended.
func (m *model) reported(key string, o queue.Outcome) {
	r := m.flight[key]
	r.outcome, r.reported = o, true
	if r.expected == nil || !r.expected.RateLimited {
		delete(m.failing, key)
	}
}

// retry notes that the controller wants to retry the run of key, and says whether
// it may.
func (m *model) retry(key string) bool {
	r := m.flight[key]
	known := m.resets && r.outcome.Object != queue.Object{}
	f := m.failing[key]
	if f == nil {
		if !known && !r.reported && m.giveUp == 0 {
			return true
		}
		f = &modelFailing{}
		m.failing[key] = f
	}
	if known {
		if f.news(r.outcome.Object) && f.mayReset(m.now) {
			delete(m.fails, key)
			m.failureResets++
			f.failures, f.gaveUp = 0, false
			f.resets = append(f.resets, m.now)
		}
		f.saw = append(f.saw, r.outcome.Object)
	}
	if m.giveUp == 0 || r.reported && r.outcome.Err == nil {
		return true
	}
	if f.failures++; f.failures > m.giveUp && !f.gaveUp {
		f.gaveUp = true
		m.gaveUp++
	}
	return !f.gaveUp
}

// news says whether o is something that somebody else wants, and that no failing run
// has seen.
func (f *modelFailing) news(o queue.Object) bool {
	if len(f.saw) == 0 {
		return false
	}
	// Only what was seen of this very object counts.
	same := f.saw
	for i, was := range f.saw {
		if was.UID != o.UID {
			same = f.saw[i+1:]
		}
	}
	if len(same) == 0 {
		return true
	}
	newer, deleting := o.Generation != o.Written, false
	for _, was := range same {
		newer = newer && o.Generation > max(was.Generation, was.Written)
		deleting = deleting || was.Deleting
	}
	return newer || o.Deleting && !deleting
}

func (f *modelFailing) mayReset(now time.Duration) bool {
	n := len(f.resets)
	return n < 3 || now-f.resets[n-1] >= 1000*time.Second
}

// renew queues key once more, if its run was the last that would have come.
func (m *model) renew(key string, r *modelRun) bool {
	if m.maxInterval == 0 || m.queued[key] != nil || !r.outcome.Object.Found || r.outcome.Stopped {
		return false
	}
	it := &modelItem{key: key, priority: -100, seq: m.place()}
	it.due = m.now + m.maxInterval
	it.wish, it.push = it.due, endless
	m.merge(it, trigger.Periodic, false)
	m.queued[key] = it
	m.added = append(m.added, "periodic")
	return true
}

// learned is an Object for a report.
func learned(x, y byte) queue.Object {
	if y%7 == 0 {
		return queue.Object{}
	}
	o := queue.Object{Found: y%3 > 0, UID: "1", Generation: 1 + int64(x%4), Deleting: x/4%4 == 3}
	if y%11 == 0 {
		o.UID = "2"
	}
	if y%4 == 1 {
		o.Written = o.Generation + int64(y/4%2)
	}
	return o
}
