package queue_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/trimtab/trimtab/queue"
	"github.com/trimtab/trimtab/trigger"
)

// FuzzQueue drives a queue and the model by bytes. Beside their being alike:
// nothing is lost, nothing is in flight twice, nothing comes without an add.
func FuzzQueue(f *testing.F) {
	for kind := range byte(operations) {
		f.Add([]byte{kind, kind, 0, 0, 0, kind, 1, 1, 7, 0, 0, kind, 1, 2, 12, 0, 3})
	}
	f.Fuzz(func(t *testing.T, data []byte) { compare(t, data[:min(len(data), 600)]) })
}

// compare lets a queue and the model do what data says: two bytes for their
// rules, and three for each operation.
func compare(t *testing.T, data []byte) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var r rules
		if len(data) > 1 {
			r, data = rulesOf(data[0], data[1]), data[2:]
		}
		d := &duel{t: t, start: time.Now(), model: newModel(r), observer: &recorder{}, owed: map[string]bool{}}
		o := r.options()
		o.Observer = d.observer
		d.queue = queue.New("test", o)
		d.note("%+v", r)
		for ; len(data) >= 3; data = data[3:] {
			d.operate(data[0], data[1], data[2])
			d.check()
		}
		d.finish()
	})
}

// duel is a queue and the model of it.
type duel struct {
	t        *testing.T
	start    time.Time
	queue    *queue.Queue[string]
	model    *model
	observer *recorder
	owed     map[string]bool // added since it was last delivered
	trace    []string
}

func (d *duel) note(format string, args ...any) {
	d.trace = append(d.trace, fmt.Sprintf("%9s ", time.Since(d.start))+fmt.Sprintf(format, args...))
}

func (d *duel) fail(what string, want, got any) {
	d.t.Helper()
	d.t.Fatalf("%s\nmodel: %+v\nqueue: %+v\nafter:\n%s", what, want, got, strings.Join(d.trace, "\n"))
}

const operations = 14

// operate does one operation; x and y say to what, and with what.
func (d *duel) operate(kind, x, y byte) {
	key := string(rune('a' + x%5))
	switch kind % operations {
	case 0, 1:
		d.add(trigger.Primary, false, options(x/5, y), key)
	case 2, 3:
		d.add(trigger.Source(x/5%6), true, options(x/30, y), key)
	case 4:
		o := options(x/5, y)
		o.RateLimited = true
		d.add(trigger.Primary, false, o, key)
	case 5, 6, 7:
		d.get()
	case 8:
		if key, ok := d.inFlight(x); ok {
			d.note("running %s", key)
			d.queue.Running(key)
			d.model.flight[key].chained = true
		}
	case 9:
		if key, ok := d.inFlight(x); ok {
			d.report(key, x/5, y)
		}
	case 10:
		if key, ok := d.inFlight(x); ok {
			d.answer(key, y)
		}
	case 11:
		if y%4 > 0 { // else a key that may not be in flight
			key, _ = d.inFlight(x)
		}
		d.done(key)
	case 12:
		d.sleep([]time.Duration{0, 1, 10 * ms, 20 * ms, 40 * ms, time.Second, time.Hour}[y%7])
	case 13:
		d.note("forget %s", key)
		d.queue.Forget(key)
		d.model.forget(key)
	}
}

func options(x, y byte) priorityqueue.AddOpts {
	return priorityqueue.AddOpts{
		After:    []time.Duration{0, 0, 0, 10 * ms, 20 * ms, 50 * ms, -1, time.Minute}[y%8],
		Priority: []*int{nil, nil, ptr(-100), ptr(-20), ptr(-10), ptr(0), ptr(3)}[x%7],
	}
}

func (d *duel) add(source trigger.Source, tagged bool, o priorityqueue.AddOpts, key string) {
	p := "none"
	if o.Priority != nil {
		p = fmt.Sprint(*o.Priority)
	}
	d.note("add %s of %s, tagged %t, after %s, limited %t, priority %s", key, source, tagged, o.After, o.RateLimited, p)
	if tagged {
		d.queue.AddWithSource(source, o, key)
	} else {
		d.queue.AddWithOpts(o, key)
	}
	if d.model.add(source, tagged, o, key) {
		d.owed[key] = true
	}
}

func (d *duel) get() {
	want := d.model.get()
	if want == nil {
		return
	}
	d.note("get %s", want.key)
	key, priority, shutdown := d.queue.GetWithPriority()
	if key != want.key || priority != want.priority || shutdown {
		d.fail("delivered", *want, fmt.Sprint(key, " ", priority, " ", shutdown))
	}
	if !d.owed[key] {
		d.fail("delivered without an add", "", key)
	}
	delete(d.owed, key)
	if want, got := d.model.info(want, d.start), d.observer.last(d.t); !equal(want, got) {
		d.fail("info", want, got)
	}
}

// equal compares what is known of two deliveries.
func equal(a, b trigger.Info) bool {
	times := a.Added.Equal(b.Added) && a.Ready.Equal(b.Ready) && a.Caused.Equal(b.Caused) && a.Started.Equal(b.Started)
	return times && a.Sources == b.Sources && a.Priority == b.Priority && a.OwnRun == b.OwnRun && a.Attempt == b.Attempt
}

func (d *duel) inFlight(x byte) (string, bool) {
	keys := d.model.running()
	if len(keys) == 0 {
		return "nothing", false
	}
	return keys[int(x)%len(keys)], true
}

// report does what a chain does before a run returns.
func (d *duel) report(key string, x, y byte) {
	o := outcome(x, y)
	d.note("report %s: %+v", key, o)
	d.queue.Report(key, o)
	r := d.model.flight[key]
	r.chained, r.answered = true, false
	r.expected, r.own = nil, o.Result.Priority != nil
	priority := r.priority
	if r.own {
		priority = *o.Result.Priority
	}
	switch {
	case o.Err == errTerminal: //nolint:errorlint // That very error.
		delete(d.model.fails, key)
	case o.Err != nil, o.Result.Requeue: //nolint:staticcheck // Deprecated, and still in use.
		r.expected = &priorityqueue.AddOpts{RateLimited: true, Priority: &priority}
	case o.Result.RequeueAfter > 0:
		r.expected = &priorityqueue.AddOpts{After: o.Result.RequeueAfter, Priority: &priority}
	}
	d.model.reported(key, o)
}

var errTerminal = reconcile.TerminalError(errBroken)

func outcome(x, y byte) queue.Outcome {
	var o queue.Outcome
	switch x % 6 {
	case 0:
		o.Err = errBroken
	case 1:
		o.Err = errTerminal
	case 2:
		o.Result.Requeue = true //nolint:staticcheck // Deprecated, and still in use.
	case 3, 4:
		o.Result.RequeueAfter = []time.Duration{10 * ms, 50 * ms, time.Minute}[y%3]
	}
	if y%5 == 0 {
		o.Result.Priority = ptr(int(y%2) * 3)
	}
	o.Object, o.Stopped = learned(x/6, y), y%13 == 0
	return o
}

// answer does what the controller then does, or what it would do without a chain.
func (d *duel) answer(key string, y byte) {
	r := d.model.flight[key]
	switch {
	case r.expected != nil:
		d.add(trigger.Primary, false, *r.expected, key)
	case y%2 == 0:
		d.add(trigger.Primary, false, priorityqueue.AddOpts{RateLimited: true, Priority: &r.priority}, key)
	default:
		d.add(trigger.Primary, false, priorityqueue.AddOpts{After: 10 * ms, Priority: &r.priority}, key)
	}
}

func (d *duel) done(key string) {
	d.note("done %s", key)
	d.queue.Done(key)
	if d.model.done(key) {
		d.owed[key] = true
	}
}

func (d *duel) sleep(by time.Duration) {
	d.note("sleep %s", by)
	sleep(by)
	d.model.sleep(by)
}

// check compares every count.
func (d *duel) check() {
	d.t.Helper()
	s := d.queue.Snapshot()
	want := queue.Snapshot[string]{ByPriority: map[int]int{}, Running: len(d.model.flight), Workers: s.Workers, Hot: s.Hot, Busiest: s.Busiest}
	want.NextDue = time.Hour * 1e6
	length := 0
	var oldest time.Duration
	for _, it := range d.model.queued {
		switch {
		case !it.ready:
			want.Delayed++
			want.NextDue = min(want.NextDue, it.due-d.model.now)
			continue
		case d.model.flight[it.key] == nil:
			strongest, _ := it.sources.Strongest()
			want.Depth[strongest]++
			want.ByPriority[it.priority]++
			if d.model.asked != unasked {
				oldest = max(oldest, d.model.now-max(d.model.asked, it.due+it.ownRun))
			}
		}
		length++
	}
	if want.Delayed == 0 {
		want.NextDue = 0
	}
	for key, r := range d.model.flight {
		want.Runs = append(want.Runs, queue.Run[string]{Request: key, Sources: r.sources, Age: d.model.now - r.started})
	}
	byRequest := func(a, b queue.Run[string]) int { return cmp.Compare(a.Request, b.Request) }
	if !slices.IsSortedFunc(s.Runs, func(a, b queue.Run[string]) int { return cmp.Compare(b.Age, a.Age) }) {
		d.fail("runs", "the longest first", s.Runs)
	}
	slices.SortFunc(want.Runs, byRequest)
	slices.SortFunc(s.Runs, byRequest)
	if d.model.over != unasked {
		want.OverFor = d.model.now - d.model.over
	}
	if s.Depth != want.Depth || s.Delayed != want.Delayed || s.NextDue != want.NextDue || !maps.Equal(s.ByPriority, want.ByPriority) || s.Running != want.Running || !slices.Equal(s.Runs, want.Runs) || s.OverFor != want.OverFor {
		d.fail("snapshot", want, s)
	}
	if s.OldestWaiting > oldest || s.OldestWaiting < 0 { // less if the oldest was raised or parked
		d.fail("oldest waiting", oldest, s.OldestWaiting)
	}
	if got := d.queue.Len(); got != length {
		d.fail("length", length, got)
	}
	for key, n := range d.model.fails {
		if got := d.queue.NumRequeues(key); got != n {
			d.fail("failures of "+key, n, got)
		}
	}
	if !slices.Equal(d.model.added, d.observer.added) {
		d.fail("observer, added", d.model.added, d.observer.added)
	}
	if !slices.Equal(d.model.requeued, d.observer.requeued) {
		d.fail("observer, requeued", d.model.requeued, d.observer.requeued)
	}
	if d.model.failureResets != d.observer.resets || d.model.gaveUp != d.observer.gaveUp || len(d.model.failing) != d.queue.Failing() {
		d.fail("failures: resets, given up, records",
			[]int{d.model.failureResets, d.model.gaveUp, len(d.model.failing)},
			[]int{d.observer.resets, d.observer.gaveUp, d.queue.Failing()})
	}
	d.model.added, d.observer.added = nil, nil
	d.model.requeued, d.observer.requeued = nil, nil
}

// finish delivers what is left: each key that was added must come.
func (d *duel) finish() {
	d.t.Helper()
	for len(d.model.queued)+len(d.model.flight) > 0 {
		for _, key := range d.model.running() {
			d.done(key)
		}
		d.sleep(2 * time.Hour)
		for d.model.servable() {
			d.get()
		}
		d.check()
	}
	if len(d.owed) > 0 {
		d.fail("lost", d.owed, "")
	}
	d.queue.ShutDown()
}
