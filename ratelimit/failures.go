package ratelimit

import (
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/trimtab/trimtab/internal/keyed"
)

// maxFailures is where the count of an item stays: an int has 32 bits on some
// machines. At the default MaxDelay that takes 68,000 years.
const maxFailures = math.MaxInt32

// lookEvery is after how many calls the time is looked at, which costs a third of a
// call. The first of a row always look, so that an item which failed a few times
// and vanished is gone in time.
const lookEvery = 8

// failures counts the failures in a row of each item. An item that nobody forgets,
// since its object has gone in some other way, is dropped after a time.
//
// There are two generations. Who fails is young; after a period the young are the
// old, and the old are dropped. So nothing has to be searched, or kept for each
// item. An item lives for one period at the least, and after two it is gone with
// one of the next calls, twice lookEvery at the most; after three, if it failed
// last without a look at the time and then nobody failed for two.
type failures[T comparable] struct {
	some  atomic.Bool // there may be items: without, nobody needs the lock
	owned atomic.Bool // by a queue, which wants no other to forget in them

	mu         sync.Mutex
	calls      int // since the time was looked at; here, beside what each call touches
	young, old keyed.Map[T, int32]
	limit      int           // of items; 0 for none
	period     time.Duration // of a generation
	turned     time.Duration // when the young last became the old, since start
	looked     time.Duration // when the time was last looked at, since start
	start      time.Time
}

func newFailures[T comparable](period time.Duration, limit int) *failures[T] {
	return &failures[T]{start: time.Now(), period: period, limit: limit}
}

// bound changes for how long, and how many, items are kept.
func (f *failures[T]) bound(period time.Duration, limit int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.period, f.limit = period, limit
}

// count adds one failure of item and returns how many it had before; false means
// that there is no room for it.
func (f *failures[T]) count(item T) (before int, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, young := f.young.Get(item)
	f.calls++
	if n < lookEvery || f.calls >= lookEvery {
		f.turn()
		n, young = f.find(item)
	}
	if !young && f.limit > 0 && f.young.Len()+f.old.Len() >= f.limit {
		return 0, false
	}
	if n < maxFailures {
		f.young.Put(item, n+1)
	}
	if !f.some.Load() { // A store costs much more.
		f.some.Store(true)
	}
	return int(n), true
}

// find returns the count of item, which is in neither generation, or among the
// young then.
func (f *failures[T]) find(item T) (n int32, ok bool) {
	if n, ok = f.young.Get(item); ok {
		return n, true
	}
	if n, ok = f.old.Get(item); ok {
		f.old.Delete(item)
		f.young.Put(item, n)
		if f.old.Len() == 0 { // All that live are young: nobody needs its memory until the next turn.
			f.old = keyed.Map[T, int32]{}
		}
	}
	return n, ok
}

// turn makes the young the old if their time has come, and drops them, too, if none
// of them can have failed for a period.
func (f *failures[T]) turn() {
	now := time.Since(f.start)
	quiet := f.calls <= 1 && now-f.looked >= f.period
	f.looked, f.calls = now, 0
	if now-f.turned < f.period {
		return
	}
	f.turned = now
	f.old, f.young = f.young, keyed.Map[T, int32]{}
	if quiet {
		f.old = keyed.Map[T, int32]{}
	}
}

// forget ends the row of failures of item.
func (f *failures[T]) forget(item T) {
	if !f.some.Load() {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.young.Delete(item)
	f.old.Delete(item)
	f.some.Store(f.young.Len()+f.old.Len() > 0)
}

// of returns the count of item.
func (f *failures[T]) of(item T) int {
	if !f.some.Load() {
		return 0
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	n, ok := f.young.Get(item)
	if !ok {
		n, _ = f.old.Get(item)
	}
	return int(n)
}

// len returns how many items are kept.
func (f *failures[T]) len() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.young.Len() + f.old.Len()
}
