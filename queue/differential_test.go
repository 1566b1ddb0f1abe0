package queue_test

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/trimtab/trimtab/queue"
	"github.com/trimtab/trimtab/trigger"
)

// sequences is how many random sequences a test plays: 1000, or what the variable
// says. make compat plays 100,000 of the differential test on each minor.
func sequences(t *testing.T, variable string) int {
	t.Helper()
	s := os.Getenv(variable)
	if s == "" {
		return 1000
	}
	n, err := strconv.Atoi(s)
	require.NoError(t, err)
	return n
}

// For random sequences of adds, gets, dones, forgets and clock steps, our queue
// delivers what controller-runtime's does, with the same priority at the same
// time, if controller-runtime's is told the priority that the source of an add
// has, and a requeue gets of us by design.
func TestDeliversAsControllerRuntimes(t *testing.T) {
	t.Parallel()
	n, workers := sequences(t, "TRIMTAB_QUEUE_SEQUENCES"), runtime.GOMAXPROCS(0)
	for w := range workers {
		t.Run(fmt.Sprint("part ", w), func(t *testing.T) {
			t.Parallel()
			for seed := w; seed < n; seed += workers {
				compareSequence(t, seed)
			}
		})
	}
}

// compareSequence plays the sequence of a seed on both queues, step by step.
func compareSequence(t *testing.T, seed int) {
	t.Helper()
	ops := randomOps(rand.New(rand.NewPCG(uint64(seed), 1)), 60)
	differ := ""
	synctest.Test(t, func(*testing.T) { differ = play(ops) })
	if differ != "" {
		t.Fatalf("seed %d: deliveries differ\n%s", seed, differ)
	}
}

// side is one of the two queues, and how it is told what the other infers.
type side struct {
	priorityqueue.PriorityQueue[string]
	// event adds what a handler of that source would.
	event func(source trigger.Source, o priorityqueue.AddOpts, key string)
	// requeue adds what a controller without a chain would.
	requeue func(o priorityqueue.AddOpts, key string)
	// end ends a run with a chain, Done aside.
	end func(key string, popped int, result reconcile.Result, err error)
}

func newTheirs() side {
	q := priorityqueue.New("", func(o *priorityqueue.Opts[string]) { o.RateLimiter = steps() })
	told := func(source trigger.Source, o priorityqueue.AddOpts, key string) {
		if o.Priority == nil {
			o.Priority = ptr(queue.DefaultPriority(source))
		}
		q.AddWithOpts(o, key)
	}
	return side{PriorityQueue: q, event: told, requeue: func(o priorityqueue.AddOpts, key string) {
		source := trigger.Periodic
		if o.RateLimited {
			source = trigger.Retry
		}
		o.Priority = nil
		told(source, o, key)
	}, end: func(key string, _ int, result reconcile.Result, err error) {
		switch {
		case errors.Is(err, reconcile.TerminalError(nil)):
			q.Forget(key)
		case err != nil:
			told(trigger.Retry, priorityqueue.AddOpts{RateLimited: true, Priority: result.Priority}, key)
		case result.RequeueAfter > 0:
			q.Forget(key)
			told(trigger.Periodic, priorityqueue.AddOpts{After: result.RequeueAfter, Priority: result.Priority}, key)
		default:
			q.Forget(key)
		}
	}}
}

func newOurs() side {
	q := queue.New("", queue.Options[string]{RateLimiter: steps(), DisableAgeing: true})
	event := func(source trigger.Source, o priorityqueue.AddOpts, key string) {
		if source == trigger.Primary { // Most handlers are not tagged.
			q.AddWithOpts(o, key)
			return
		}
		q.AddWithSource(source, o, key)
	}
	return side{PriorityQueue: q, event: event, requeue: func(o priorityqueue.AddOpts, key string) {
		q.AddWithOpts(o, key)
	}, end: func(key string, popped int, result reconcile.Result, err error) {
		q.Running(key)
		q.Report(key, queue.Outcome{Result: result, Err: err})
		if !errors.Is(err, reconcile.TerminalError(nil)) {
			answer(q, key, popped, result, err)
		}
	}}
}

func steps() workqueue.TypedRateLimiter[string] {
	return workqueue.NewTypedItemExponentialFailureRateLimiter[string](10*time.Millisecond, time.Second)
}

// op is one operation. What it is done with comes from the history of deliveries,
// so that the same operations are possible on both queues.
type op struct {
	kind     string
	key      string
	after    time.Duration
	limited  bool
	priority *int
	source   trigger.Source
	nth      int
}

type opList []op

func (l opList) String() string {
	var b strings.Builder
	for _, o := range l {
		p := "nil"
		if o.priority != nil {
			p = strconv.Itoa(*o.priority)
		}
		fmt.Fprintf(&b, "%s %s of %s after=%s limited=%t priority=%s nth=%d\n", o.kind, o.key, o.source, o.after, o.limited, p, o.nth)
	}
	return b.String()
}

func randomOps(r *rand.Rand, n int) opList {
	ops := make(opList, n)
	for i := range ops {
		o := op{key: string(rune('a' + r.IntN(6))), nth: r.IntN(4)}
		switch k := r.IntN(20); {
		case k < 8:
			o.kind = "add"
			if r.IntN(3) > 0 {
				o.after = time.Duration(r.IntN(6)-1) * 50 * time.Millisecond
			}
			o.limited = r.IntN(4) == 0
			if r.IntN(2) == 0 {
				o.priority = ptr([]int{-100, -20, -10, 0, 10}[r.IntN(5)])
			}
			if r.IntN(3) == 0 {
				o.source = trigger.Source(r.IntN(trigger.Count))
			}
		case k < 13:
			o.kind = "get"
		case k < 14:
			o.kind = "requeue"
			o.limited = r.IntN(2) == 0
			o.after = 50 * time.Millisecond
		case k < 15:
			o.kind = "end"
			o.after = 50 * time.Millisecond
			if r.IntN(4) == 0 {
				o.priority = ptr(r.IntN(3) * 10)
			}
		case k < 17:
			o.kind = "done"
		case k < 18:
			o.kind = "forget"
		default:
			o.kind = "sleep"
			o.after = time.Duration(1+r.IntN(5)) * 40 * time.Millisecond
		}
		ops[i] = o
	}
	return ops
}

// play lets both queues do ops in step, and returns where they differ, or "".
func play(ops opList) string {
	theirs, ours := newPlayer(newTheirs()), newPlayer(newOurs())
	both := []*player{theirs, ours}
	step := func(o op) bool {
		for _, p := range both {
			p.play(o)
		}
		if o.kind == "sleep" {
			time.Sleep(o.after)
		}
		synctest.Wait()
		theirs.collect()
		ours.collect()
		return slices.Equal(theirs.log, ours.log) && theirs.q.Len() == ours.q.Len()
	}
	differ := ""
	for i, o := range slices.Concat(ops, drain3) {
		if !step(o) {
			differ = fmt.Sprintf("operations:\n%s\nlength %d, ours %d\n%s", ops[:min(i+1, len(ops))], theirs.q.Len(), ours.q.Len(), diff(theirs.log, ours.log))
			break
		}
	}
	for _, p := range both {
		p.q.ShutDown()
	}
	synctest.Wait()
	return differ
}

// drain3 takes out everything that is queued, by three workers.
var drain3 = func() opList {
	round := opList{{kind: "done"}, {kind: "done"}, {kind: "done"}, {kind: "get"}, {kind: "get"}, {kind: "get"}, {kind: "sleep", after: 2 * time.Second}}
	return slices.Concat(round, round, round, round)
}()

// delivery is one request that a queue gave to a worker.
type delivery struct {
	at       time.Duration
	key      string
	priority int
}

type player struct {
	q       side
	start   time.Time
	log     []delivery
	held    []string       // in flight
	popped  map[string]int // their priorities
	ended   []string       // those of held that were requeued once
	got     chan delivery
	workers int // that wait
}

func newPlayer(q side) *player {
	return &player{q: q, start: time.Now(), popped: map[string]int{}, got: make(chan delivery, 100)}
}

func (p *player) play(o op) {
	held := len(p.held) > 0
	var key string
	if held {
		key = p.held[o.nth%len(p.held)]
	}
	switch o.kind {
	case "add":
		p.add(o)
	case "requeue":
		if held && !slices.Contains(p.ended, key) {
			opts := priorityqueue.AddOpts{RateLimited: o.limited, Priority: ptr(p.popped[key])}
			if !o.limited {
				opts.After = o.after
			}
			p.ended = append(p.ended, key)
			p.q.requeue(opts, key)
		}
	case "end":
		if held && !slices.Contains(p.ended, key) {
			p.ended = append(p.ended, key)
			err := []error{nil, errBroken, reconcile.TerminalError(errBroken), nil}[o.nth]
			p.q.end(key, p.popped[key], reconcile.Result{RequeueAfter: o.after, Priority: o.priority}, err)
		}
	case "get":
		if p.workers < 3 {
			p.get()
		}
	case "done":
		if held {
			p.done(key)
		}
	case "forget":
		p.q.Forget(o.key)
	}
}

// add adds an event. One that is just like the requeue of a run in flight, and that
// nobody could tell from it, is left out.
func (p *player) add(o op) {
	popped, held := p.popped[o.key]
	like := o.source == trigger.Primary && o.priority != nil && *o.priority == popped && (o.limited || o.after > 0)
	if held && like && !slices.Contains(p.ended, o.key) {
		return
	}
	p.q.event(o.source, priorityqueue.AddOpts{After: o.after, RateLimited: o.limited, Priority: o.priority}, o.key)
}

func (p *player) get() {
	p.workers++
	go func() {
		if key, priority, shutdown := p.q.GetWithPriority(); !shutdown {
			p.got <- delivery{time.Since(p.start), key, priority}
		}
	}()
}

func (p *player) done(key string) {
	p.q.Done(key)
	delete(p.popped, key)
	same := func(k string) bool { return k == key }
	p.held = slices.DeleteFunc(p.held, same)
	p.ended = slices.DeleteFunc(p.ended, same)
}

// collect logs what was delivered.
func (p *player) collect() {
	first := len(p.log)
	for len(p.got) > 0 {
		p.log = append(p.log, <-p.got)
		p.workers--
	}
	batch := p.log[first:]
	// Which of two waiting workers runs first is no property of a queue.
	slices.SortFunc(batch, func(a, b delivery) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.key, b.key))
	})
	for _, d := range batch {
		p.held = append(p.held, d.key)
		p.popped[d.key] = d.priority
	}
}

// diff returns the two logs side by side up to where they part.
func diff(want, got []delivery) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-40s %s\n", "controller-runtime's", "ours")
	line := func(log []delivery, i int) string {
		if i >= len(log) {
			return ""
		}
		return fmt.Sprintf("%9s %s priority=%d", log[i].at, log[i].key, log[i].priority)
	}
	for i := range max(len(want), len(got)) {
		w, g := line(want, i), line(got, i)
		fmt.Fprintf(&b, "%-40s %s\n", w, g)
		if w != g {
			break
		}
	}
	return b.String()
}
