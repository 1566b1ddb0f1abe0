package queue_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"

	"github.com/trimtab/trimtab/queue"
)

// sequences is how many random sequences the differential test compares. Set
// TRIMTAB_QUEUE_SEQUENCES to run more of them once.
func sequences(t *testing.T) int {
	t.Helper()
	if s := os.Getenv("TRIMTAB_QUEUE_SEQUENCES"); s != "" {
		n, err := strconv.Atoi(s)
		require.NoError(t, err)
		return n
	}
	return 1500
}

// For random sequences of adds, gets, dones, forgets and clock steps, our queue
// delivers what controller-runtime's does, with the same priority at the same
// time. Adds of a key in flight are kept apart from echoes by a priority that no
// run was popped with: an echo has a priority of its own here, by design.
func TestDeliversAsControllerRuntimes(t *testing.T) {
	t.Parallel()
	for seed := range sequences(t) {
		ops := randomOps(rand.New(rand.NewPCG(uint64(seed), 1)), 60)
		var want, got []string
		synctest.Test(t, func(*testing.T) { want = play(ops, newTheirs()) })
		synctest.Test(t, func(*testing.T) { got = play(ops, newOurs()) })
		if !slices.Equal(want, got) {
			t.Fatalf("seed %d: deliveries differ\noperations:\n%s\n%s", seed, ops, diff(want, got))
		}
	}
}

func newTheirs() priorityqueue.PriorityQueue[string] {
	return priorityqueue.New("", func(o *priorityqueue.Opts[string]) { o.RateLimiter = steps() })
}

func newOurs() priorityqueue.PriorityQueue[string] {
	return queue.New("", queue.Options[string]{RateLimiter: steps()})
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
		fmt.Fprintf(&b, "%s %s after=%s limited=%t priority=%s nth=%d\n", o.kind, o.key, o.after, o.limited, p, o.nth)
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
				p := r.IntN(5)*10 - 20
				o.priority = &p
			}
		case k < 13:
			o.kind = "get"
		case k < 16:
			o.kind = "done"
		case k < 17:
			o.kind = "forget"
		default:
			o.kind = "sleep"
			o.after = time.Duration(1+r.IntN(5)) * 40 * time.Millisecond
		}
		ops[i] = o
	}
	return ops
}

// play returns what q delivers, and when.
func play(ops opList, q priorityqueue.PriorityQueue[string]) []string {
	start := time.Now()
	var log []string
	var held []string
	popped := map[string]int{}
	got := make(chan string, len(ops)+10)
	workers := 0
	collect := func() {
		synctest.Wait()
		batch := []string{}
		for len(got) > 0 {
			batch = append(batch, <-got)
			workers--
		}
		slices.Sort(batch) // Which of two waiting workers runs first is no property of a queue.
		for _, s := range batch {
			key := strings.Fields(s)[1]
			held = append(held, key)
			popped[key], _ = strconv.Atoi(s[strings.Index(s, "=")+1:])
		}
		log = append(log, batch...)
		log = append(log, fmt.Sprintf("len %d", q.Len()))
	}
	get := func() {
		workers++
		go func() {
			if key, priority, shutdown := q.GetWithPriority(); !shutdown {
				got <- fmt.Sprintf("%9s %s priority=%d", time.Since(start), key, priority)
			}
		}()
	}
	for _, o := range ops {
		switch o.kind {
		case "add":
			q.AddWithOpts(priorityqueue.AddOpts{After: o.after, RateLimited: o.limited, Priority: other(o.priority, popped, o.key)}, o.key)
		case "get":
			if workers < 3 {
				get()
			}
		case "done":
			if len(held) > 0 {
				i := o.nth % len(held)
				q.Done(held[i])
				delete(popped, held[i])
				held = append(held[:i], held[i+1:]...)
			}
		case "forget":
			q.Forget(o.key)
		case "sleep":
			time.Sleep(o.after)
		}
		collect()
	}
	// Drain: everything that is queued comes out.
	for _, k := range held {
		q.Done(k)
		synctest.Wait()
	}
	held = nil
	for range 12 {
		if workers == 0 {
			get()
		}
		time.Sleep(2 * time.Second)
		collect()
		for _, k := range held {
			q.Done(k)
			synctest.Wait()
		}
		held = nil
	}
	q.ShutDown()
	synctest.Wait()
	return log
}

// other returns p for an add of key, or another priority if key is in flight and was
// taken at p: that would be an echo.
func other(p *int, popped map[string]int, key string) *int {
	v := 0
	if p != nil {
		v = *p
	}
	if taken, held := popped[key]; held && taken == v {
		v++
		return &v
	}
	return p
}

// diff returns the two logs side by side up to where they part.
func diff(want, got []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-40s %s\n", "controller-runtime's", "ours")
	for i := range max(len(want), len(got)) {
		var w, g string
		if i < len(want) {
			w = want[i]
		}
		if i < len(got) {
			g = got[i]
		}
		fmt.Fprintf(&b, "%-40s %s\n", w, g)
		if w != g {
			break
		}
	}
	return b.String()
}
