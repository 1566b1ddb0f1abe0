package loopz

import "time"

// Version is that of the JSON: see the package documentation.
const Version = 1

// Report is the JSON of the page. Rates are in events a second, times in seconds.
type Report struct {
	Version int       `json:"version"`
	Time    time.Time `json:"time"`
	// Started is when the handler was made. Another one means another process.
	Started time.Time    `json:"started"`
	Loops   []LoopReport `json:"loops"`
}

// LoopReport is what one loop is doing.
type LoopReport struct {
	// Name is the loop's, Controller that of the controller which runs on its queue,
	// empty if none does: then nothing is queued.
	Name       string `json:"name"`
	Controller string `json:"controller"`
	// Measured is false for a loop without metrics, or that has not run yet: then only
	// the queue and the slow runs are known.
	Measured bool `json:"measured"`

	// RateSeconds, RecentSeconds and AdviceSeconds is how long the time is that Rates,
	// that Recent and Triggers, and that Advice is drawn from at most: about ten seconds,
	// a minute and five minutes once somebody has looked for so long.
	RateSeconds   float64 `json:"rateSeconds"`
	RecentSeconds float64 `json:"recentSeconds"`
	AdviceSeconds float64 `json:"adviceSeconds"`

	Advice   []Advice        `json:"advice"`
	Rates    Rates           `json:"rates"`
	Recent   Recent          `json:"recent"`
	Triggers []TriggerReport `json:"triggers"`
	Queue    QueueReport     `json:"queue"`
	Workers  WorkersReport   `json:"workers"`

	Running  []RunningReport `json:"running"`  // the oldest first, at most 10
	Hot      []HotReport     `json:"hot"`      // the most requeues first, at most 10
	Busiest  []BusyReport    `json:"busiest"`  // the most time first, at most 10
	HotLoops []string        `json:"hotLoops"` // the objects that run in a hot loop, at most 10
	Slow     []SlowReport    `json:"slow"`     // of the last five to ten minutes, the slowest first, at most 10

	Predicates []PredicateReport `json:"predicates"` // most events first
	Classes    []ClassReport     `json:"classes"`    // most runs first
	Calls      []CallReport      `json:"calls"`      // most calls first
	Totals     TotalsReport      `json:"totals"`
}

// Rates is what passes through a loop in a second.
type Rates struct {
	Admitted  float64 `json:"admitted"` // events, by predicates that count
	Dropped   float64 `json:"dropped"`
	Adds      float64 `json:"adds"`   // to the queue
	Merges    float64 `json:"merges"` // of these, to a request already queued
	Runs      float64 `json:"runs"`   // completed
	NoOps     float64 `json:"noOps"`  // of these, without an error or a change
	Errors    float64 `json:"errors"` // of these, of another class than success and requeue
	Retries   float64 `json:"retries"`
	Periodics float64 `json:"periodics"` // requeues by a RequeueAfter
	Calls     float64 `json:"calls"`     // of the Kubernetes API
}

// Recent is all runs of RecentSeconds together.
type Recent struct {
	Runs    uint64  `json:"runs"`
	Latency Latency `json:"latency"`
	Phases  Phases  `json:"phases"` // in all
	// BusyWorkers is how many workers were busy on average.
	BusyWorkers float64 `json:"busyWorkers"`
}

// Latency is the wait and run of runs. Null in JSON if there were none.
type Latency struct {
	P50 *float64 `json:"p50"`
	P95 *float64 `json:"p95"`
	P99 *float64 `json:"p99"`
}

// Phases is seconds by phase. OwnRun, the time behind an own run of the same key, is
// none of the six.
type Phases struct {
	Delay   float64 `json:"delay"`
	Wait    float64 `json:"wait"`
	Read    float64 `json:"read"`
	Compute float64 `json:"compute"`
	Write   float64 `json:"write"`
	Status  float64 `json:"status"`
	OwnRun  float64 `json:"ownRun"`
}

// TriggerReport is what came of one trigger. One that never came is left out.
type TriggerReport struct {
	Trigger string  `json:"trigger"`
	Depth   int     `json:"depth"` // ready now
	Total   uint64  `json:"total"` // runs since the process started
	Runs    uint64  `json:"runs"`  // of RecentSeconds, as all that follows
	NoOps   uint64  `json:"noOps"`
	Rate    float64 `json:"rate"` // runs in a second
	Latency Latency `json:"latency"`
	Phases  Phases  `json:"phases"` // in all
}

// QueueReport is the state of the queue.
type QueueReport struct {
	Depth int `json:"depth"` // ready for a worker
	// Urgent is Depth without what only a resync caused; over Threshold the loop does not
	// keep up.
	Urgent    int `json:"urgent"`
	Threshold int `json:"threshold"`
	// OverSeconds is how long, without a break, Urgent has been over Threshold with all
	// workers busy.
	OverSeconds   float64 `json:"overSeconds"`
	OldestSeconds float64 `json:"oldestSeconds"` // wait of the oldest that is ready
	Delayed       int     `json:"delayed"`       // waits for its time
	// NextSeconds is when the first of Delayed is due. Null if there are none.
	NextSeconds *float64 `json:"nextSeconds"`
}

// WorkersReport is the workers of a loop.
type WorkersReport struct {
	Busy    int `json:"busy"`
	Limit   int `json:"limit"`
	Overdue int `json:"overdue"` // runs in flight past their deadline
	// DeadlineSeconds is how long a run may take. Zero means that there is no limit.
	DeadlineSeconds float64 `json:"deadlineSeconds"`
}

// RunningReport is a run in flight.
type RunningReport struct {
	Object   string  `json:"object"`
	Triggers string  `json:"triggers"` // joined by +
	Seconds  float64 `json:"seconds"`
}

// HotReport is an object that is requeued often.
type HotReport struct {
	Object string `json:"object"`
	// Requeues is how often at the least, of late: every ten minutes they are halved.
	Requeues  uint64 `json:"requeues"`
	Attempts  int    `json:"attempts"`  // failures in a row
	LastClass string `json:"lastClass"` // of its last failure, while it fails
	State     string `json:"state"`     // running, ready, delayed or idle
	// NextSeconds is when it is due. Null unless it is delayed.
	NextSeconds *float64 `json:"nextSeconds"`
}

// BusyReport is an object whose runs take much time.
type BusyReport struct {
	Object string `json:"object"`
	// Seconds is how long at the least, of late: every ten minutes it is halved.
	Seconds float64 `json:"seconds"`
}

// SlowReport is a run that took long.
type SlowReport struct {
	Object   string    `json:"object"`
	Triggers string    `json:"triggers"` // joined by +
	Class    string    `json:"class"`
	Attempt  int       `json:"attempt"` // zero if unknown
	Ended    time.Time `json:"ended"`
	Seconds  float64   `json:"seconds"` // of the run alone
	Phases   Phases    `json:"phases"`
	TraceID  string    `json:"traceID,omitempty"`
}

// PredicateReport is the events of watches of one trigger that reached a predicate
// which counts.
type PredicateReport struct {
	Predicate    string  `json:"predicate"`
	Trigger      string  `json:"trigger"`
	Admitted     uint64  `json:"admitted"` // since the process started
	Dropped      uint64  `json:"dropped"`
	AdmittedRate float64 `json:"admittedRate"` // in a second of RecentSeconds
	DroppedRate  float64 `json:"droppedRate"`
}

// ClassReport is the runs of one class.
type ClassReport struct {
	Class string  `json:"class"`
	Total uint64  `json:"total"` // since the process started
	Rate  float64 `json:"rate"`  // in a second of RecentSeconds
}

// CallReport is the calls of the Kubernetes API of one verb on one kind.
type CallReport struct {
	Kind  string  `json:"kind"`
	Verb  string  `json:"verb"`
	Total uint64  `json:"total"` // since the process started
	Rate  float64 `json:"rate"`  // in a second of RecentSeconds
}

// TotalsReport is what was counted since the process started.
type TotalsReport struct {
	Runs          uint64 `json:"runs"`
	Retries       uint64 `json:"retries"`
	Periodics     uint64 `json:"periodics"`
	Overruns      uint64 `json:"overruns"`
	Panics        uint64 `json:"panics"`
	HandlerPanics uint64 `json:"handlerPanics"`
	WorkersLost   uint64 `json:"workersLost"`
	GivenUp       uint64 `json:"givenUp"`
	HotLoops      uint64 `json:"hotLoops"`
	FailureResets uint64 `json:"failureResets"`
	// LastSuccess is when a run last succeeded. Null if none has.
	LastSuccess *time.Time `json:"lastSuccess"`
}

// Advice is one thing to change.
type Advice struct {
	// Rule is what raised it: workers, period, depth, hot-object, hot-loop, no-op,
	// backoff, deadline, stuck or qps.
	Rule string `json:"rule"`
	// Text is the trouble, with its arithmetic.
	Text string `json:"text"`
	// Setting is what to change.
	Setting string `json:"setting"`

	about string // of two about the same, from two windows, one is enough
}
