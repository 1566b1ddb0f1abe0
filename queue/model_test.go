package queue_test

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"

	"github.com/trimtab/trimtab/queue"
	"github.com/trimtab/trimtab/trigger"
)

// model is the queue once more, simple and slow: what it should do.
type model struct {
	rules
	turns  map[int][]string // the groups that may be served at a priority, in their order
	passed int              // deliveries since the aged line had one

	now    time.Duration
	asked  time.Duration // when a worker first asked, or unasked
	seq    int
	queued map[string]*modelItem
	rested map[string]time.Duration // when a key may run again
	flight map[string]*modelRun
	fails  map[string]int
	over   time.Duration // since when more than overAbove are ready, or unasked

	failing               map[string]*modelFailing
	gaveUp, failureResets int // how often the observer is told

	added    []string         // what the observer is told
	requeued []trigger.Source // likewise
}

// rules are the options of the queue that the model knows.
type rules struct {
	ageing      bool
	grouped     bool
	maxPerGroup int
	giveUp      int
	resets      bool
	maxInterval time.Duration

	debounce    bool
	holds       trigger.Set   // HoldBackoff
	minInterval time.Duration // zero if it is off
}

// What the rules say where they are in force.
const (
	maxWait   = 100 * ms
	agedShare = 3
)

// rulesOf returns the rules that two bytes stand for.
func rulesOf(b, c byte) rules {
	r := rules{ageing: b&1 > 0, grouped: b&2 > 0, giveUp: int(b/8) % 3, resets: b&32 > 0}
	if b&64 > 0 {
		r.maxInterval = 30 * ms
	}
	if b&6 == 6 {
		r.maxPerGroup = 1
	}
	r.setHolds(c)
	return r
}

func (r rules) options() queue.Options[string] {
	o := queue.Options[string]{RateLimiter: doubling(), SaturationDepth: overAbove, DisableAgeing: !r.ageing}
	o.GiveUp, o.DisableFailureReset, o.MaxInterval = r.giveUp, !r.resets, r.maxInterval
	if r.ageing {
		o.MaxWait, o.AgedShare = maxWait, agedShare
	}
	if r.grouped {
		o.Group, o.MaxPerGroup = group, r.maxPerGroup
	}
	if r.debounce {
		o.Debounce, o.DebounceMax = modelDebounce, modelDebounceMax
	}
	o.HoldBackoff, o.MinInterval = r.holds, r.minInterval
	return o
}

// group puts two keys each into a group.
func group(key string) string { return string('0' + (key[0]-'a')/2) }

func (r rules) group(key string) string {
	if !r.grouped {
		return ""
	}
	return group(key)
}

type modelItem struct {
	key                        string
	priority, seq              int
	ready                      bool
	sources                    trigger.Set
	added, caused, due, ownRun time.Duration

	causes  []cause
	wish    time.Duration // the first time that an add asked for, debounced ones aside
	push    time.Duration // when the debounce is over
	first   time.Duration // when that began
	backoff bool          // a retry is pending
}

type modelRun struct {
	sources  trigger.Set
	priority int
	started  time.Duration
	chained  bool
	answered bool
	expected *priorityqueue.AddOpts // the answer that is expected
	own      bool                   // with a priority that the user chose
	reported bool
	outcome  queue.Outcome
}

const (
	unasked   = time.Duration(-1)
	overAbove = 2
)

func newModel(r rules) *model {
	return &model{rules: r, turns: map[int][]string{}, asked: unasked, over: unasked, queued: map[string]*modelItem{}, rested: map[string]time.Duration{}, flight: map[string]*modelRun{}, fails: map[string]int{}, failing: map[string]*modelFailing{}}
}

func (m *model) place() int {
	m.seq++
	return m.seq
}

// sleep lets the delayed become ready at their times.
func (m *model) sleep(d time.Duration) {
	end := m.now + d
	for {
		var due []*modelItem
		for _, it := range m.queued {
			if !it.ready && it.due <= end {
				due = append(due, it)
			}
		}
		if len(due) == 0 {
			break
		}
		first := slices.MinFunc(due, func(a, b *modelItem) int {
			return cmp.Or(cmp.Compare(a.due, b.due), cmp.Compare(b.priority, a.priority), cmp.Compare(a.seq, b.seq))
		})
		m.now = max(m.now, first.due)
		first.seq = m.place()
		first.due -= first.ownRun
		first.stand()
		m.watch()
	}
	m.now = end
}

// standing yields what a worker could take.
func (m *model) standing() []*modelItem {
	var items []*modelItem
	for _, it := range m.queued {
		if it.ready && m.flight[it.key] == nil {
			items = append(items, it)
		}
	}
	return items
}

// full says whether no more of a group may be in flight.
func (m *model) full(group string) bool {
	n := 0
	for key := range m.flight {
		if m.group(key) == group {
			n++
		}
	}
	return m.maxPerGroup > 0 && n >= m.maxPerGroup
}

// lane returns the items of a group and a priority, the next first; none of a full group.
func (m *model) lane(group string, priority int) []*modelItem {
	var items []*modelItem
	for _, it := range m.standing() {
		if it.priority == priority && m.group(it.key) == group && !m.full(group) {
			items = append(items, it)
		}
	}
	slices.SortFunc(items, func(a, b *modelItem) int { return cmp.Compare(a.seq, b.seq) })
	return items
}

// queueUp lets groups join the turns of each priority, or leave them.
func (m *model) queueUp() {
	for priority, groups := range m.turns {
		m.turns[priority] = slices.DeleteFunc(groups, func(g string) bool { return len(m.lane(g, priority)) == 0 })
	}
	for _, it := range m.standing() {
		g := m.group(it.key)
		if !m.full(g) && !slices.Contains(m.turns[it.priority], g) {
			m.turns[it.priority] = append(m.turns[it.priority], g)
		}
	}
}

func (m *model) watch() {
	m.queueUp()
	n := 0
	for _, it := range m.standing() {
		if m.full(m.group(it.key)) {
			continue
		}
		if it.sources != trigger.SetOf(trigger.Resync) {
			n++
		}
	}
	switch {
	case m.asked == unasked || n <= overAbove:
		m.over = unasked
	case m.over == unasked:
		m.over = m.now
	}
}

// limit is the delay of the n-th failure, counted from 0.
func limit(n int) time.Duration { return min(10*ms<<min(n, 20), time.Hour) }

// add reports false if that is a retry of a request that is given up.
func (m *model) add(source trigger.Source, tagged bool, o priorityqueue.AddOpts, key string) bool {
	if r := m.flight[key]; o.RateLimited && !tagged && r != nil && r.isAnswer(o) && !m.retry(key) {
		r.answered = true
		return false
	}
	after := o.After
	if o.RateLimited {
		d := limit(m.fails[key])
		m.fails[key]++
		if after == 0 || d < after {
			after = d
		}
	}
	priority := queue.DefaultPriority(source)
	if o.Priority != nil {
		priority = *o.Priority
	}
	echo := false
	if r := m.flight[key]; !tagged && r != nil && r.isAnswer(o) {
		r.answered, echo = true, true
		source = trigger.Periodic
		if o.RateLimited {
			source = trigger.Retry
		}
		if !r.own {
			priority = queue.DefaultPriority(source)
		}
		m.requeued = append(m.requeued, source)
	} else if o.Priority != nil && priority == -100 && source <= trigger.Watched {
		source = trigger.Resync
	}

	it := m.queued[key]
	name := source.String()
	if it != nil {
		name += " merged"
	}
	m.added = append(m.added, name)

	after = max(0, after)
	if it == nil {
		it = &modelItem{key: key, priority: priority, seq: m.place(), due: endless, wish: endless, push: endless}
		m.queued[key] = it
	} else if priority > it.priority {
		it.priority, it.seq = priority, m.place()
	}
	retry := echo && o.RateLimited && after > 0
	switch {
	case it.ready && retry && m.flight[key] != nil && m.held(it.causes):
		it.hold(m.now + after)
		it.ownRun, it.backoff = 0, true
		m.merge(it, source, false)
	case it.ready && after > 0: // it comes sooner than asked for
	case it.ready:
		m.merge(it, source, true)
	default:
		m.delay(it, source, after, echo, o.RateLimited)
	}
	m.watch()
	return true
}

// isAnswer says whether an add is the requeue that the run asked for.
func (r *modelRun) isAnswer(o priorityqueue.AddOpts) bool {
	switch {
	case r.answered || o.Priority == nil:
		return false
	case !r.chained:
		return *o.Priority == r.priority && (o.RateLimited || o.After > 0)
	case r.expected == nil:
		return false
	default:
		e := *r.expected
		return *o.Priority == *e.Priority && o.RateLimited == e.RateLimited && o.After == e.After
	}
}

// get returns what comes next, or nil.
func (m *model) get() *modelItem {
	it := m.next()
	if it == nil {
		return nil
	}
	if groups := m.turns[it.priority]; groups[0] == m.group(it.key) {
		m.turns[it.priority] = append(groups[1:], groups[0])
	}
	delete(m.queued, it.key)
	m.flight[it.key] = &modelRun{sources: it.sources, priority: it.priority, started: m.now}
	m.watch()
	return it
}

// servable says whether a worker who asks gets something.
func (m *model) servable() bool {
	return slices.ContainsFunc(m.standing(), func(it *modelItem) bool { return !m.full(m.group(it.key)) })
}

// next returns what a worker who asks now gets, or nil.
func (m *model) next() *modelItem {
	var first, oldest *modelItem
	for _, priority := range slices.Backward(slices.Sorted(maps.Keys(m.turns))) {
		for _, g := range m.turns[priority] {
			it := m.lane(g, priority)[0]
			if first == nil {
				first = it
			}
			if oldest == nil || cmp.Or(
				cmp.Compare(it.due+it.ownRun, oldest.due+oldest.ownRun),
				cmp.Compare(it.seq, oldest.seq)) < 0 {
				oldest = it
			}
		}
	}
	if first == nil {
		return nil
	}
	if m.asked == unasked {
		m.asked = m.now
	}
	if !m.ageing {
		return first
	}
	if first == oldest || m.now-max(m.asked, oldest.due+oldest.ownRun) < maxWait {
		m.passed = 0
		return first
	}
	if m.passed++; m.passed < agedShare {
		return first
	}
	m.passed = 0
	return oldest
}

func (m *model) info(it *modelItem, start time.Time) trigger.Info {
	since := func(d time.Duration) time.Time { return start.Add(max(d, m.asked)) }
	return trigger.Info{
		Sources: it.sources, Priority: it.priority, OwnRun: it.ownRun,
		Added: since(it.added), Ready: since(it.due), Caused: since(it.caused), Started: start.Add(m.now),
	}
}

// done reports whether key got a next run.
func (m *model) done(key string) bool {
	r := m.flight[key]
	if r == nil {
		return false
	}
	delete(m.flight, key)
	if it := m.queued[key]; it != nil && it.ready {
		it.ownRun = m.now - it.due
	}
	renewed := m.renew(key, r)
	m.rest(key)
	m.watch()
	return renewed
}

// running returns the keys in flight, in an order that is always the same.
func (m *model) running() []string { return slices.Sorted(maps.Keys(m.flight)) }

// For random operations of every kind, with and without a chain, the queue does
// what the model does: deliveries and all that is known of them, what the observer
// is told, and every count.
func TestQueueIsLikeTheModel(t *testing.T) {
	t.Parallel()
	for seed := range sequences(t, "TRIMTAB_MODEL_SEQUENCES") {
		r := rand.New(rand.NewPCG(uint64(seed), 2))
		data := make([]byte, 300)
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		compare(t, data)
	}
}
