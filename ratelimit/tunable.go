package ratelimit

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Tunable is a limiter whose numbers can be changed while it is in use. It is safe
// for concurrent use.
type Tunable[T comparable] struct {
	current atomic.Pointer[tuned[T]]
	owned   atomic.Bool

	tuning   sync.Mutex    // held while the numbers change
	siblings []*Tunable[T] // that follow this one; see Own
	elder    *Tunable[T]   // that this one follows, or nil
}

// tuned is a limiter and what it was built from. Neither changes.
type tuned[T comparable] struct {
	limiter ErrorAware[T]
	config  Config
}

// NewTunable returns a limiter that begins as [Build] makes it of c. It returns the
// error of Build.
func NewTunable[T comparable](c Config) (*Tunable[T], error) {
	l, err := Build[T](c)
	if err != nil {
		return nil, err
	}
	t := &Tunable[T]{}
	t.current.Store(&tuned[T]{limiter: l, config: c.clone()})
	return t, nil
}

// Tune changes the numbers, and the limiter itself if c asks for another. From the
// next failure on they count; what an item waits for already stays. It returns the
// error of [Build], and nothing has changed then.
//
// Each item keeps the failures that it has had: those counted under a class of
// errors stay there, and all others stay with the first limiter that counts. A
// token that was taken stays taken: a Burst that is raised by one gives one token,
// and one that is lowered takes them back, if need be from those to come.
//
// What has no place in c is lost for good, and each item counts anew: the failures
// of a class that c has no limiter for, all of them where nothing in c counts, as
// with a bucket alone, and those that move into a limiter of each namespace or out
// of one. The first failure of a new group, which comes at the same instant, may be
// lost, too.
func (t *Tunable[T]) Tune(c Config) error {
	l, err := Build[T](c)
	if err != nil {
		return err
	}
	t.tuning.Lock()
	defer t.tuning.Unlock()
	t.replace(l, c)
	for _, s := range t.siblings {
		s.replace(fresh[T](l).(ErrorAware[T]), c) //nolint:forcetypeassert // It is of the type of l.
	}
	return nil
}

func (t *Tunable[T]) replace(l ErrorAware[T], c Config) {
	inherit[T](l, t.current.Load().limiter)
	t.current.Store(&tuned[T]{limiter: l, config: c.clone()})
}

// sibling returns a limiter that is tuned as t is, until it leaves, and shares what
// is there to be shared.
func (t *Tunable[T]) sibling() *Tunable[T] {
	if t.elder != nil {
		t = t.elder
	}
	t.tuning.Lock()
	defer t.tuning.Unlock()
	now := t.current.Load()
	s := &Tunable[T]{elder: t}
	s.current.Store(&tuned[T]{limiter: fresh[T](now.limiter).(ErrorAware[T]), config: now.config}) //nolint:forcetypeassert // As above.
	t.siblings = append(t.siblings, s)
	return s
}

// leave ends it that t, which is a sibling, is tuned.
func (t *Tunable[T]) leave() {
	t.elder.tuning.Lock()
	defer t.elder.tuning.Unlock()
	t.elder.siblings = slices.DeleteFunc(t.elder.siblings, func(s *Tunable[T]) bool { return s == t })
	end[T](t.current.Load().limiter)
}

// Config returns the numbers that count now, a preset written out.
func (t *Tunable[T]) Config() Config { return t.current.Load().config.clone() }

// When asks the limiter as it is now.
func (t *Tunable[T]) When(item T) time.Duration { return t.current.Load().limiter.When(item) }

// WhenError implements [ErrorAware].
func (t *Tunable[T]) WhenError(item T, err error, class string) time.Duration {
	return t.current.Load().limiter.WhenError(item, err, class)
}

// Forget makes the limiter forget item.
func (t *Tunable[T]) Forget(item T) { t.current.Load().limiter.Forget(item) }

// NumRequeues returns how many failures of item the limiter knows.
func (t *Tunable[T]) NumRequeues(item T) int { return t.current.Load().limiter.NumRequeues(item) }
