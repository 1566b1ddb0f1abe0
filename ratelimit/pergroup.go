package ratelimit

import (
	"errors"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/client-go/util/workqueue"

	"github.com/trimtab/trimtab/internal/keyed"
	"github.com/trimtab/trimtab/internal/null"
)

// PerGroupOptions configures [NewPerGroup].
type PerGroupOptions[T comparable] struct {
	// Group names the group of an item, such as its namespace, its tenant or the
	// account that its calls are charged to. It must be quick and safe for concurrent
	// use, and say the same of an item each time. It must be set.
	Group func(item T) string

	// New makes the limiter of a group, when its first item fails. It must be set, must
	// return another one each time, and may be called at once for several items of one
	// group, whose limiter the first then is. Nil from it means NewExponential's
	// default. A Budgeted from it leaves its budget never, so let each group have a
	// budget of its own.
	New func(group string) workqueue.TypedRateLimiter[T]

	// TTL is how long a group is remembered without a failure, at least the longest
	// delay of its limiter: it is dropped later than that and before twice as long,
	// when others fail. Zero means 2h.
	TTL time.Duration
}

// Validate returns an error that names the first field which is impossible,
// and its value.
func (o PerGroupOptions[T]) Validate() error {
	switch {
	case o.Group == nil:
		return errors.New("ratelimit: Group is nil, want a function")
	case o.New == nil:
		return errors.New("ratelimit: New is nil, want a function")
	}
	return first(faults{atLeastZero("TTL", o.TTL)})
}

// PerGroup gives each group of items a limiter of its own, so that the failures of
// one tenant make no other wait. It is safe for concurrent use if the functions and
// the limiters are.
type PerGroup[T comparable] struct {
	opts  PerGroupOptions[T]
	start time.Time
	owned atomic.Bool // as failures are

	mu         sync.Mutex
	young, old keyed.Map[string, workqueue.TypedRateLimiter[T]]
	turned     time.Duration // when the young last became the old, since start
}

// NewPerGroup returns a limiter without a group. It panics with the error of
// [PerGroupOptions.Validate], if there is one.
func NewPerGroup[T comparable](opts PerGroupOptions[T]) *PerGroup[T] {
	if err := opts.Validate(); err != nil {
		panic(err)
	}
	setDefault(&opts.TTL, 2*time.Hour)
	return &PerGroup[T]{opts: opts, start: time.Now()}
}

// When asks the limiter of the item's group.
func (p *PerGroup[T]) When(item T) time.Duration { return p.of(item).When(item) }

// WhenError implements [ErrorAware].
func (p *PerGroup[T]) WhenError(item T, err error, class string) time.Duration {
	return whenError(p.of(item), item, err, class)
}

// Forget makes the limiter of the item's group forget item.
func (p *PerGroup[T]) Forget(item T) {
	if l := p.known(item); l != nil {
		l.Forget(item)
	}
}

// NumRequeues returns how many failures of item the limiter of its group knows.
func (p *PerGroup[T]) NumRequeues(item T) int {
	if l := p.known(item); l != nil {
		return l.NumRequeues(item)
	}
	return 0
}

// of returns the limiter of the item's group, which is young then. New is called in
// no lock: it is the user's.
func (p *PerGroup[T]) of(item T) workqueue.TypedRateLimiter[T] {
	group := p.opts.Group(item)
	if l := p.rejuvenate(group, nil); l != nil {
		return l
	}
	l := p.opts.New(group)
	if null.Is(l) {
		l = NewExponential[T](ExponentialOptions{})
	}
	return p.rejuvenate(group, l)
}

// rejuvenate returns the limiter of a group, which is l if there is none yet.
func (p *PerGroup[T]) rejuvenate(group string, l workqueue.TypedRateLimiter[T]) workqueue.TypedRateLimiter[T] {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.turn()
	if known, ok := p.young.Get(group); ok {
		return known
	}
	if known, ok := p.old.Get(group); ok {
		p.old.Delete(group)
		l = known
	}
	if l != nil {
		p.young.Put(group, l)
	}
	return l
}

// turn makes the young the old if their time has come.
func (p *PerGroup[T]) turn() {
	if now := time.Since(p.start); now-p.turned >= p.opts.TTL {
		p.turned = now
		p.old, p.young = p.young, keyed.Map[string, workqueue.TypedRateLimiter[T]]{}
	}
}

func (p *PerGroup[T]) known(item T) workqueue.TypedRateLimiter[T] {
	group := p.opts.Group(item)
	p.mu.Lock()
	defer p.mu.Unlock()
	l, ok := p.young.Get(group)
	if !ok {
		l, _ = p.old.Get(group)
	}
	return l
}

// all returns the limiters of all groups.
func (p *PerGroup[T]) all() map[string]workqueue.TypedRateLimiter[T] {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := maps.Collect(p.old.All())
	maps.Insert(all, p.young.All())
	return all
}
