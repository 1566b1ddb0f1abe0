package metrics

import (
	"time"

	"github.com/trimtab/trimtab/trigger"
)

// State is what a controller is doing at one moment. The zero value is that of
// a controller that does nothing.
type State struct {
	// Depth is the number of ready requests, by the source that each counts under.
	Depth [trigger.Count]int

	// Delayed is the number of requests that wait for their time.
	Delayed int

	// Busy is the number of runs in flight.
	Busy int

	// Limit is the most runs that can be in flight at once.
	Limit int

	// OldestWaiting is how long the request that has been ready for longest has
	// waited for a worker. Zero if none waits.
	OldestWaiting time.Duration

	// OldestRun is how long the longest run in flight has been going on. Zero
	// if none is in flight.
	OldestRun time.Duration

	// OverFor is how long, without a break up to now, the queue has been too
	// deep, not counting what only a resync caused, with all workers busy. Zero
	// if it is not now. From a minute on the controller counts as saturated:
	// only the queue can know what was between two scrapes.
	OverFor time.Duration

	// Hot is the objects that were requeued most, in any order.
	Hot []HotObject

	// Busiest is the objects whose runs took most time, in any order.
	Busiest []BusyObject
}

// HotObject is an object and how often it was requeued.
type HotObject struct {
	// Object is the object's namespace and name, as in "default/web".
	Object string
	// Requeues is the number of requeues, at the least.
	Requeues uint64
}

// BusyObject is an object and how long its runs took.
type BusyObject struct {
	// Object is the object's namespace and name, as in "default/web".
	Object string
	// Time is that of all runs, at the least.
	Time time.Duration
}

// utilisation is the part of the limit that is busy.
func (s State) utilisation() float64 {
	if s.Limit <= 0 {
		return 0
	}
	return float64(s.Busy) / float64(s.Limit)
}

// saturatedAfter is how long a queue must be too deep to call it saturated: a
// burst that the workers clear within a minute is what a queue is for.
const saturatedAfter = time.Minute

// TopK returns Options.TopK: of how many objects of each kind of a State there are
// series. More of them cost time and change nothing.
func (c *Controller) TopK() int { return c.topK }
