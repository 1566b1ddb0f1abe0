package ratelimit

// SetFailures gives item a row of n failures, to test what a process reaches
// only after years.
func (e *Exponential[T]) SetFailures(item T, n int) {
	e.mu.Lock()
	defer e.mu.Unlock()

	e.failures.Put(item, n)
	e.some.Store(true)
}
