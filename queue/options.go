package queue

import (
	"time"

	"github.com/go-logr/logr"
	"k8s.io/client-go/util/workqueue"

	"github.com/trimtab/trimtab/trigger"
)

// DefaultSaturationDepth is the number of ready requests above which a queue is
// not keeping up: the threshold of the queue depth signal.
const DefaultSaturationDepth = 100

// DefaultMaxWait and DefaultAgedShare are the zero values of the options of that name.
const (
	DefaultMaxWait   = 30 * time.Second
	DefaultAgedShare = 4
)

// Options configures New. The zero value is the default.
type Options[T comparable] struct {
	// RateLimiter says how long a failing request waits. It is for one queue, since a
	// success in one would wipe the backoff of another: a second queue that is given one
	// of package ratelimit logs an error, and gets one with the same numbers of its own.
	// Nil means ratelimit.NewExponential from 5 ms to 1000 s with jitter 0.2.
	RateLimiter workqueue.TypedRateLimiter[T]

	// Observer is told what passes through the queue. Nil means nobody is.
	Observer Observer

	// MetricsProvider makes the standard workqueue_* metrics; trimtab.Loop sets one
	// that feeds controller-runtime's collectors. If it is a PriorityDepth, too, the
	// depth is by priority. They count as in controller-runtime's queue: the depth is
	// what is ready, also behind its own running reconcile; an add is counted when it
	// makes a request ready; a retry is any add with a delay; the queue duration goes
	// from ready to taken, and starts no earlier than the first Get. When the queue
	// ends, its gauges go to zero.
	//
	// A panic of a metric is logged and ends them all. Nil means none, as does an
	// empty name of the queue.
	MetricsProvider workqueue.MetricsProvider

	// SaturationDepth is the number of ready requests, those that only a resync
	// caused aside, above which the queue counts as not keeping up. Zero means
	// DefaultSaturationDepth.
	SaturationDepth int

	// GiveUp is how many failures in a row of a request are retried: the one after
	// that is not, which the log, the Observer and OnGiveUp are told, once. Events
	// still run the request; while it fails, that earns no retry and is not told
	// again. A success, a failure reset and Forget start the count anew. A
	// Result.Requeue without an error is no failure; without the chain of package
	// reconcile it counts as one, since nobody tells them apart. The rate limiter is
	// not asked about a failure that is not retried: from then on trigger.Info.Attempt
	// stays what it was in the run that was given up. Zero means never.
	GiveUp int

	// OnGiveUp is called when a request is given up, with the number of its failures
	// in a row and the last error, nil without the chain of package reconcile. It is
	// called by the worker, in no lock, and delays only that; a panic of it is
	// logged. It needs GiveUp. Nil means nobody is called.
	OnGiveUp func(request T, failures int, err error)

	// DisableFailureReset turns the failure reset off. When a run fails whose object
	// was changed or deleted since the last one that failed, the rate limiter
	// forgets the request first, so that its next try is soon, and GiveUp counts
	// anew: somebody has tried to mend it. That takes a new generation, which no
	// write of the runs themselves returned, or the start of the deletion, as
	// Outcome.Object tells them. After the third reset without a success there is
	// at most one in 1000 s.
	DisableFailureReset bool

	// MaxInterval is the longest time after a run that a request is left alone: if
	// nothing else is to run it, it runs again then, as a Periodic one, also after a
	// terminal error and after GiveUp. It takes that the run found its object and
	// did not call reconcile.Stop; see Outcome. A request that waits for a debounce has
	// a next run. One that waits for this time runs then at the latest, and takes along
	// what is debounced, as with a RequeueAfter. Zero means for ever.
	MaxInterval time.Duration

	// MinInterval is the least time between the end of one run of a request and the
	// start of its next, whatever asks for that: an event, a retry, a RequeueAfter.
	// What comes sooner waits without a worker, and counts as delayed. It must not be
	// more than MaxInterval, if that is set. Zero means that a request may run again at
	// once.
	MinInterval time.Duration

	// Debounce is how long an event of source Watched waits for more of its request,
	// so that a burst of them causes one run: each puts the run off until Debounce
	// after it. Any other event ends that at once, and a retry or a RequeueAfter is
	// not put off. An event with a delay of its own is not debounced. Zero means that
	// none is.
	Debounce time.Duration

	// DebounceMax is how long after the first of its events a request waits at most
	// for more. It needs Debounce and must not be less than that. Zero means ten
	// times Debounce.
	DebounceMax time.Duration

	// HoldBackoff holds the sources whose events may not cut the backoff of a
	// failing request short: they wait for the retry and cause it, too, also if they
	// came during the run that fails. That run counts as the strongest of its sources
	// does: one of Watched and Retry as Watched, with the priority of the retry, which
	// is higher. It must not contain Primary: who mends an object must not have to
	// wait. Make the set with trigger.SetOf: trigger.Set(trigger.Watched) compiles, and
	// is the set of another source. Empty means that every event ends a backoff.
	HoldBackoff trigger.Set

	// MaxWait is how long a ready request may wait before it is aged. As long as
	// there are aged requests, one delivery in AgedShare goes to the one that has
	// waited for longest, whatever its priority: a flood of urgent requests slows
	// the others down and never stops them. Zero means 30 s.
	MaxWait time.Duration

	// AgedShare is how many deliveries it takes for the aged requests to get one
	// of them. One means that they go first. Zero means 4.
	AgedShare int

	// DisableAgeing turns MaxWait off: the highest priority always comes first.
	DisableAgeing bool

	// Group returns the group of a request: its namespace, tenant, account. Within
	// a priority the groups take turns, so that one of 10,000 requests does not
	// delay those of a few. It is called by many goroutines at once, for every add;
	// it must be quick and say the same of a request every time. After a panic,
	// which is logged, the group is "". Nil means that there are no groups.
	Group func(request T) string

	// MaxPerGroup is how many requests of one group may be in flight. The others
	// of it wait without a worker, and delay nobody else. It needs Group. Zero
	// means that there is no limit.
	MaxPerGroup int

	// DisableHotLoop turns the search for hot loops off: a request that runs more
	// than 120 times in a minute, each time since it was added during the run
	// before or within a second after it, while nobody else changes its object, is
	// named once in the log, told to the Observer, and stands in Snapshot.HotLoops.
	// It is over after a minute with fewer than 30 such runs, where the time that
	// HotLoopDelay takes is not counted, or when its object has a new generation. A
	// reconciler that writes what it watches makes such loops.
	DisableHotLoop bool

	// HotLoopDelay is the least time between the end of one run of a request in a
	// hot loop and the start of its next, as MinInterval is for all: the longer of them
	// counts. It must not be more than MaxInterval, if that is set. A loop that it slows
	// down stays one, and is named once, as long as its runs come of adds during the run
	// before or within a second after it. Zero means that a hot loop is named and left
	// alone.
	HotLoopDelay time.Duration

	// Log gets what nobody else can be told, such as a panic of the limiter.
	// The zero value discards it.
	Log logr.Logger
}
