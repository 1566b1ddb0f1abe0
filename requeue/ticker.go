package requeue

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/trimtab/trimtab/trigger"
)

// TickerOptions configures [NewTicker].
type TickerOptions[request comparable] struct {
	// Period is how often each request of List is enqueued. It must be set, to at least
	// a second.
	Period time.Duration

	// List returns all requests, such as those of [Objects]. It is called eight times in
	// a period, though no more than once a second. While it fails, those of the last time
	// are enqueued, and the log says so once. It must be set.
	List func(ctx context.Context) ([]request, error)
}

// Validate returns an error that names the first field which is impossible,
// and its value.
func (o TickerOptions[request]) Validate() error {
	if err := validatePeriod(o.Period); err != nil {
		return err
	}
	if o.List == nil {
		return errors.New("requeue: List is nil, want a function")
	}
	return nil
}

func validatePeriod(period time.Duration) error {
	if period < time.Second {
		return fmt.Errorf("requeue: Period is %v, want at least 1s", period)
	}
	return nil
}

// Ticker is a source for a controller that enqueues each of many objects once per
// period, to repair what no event tells of, without the herd of a resync, which
// brings all of them at once:
//
//	WatchesRawSource(requeue.NewTicker(requeue.TickerOptions[reconcile.Request]{
//		Period: 10 * time.Minute,
//		List:   requeue.Objects(mgr.GetCache(), &certv1.CertificateList{}),
//	}))
//
// Since it sees the whole fleet it is even: the requests come one after the other, at
// equal distances. They have the low priority of what nobody waits for, -100, and
// count as Periodic in Trimtab's queue. An object that is there all the time is
// enqueued at least once per period, the first time within a period after the start,
// also when others come and go; one that is new, within a period of the List
// before it was seen. Only when the process itself was held up is it later: then
// twice as many as usual are enqueued at a time, not all.
//
// Use it in place of a RequeueAfter by each run, which ends when a run forgets it.
// Each controller that starts it has a fleet of its own, and a moment of its own at
// which it begins. It is safe for concurrent use.
type Ticker[request comparable] struct {
	list func(context.Context) ([]request, error)

	mu      sync.Mutex
	period  time.Duration
	changed chan struct{} // closed when the period changes
}

// NewTicker returns a Ticker. It panics with the error of [TickerOptions.Validate],
// if there is one.
func NewTicker[request comparable](opts TickerOptions[request]) *Ticker[request] {
	if err := opts.Validate(); err != nil {
		panic(err)
	}
	return &Ticker[request]{list: opts.List, period: opts.Period, changed: make(chan struct{})}
}

// SetPeriod changes the period, from now on. It returns an error, and changes nothing,
// if it is less than a second.
func (t *Ticker[request]) SetPeriod(period time.Duration) error {
	if err := validatePeriod(period); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.period = period
	close(t.changed)
	t.changed = make(chan struct{})
	return nil
}

func (t *Ticker[request]) settings() (period time.Duration, changed <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.period, t.changed
}

// Start implements controller-runtime's TypedSource: it returns at once, and enqueues
// until ctx is done.
func (t *Ticker[request]) Start(ctx context.Context, q workqueue.TypedRateLimitingInterface[request]) error {
	go t.run(ctx, periodic(q))
	return nil
}

// listAgain is how soon List is called again after it has failed, at most.
const listAgain = 10 * time.Second

// run enqueues until ctx is done.
func (t *Ticker[request]) run(ctx context.Context, add func(request)) {
	period, changed := t.settings()
	members := newFleet[request](time.Now())
	var list time.Time // when to call List
	var failing bool
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-changed:
			period, changed = t.settings()
			list = time.Time{}
		case <-timer.C:
		}
		if !time.Now().Before(list) {
			failing = t.renew(ctx, members, failing)
			list = time.Now().Add(max(period/8, time.Second))
			if failing {
				list = time.Now().Add(min(max(period/8, time.Second), listAgain))
			}
			members.pace(time.Now(), period)
		}
		members.release(time.Now(), period, add)
		timer.Reset(time.Until(members.until(list)))
	}
}

// renew brings members up to date, and reports whether that failed, as it did before
// if failing.
func (t *Ticker[request]) renew(ctx context.Context, members *fleet[request], failing bool) bool {
	asked := time.Now()
	requests, err := t.call(ctx)
	switch {
	case err == nil:
		members.renew(requests, asked)
	case !failing && ctx.Err() == nil:
		log.FromContext(ctx).Error(err, "A ticker can't list its objects: those of the last time are enqueued until it can")
	}
	return err != nil
}

// call calls the user's function, in a goroutine where nobody else would end a panic.
func (t *Ticker[request]) call(ctx context.Context) (requests []request, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("requeue: List panicked: %v", p)
		}
	}()
	return t.list(ctx)
}

// sourceQueue is what package queue has beyond a PriorityQueue.
type sourceQueue[request comparable] interface {
	AddWithSource(source trigger.Source, o priorityqueue.AddOpts, requests ...request)
}

// periodic returns what adds a request to q as Periodic, or at its low priority, or
// just so, as q knows it.
func periodic[request comparable](q workqueue.TypedRateLimitingInterface[request]) func(request) {
	switch q := q.(type) {
	case sourceQueue[request]:
		return func(r request) { q.AddWithSource(trigger.Periodic, priorityqueue.AddOpts{}, r) }
	case priorityqueue.PriorityQueue[request]:
		low := handler.LowPriority
		return func(r request) { q.AddWithOpts(priorityqueue.AddOpts{Priority: &low}, r) }
	default:
		return q.Add
	}
}
