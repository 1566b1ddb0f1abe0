package queue

import (
	"cmp"
	"math"
	"sync"
	"time"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"

	"github.com/trimtab/trimtab/trigger"
)

// Queue is a priorityqueue.PriorityQueue that knows what caused each request.
// Make one with New. It is safe for concurrent use. Until ShutDown it may hold a
// timer, never a goroutine.
//
// Requests are one if they are equal by ==: let T be a small value that says which
// object is meant. With pointers, two for one object are two requests, which run at
// the same time, and keep alive what they point to. What is not equal to itself, such
// as a floating-point NaN, must not be in a request: its run would never end.
type Queue[T comparable] struct {
	name     string
	opts     Options[T]
	limiter  workqueue.TypedRateLimiter[T]
	disown   func() // gives limiter back
	observer Observer
	series   *series   // nil if there are none
	start    time.Time // all durations of the queue count from here

	mu      sync.Mutex
	work    sync.Cond // there may be something to hand out, or the end has come
	drained sync.Cond // nothing is ready or in flight any more

	items   table[T] // every item, queued or in flight
	extras  extras[T]
	groups  groups[T]
	ready   standing[T]
	delayed heap[*item[T]]
	resting heap[*item[T]]
	holding holding
	flight  flight[T]
	failing failing[T]
	loops   hotLoops[T]
	classes classes
	turns   int    // deliveries since the aged line last had one, while it waits
	seq     uint64 // of the item that joined its priority last

	timer *time.Timer   // wakes the first delayed item
	wake  time.Duration // when the timer fires; zero if it is not set

	asked     bool          // a worker asked for work at least once
	askedAt   time.Duration // when it first did
	waiting   int           // calls of Get that have not returned
	limit     int           // the peak of waiting and in flight
	overSince time.Duration // since when the queue is not keeping up, or never
	hot       hotList[T]

	closed   bool
	draining bool
}

// never is the time of what is not the case.
const never time.Duration = math.MaxInt64

// New returns an empty queue for the controller of that name. It panics with the
// error of Validate if an option is impossible.
func New[T comparable](name string, opts Options[T]) *Queue[T] {
	if err := opts.Validate(); err != nil {
		panic(err)
	}
	q := &Queue[T]{
		name:      name,
		opts:      opts,
		observer:  opts.Observer,
		series:    newSeries(name, opts.MetricsProvider, opts.Log),
		start:     time.Now(),
		delayed:   itemHeap((*item[T]).sooner),
		resting:   itemHeap((*item[T]).sooner),
		overSince: never,
		loops:     newHotLoops[T](opts.DisableHotLoop, opts.HotLoopDelay),
		hot:       newHotList[T](),
	}
	q.items = newTable(q.moved)
	q.ready = newStanding(&q.items)
	q.work.L, q.drained.L = &q.mu, &q.mu
	q.own(opts.RateLimiter)
	if q.observer == nil {
		q.observer = nobody{}
	}
	q.opts.SaturationDepth = cmp.Or(opts.SaturationDepth, DefaultSaturationDepth)
	q.opts.MaxWait = cmp.Or(opts.MaxWait, DefaultMaxWait)
	q.opts.AgedShare = cmp.Or(opts.AgedShare, DefaultAgedShare)
	q.opts.DebounceMax = cmp.Or(opts.DebounceMax, debounceMax(opts.Debounce))
	q.holding.on = opts.Debounce > 0 || opts.HoldBackoff != 0 || q.rests()
	return q
}

var _ priorityqueue.PriorityQueue[int] = (*Queue[int])(nil)

// Name returns the name that the queue was made with.
func (q *Queue[T]) Name() string { return q.name }

// GetWithPriority waits for a request and returns it with its priority. The
// caller owns the request until Done. After ShutDown it returns true at once.
func (q *Queue[T]) GetWithPriority() (request T, priority int, shutdown bool) {
	r, ok := q.take()
	if !ok {
		return request, 0, true
	}
	if q.opts.Observer != nil { // else nobody needs the times
		q.observer.Delivered(q.info(&r))
	}
	return r.key, r.priority, false
}

// Get is GetWithPriority without the priority.
func (q *Queue[T]) Get() (request T, shutdown bool) {
	request, _, shutdown = q.GetWithPriority()
	return request, shutdown
}

// Done ends the run of request, which may now be handed out again. For a
// request that is not in flight it does nothing.
func (q *Queue[T]) Done(request T) {
	renewed, hot := q.end(request)
	if renewed {
		q.observer.Added(trigger.Periodic, false)
	}
	if hot > 0 {
		q.tellHotLoop(request, hot)
	}
}

// end ends the run of request. It reports whether it gave the next one a time, and
// how many runs have just made a hot loop of it.
func (q *Queue[T]) end(request T) (renewed bool, hot int) {
	q.mu.Lock()
	defer q.unlock()
	it, r := q.inFlight(request)
	if r == nil {
		return false, 0
	}
	now := q.now()
	hot = q.loops.ended(it, now)
	renewed = it.place == nowhere && r.renew && q.opts.MaxInterval > 0 && !q.closed
	rest := q.restFor(it)
	if rest > 0 {
		q.promote(now) // It may be due itself, behind its own run.
	}
	q.land(it, now)
	if rest > 0 && !q.closed {
		if renewed {
			q.renew(it, now)
		}
		q.rest(it, now, rest)
		return renewed, hot
	}
	switch it.place {
	case parked:
		q.promote(now) // What became ready before it stands before it.
		q.extras.of(it).ownRun = now - it.due
		q.setReady(it, now)
	case nowhere:
		if renewed {
			q.renew(it, now)
		} else {
			q.release(it)
		}
	default: // It waits for its time.
	}
	if q.draining && !q.unfinished() {
		q.work.Broadcast()
		q.drained.Broadcast()
	}
	return renewed, hot
}

// renew lets it, which nothing else is to run, run again after MaxInterval.
func (q *Queue[T]) renew(it *item[T], now time.Duration) {
	q.addNew(it, decision{source: trigger.Periodic, priority: DefaultPriority(trigger.Periodic)}, now, q.opts.MaxInterval)
}

// Len returns the number of requests that are ready. Those that wait for their
// time are not counted; those that stand behind their own running reconcile are,
// as in controller-runtime's queue.
func (q *Queue[T]) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.ready.len + q.flight.parked
}

// ShutDown ends the queue: every Get returns, and what is queued is dropped, as
// is what is added from now on. A second call does nothing.
func (q *Queue[T]) ShutDown() {
	q.mu.Lock()
	defer q.unlock()
	q.close()
	q.draining = false
	q.drop()
	q.series.end()
	q.drained.Broadcast()
}

// ShutDownWithDrain ends the queue once all that is ready or in flight is done;
// what waits for its time is dropped, also if only MinInterval, Debounce, HoldBackoff
// or HotLoopDelay makes it wait, as is what is added from now on. It returns
// when the last request is Done, or when ShutDown is called meanwhile.
func (q *Queue[T]) ShutDownWithDrain() {
	q.mu.Lock()
	defer q.unlock()
	if q.closed && !q.draining {
		return
	}
	q.draining = true
	q.close()
	for q.draining && q.unfinished() {
		q.drained.Wait()
	}
	q.series.end()
}

// ShuttingDown reports whether ShutDown or ShutDownWithDrain was called.
func (q *Queue[T]) ShuttingDown() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.closed
}

// take waits for a request and starts its run, of which it returns a copy: a stray
// Done may end the run at any moment. It returns false at the end.
func (q *Queue[T]) take() (run[T], bool) {
	q.mu.Lock()
	defer q.unlock()
	q.enter()
	defer func() { q.waiting-- }()
	for {
		if q.closed && (!q.draining || !q.unfinished()) {
			return run[T]{}, false
		}
		now := q.now()
		q.advance(now)
		if it := q.next(now); it != nil {
			return *q.begin(it, now), true
		}
		q.idle()
	}
}

// next returns the item to hand out at now, or nil. Of AgedShare deliveries, while
// there are aged items, one goes to the item that has waited for longest.
func (q *Queue[T]) next(now time.Duration) *item[T] {
	first := q.ready.first()
	if first == nil || q.opts.DisableAgeing {
		return first
	}
	oldest := q.ready.oldest()
	if oldest == first || now-max(oldest.free(), q.askedAt) < q.opts.MaxWait {
		q.turns = 0
		return first
	}
	q.turns++
	if q.turns < q.opts.AgedShare {
		return first
	}
	q.turns = 0
	return oldest
}

// begin starts the run of it.
func (q *Queue[T]) begin(it *item[T], now time.Duration) *run[T] {
	q.ready.take(it)
	it.place = nowhere
	r := q.flight.begin(it, q.classes.name(it.lastClass), now, q.askedAt)
	q.extras.of(it).run = r
	q.picked(r, now)
	g := it.group
	g.running++
	if g.running == q.opts.MaxPerGroup { // Zero is none that has a run.
		q.ready.fill(g)
	}
	q.watchDepth(now)
	return r
}

// land ends the run of it at now.
func (q *Queue[T]) land(it *item[T], now time.Duration) {
	r := it.run()
	it.extra.run = nil
	q.extras.tidy(it)
	q.finished(r, now)
	q.hot.ran(r, now)
	if r.exited { // Its worker, which counted up to now.
		q.limit = max(0, q.limit-1)
	}
	q.flight.end(r)
	g := it.group
	g.running--
	if g.full {
		q.ready.unfill(g)
		q.watchDepth(now)
	}
	if q.opts.MaxPerGroup > 0 { // Each end makes room for one, also before a worker has come for the last.
		q.work.Signal()
	}
}

// release forgets it, which is neither queued nor in flight.
func (q *Queue[T]) release(it *item[T]) {
	if g := it.group; q.groups.leave(g) {
		q.ready.disband(g)
	}
	q.unhold(it)
	q.extras.takeBack(it)
	q.items.release(it)
}

// inFlight returns the item of request and its run, which is nil if none is in flight.
func (q *Queue[T]) inFlight(request T) (it *item[T], r *run[T]) {
	if it = q.items.find(request); it != nil {
		r = it.run()
	}
	return it, r
}

// enter counts a Get that waits. Several workers wait or work at once, so the
// peak of both is how many there are, whatever the options said.
func (q *Queue[T]) enter() {
	if !q.asked {
		q.asked, q.askedAt = true, q.now()
	}
	q.waiting++
	q.limit = max(q.limit, q.waiting+q.flight.len)
}

// info describes the delivery of r. What was added before a worker first asked
// counts from then on: a warm standby is not late.
func (q *Queue[T]) info(r *run[T]) trigger.Info {
	since := func(d time.Duration) time.Time { return q.start.Add(max(d, r.asked)) }
	return trigger.Info{
		Sources:   r.sources,
		LastClass: r.lastClass,
		Priority:  r.priority,
		Added:     since(r.added),
		Ready:     since(r.ready),
		OwnRun:    r.ownRun,
		Caused:    since(r.caused),
		Started:   q.start.Add(r.started),
	}
}

// setReady puts it, which is in no lane or heap, where ready items stand.
func (q *Queue[T]) setReady(it *item[T], now time.Duration) {
	counted := q.holding.on && q.settle(it)
	if it.place != parked {
		q.series.ready(it.priority, counted)
	}
	if it.run() != nil {
		it.place = parked
		q.flight.parked++
		return
	}
	if it.place == parked {
		q.flight.parked--
	}
	it.place = ready
	q.ready.push(it)
	q.watchDepth(now)
	q.work.Signal()
}

// setDelayed puts it, which is in no lane or heap, among the delayed.
func (q *Queue[T]) setDelayed(it *item[T], now time.Duration) {
	it.place = delayed
	q.delayed.push(it)
	q.arm(now)
}

// promote makes every delayed item ready whose time has come. They queue up in
// the order of their times.
func (q *Queue[T]) promote(now time.Duration) {
	for {
		it := q.delayed.top()
		if it == nil || it.due > now {
			return
		}
		q.delayed.remove(0)
		it.place, it.seq = nowhere, q.nextSeq()
		it.due -= it.ownRun() // The time behind its own run is no delay, though that was held on to.
		q.setReady(it, now)
	}
}

// arm sets the timer for the first delayed or resting item, unless it fires before.
func (q *Queue[T]) arm(now time.Duration) {
	wake := q.nextWake()
	if wake == never || q.closed || q.wake != 0 && q.wake <= wake {
		return
	}
	q.wake = max(1, wake)
	if q.timer == nil {
		q.timer = time.AfterFunc(wake-now, q.onTimer)
	} else {
		q.timer.Reset(wake - now)
	}
}

func (q *Queue[T]) onTimer() {
	q.mu.Lock()
	defer q.unlock()
	if q.closed {
		return
	}
	q.wake = 0
	now := q.now()
	q.advance(now)
	q.arm(now)
}

// advance does what the timer does at now.
func (q *Queue[T]) advance(now time.Duration) {
	q.promote(now)
	q.sweep(now)
}

// watchDepth keeps since when more is ready than the threshold. What only a resync
// caused is not counted: nobody waits for it. Nor is what a full group holds back:
// more workers would not help it.
func (q *Queue[T]) watchDepth(now time.Duration) {
	over := q.asked && q.ready.urgent > q.opts.SaturationDepth
	switch {
	case !over:
		q.overSince = never
	case q.overSince == never:
		q.overSince = now
	}
}

func (q *Queue[T]) close() {
	q.closed = true
	if q.timer != nil {
		q.timer.Stop()
	}
	q.abandon(&q.delayed)
	q.abandon(&q.resting)
	q.failing.clear() // Nothing is retried any more.
	q.disown()
	q.work.Broadcast()
}

// abandon forgets the items of h, in which they wait for a time.
func (q *Queue[T]) abandon(h *heap[*item[T]]) {
	for h.len() > 0 {
		last := h.len() - 1 // It leaves without a search for its successor.
		it := h.elems[last]
		h.remove(last)
		if it.place = nowhere; it.run() == nil {
			q.release(it)
		}
	}
}

// drop forgets all that is ready. Metrics may hold on to a queue that has ended;
// what is in flight ends with its Done.
func (q *Queue[T]) drop() {
	old := q.items
	q.items, q.groups, q.ready = newTable(q.moved), groups[T]{}, newStanding(&q.items)
	q.extras = extras[T]{}
	for was := range old.all {
		if r := was.run(); r != nil {
			it := q.items.obtain(was.key)
			q.extras.of(it).run = r
			it.group = q.groups.join(was.group.nameIf(q.opts.Group != nil))
			it.group.running++
		}
	}
	q.flight.parked = 0
	q.overSince = never
	q.loops = hotLoops[T]{}
	q.holding.spare = spares[hold]{}
}

// moved mends what refers to an item that has moved, and what it refers to itself.
func (q *Queue[T]) moved(to *item[T], forward func(ref) ref) {
	switch to.place {
	case delayed:
		q.delayed.elems[to.index()] = to
	case resting:
		q.resting.elems[to.index()] = to
	case ready:
		q.ready.lane(to.group, to.priority).moved(to, forward)
	default: // Nothing refers to it.
	}
}

func (q *Queue[T]) unfinished() bool { return q.ready.len > 0 || q.flight.len > 0 }

func (q *Queue[T]) now() time.Duration { return time.Since(q.start) }

func (q *Queue[T]) nextSeq() uint64 {
	q.seq++
	return q.seq
}
