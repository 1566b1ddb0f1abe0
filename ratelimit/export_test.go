package ratelimit

import (
	"time"

	"k8s.io/client-go/util/workqueue"
)

// SetFailures gives item a row of n failures, to test what a process reaches
// only after years.
func SetFailures[T comparable](l workqueue.TypedRateLimiter[T], item T, n int) {
	f := l.(counter[T]).rows()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.young.Put(item, int32(n)) //nolint:gosec // It fits.
	f.some.Store(true)
}

// Items returns how many items the limiter remembers.
func Items[T comparable](l workqueue.TypedRateLimiter[T]) int { return l.(counter[T]).rows().len() }

// Groups returns how many groups the limiter remembers.
func (p *PerGroup[T]) Groups() int { return len(p.all()) }

// Members returns how many members the budget has.
func (b *Budget) Members() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.members)
}

// Saved returns how many retries are saved up, debts left out.
func (b *Budget) Saved() float64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fill()
	sum := b.common
	for _, m := range b.members {
		sum += max(0, m.level)
	}
	return sum
}

// Longest returns the longest delay that the limiter of a valid config gives.
func Longest(c Config) time.Duration { return c.longest() }
