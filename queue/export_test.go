package queue

// Failing returns how many requests the queue keeps a record of since they fail.
func (q *Queue[T]) Failing() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.failing.records.Len()
}
