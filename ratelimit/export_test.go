package ratelimit

// SetFailures gives item a row of n failures, to test what a process reaches
// only after years.
func (e *Exponential[T]) SetFailures(item T, n int) {
	e.failures.mu.Lock()
	defer e.failures.mu.Unlock()
	e.failures.young.Put(item, int32(n)) //nolint:gosec // It fits.
	e.failures.some.Store(true)
}

// Items returns how many items the limiter remembers.
func (e *Exponential[T]) Items() int { return e.failures.len() }
