package metrics

import (
	"errors"
	"slices"
	"sync"
)

// states are the functions that say what a controller is doing. There may be several:
// two managers of a process can each have a controller of one name.
type states struct {
	mu  sync.Mutex
	all []*stateFunc
}

type stateFunc func() (state State, ok bool)

// SetState makes state the only function that says what the controller is doing. It
// is called at each scrape and must be quick, safe for concurrent use, and not panic.
// Nil removes all: then the gauges are 0 and no object is named.
func (c *Controller) SetState(state func() State) {
	c.states.mu.Lock()
	defer c.states.mu.Unlock()
	c.states.all = nil
	if state != nil {
		f := stateFunc(func() (State, bool) { return state(), true })
		c.states.all = []*stateFunc{&f}
	}
}

// AddState adds a function to those that say what the controller is doing, for one of
// several controllers of its name: what they say adds up, and of ages the greatest
// counts. It is called as that of SetState, until it returns false: then it is
// forgotten. It panics if state is nil.
func (c *Controller) AddState(state func() (s State, ok bool)) {
	if state == nil {
		panic(errors.New("metrics: AddState(nil): the state must not be nil"))
	}
	c.currentState() // It forgets those that have ended, also where nobody scrapes.
	f := stateFunc(state)
	c.states.mu.Lock()
	defer c.states.mu.Unlock()
	c.states.all = append(c.states.all, &f)
}

// currentState asks all functions, outside the lock.
func (c *Controller) currentState() State {
	c.states.mu.Lock()
	all := slices.Clone(c.states.all)
	c.states.mu.Unlock()
	var sum State
	for _, f := range all {
		s, ok := (*f)()
		if !ok {
			c.states.forget(f)
			continue
		}
		sum = sum.plus(s)
	}
	return sum
}

func (s *states) forget(f *stateFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = slices.DeleteFunc(s.all, func(other *stateFunc) bool { return other == f })
}

// plus returns what two controllers of one name are doing.
func (s State) plus(o State) State {
	for source, depth := range o.Depth {
		s.Depth[source] += depth
	}
	s.Delayed += o.Delayed
	s.Busy += o.Busy
	s.Limit += o.Limit
	s.OldestWaiting = max(s.OldestWaiting, o.OldestWaiting)
	s.OldestRun = max(s.OldestRun, o.OldestRun)
	s.OverFor = max(s.OverFor, o.OverFor)
	s.Hot = slices.Concat(s.Hot, o.Hot)
	s.Busiest = slices.Concat(s.Busiest, o.Busiest)
	return s
}
