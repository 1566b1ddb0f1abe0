package metrics

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"
)

// other is the value of a label that stands for all values beyond a bound.
const other = "other"

// bounded holds a V for each of the first limit values of an open label, and
// one for all others. It is safe for concurrent use, and a get of a value that
// is there, or finds no room, takes no lock.
type bounded[V any] struct {
	limit  int
	create func(value string) V

	mu     sync.Mutex                   // held to replace the map
	values atomic.Pointer[map[string]V] // replaced, never changed
}

func newBounded[V any](limit int, create func(value string) V) *bounded[V] {
	b := &bounded[V]{limit: limit, create: create}
	b.values.Store(&map[string]V{other: create(other)})
	return b
}

func (b *bounded[V]) get(value string) V {
	if v, ok := b.find(value); ok {
		return v
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if v, ok := b.find(value); ok { // another was faster
		return v
	}
	next := maps.Clone(*b.values.Load())
	v := b.create(labelValue(value))
	next[value] = v
	b.values.Store(&next)
	return v
}

// find returns false if value has no V and there is room for one.
func (b *bounded[V]) find(value string) (V, bool) {
	values := *b.values.Load()
	v, ok := values[value]
	if !ok && len(values) > b.limit { // other is one more
		return values[other], true
	}
	return v, ok
}

// all yields each value, as a label shows it, with its V, in their order.
func (b *bounded[V]) all(yield func(value string, v V) bool) {
	values := *b.values.Load()
	for _, value := range slices.Sorted(maps.Keys(values)) {
		if !yield(labelValue(value), values[value]) {
			return
		}
	}
}

// labelValue is value as a label shows it.
func labelValue(value string) string {
	if value == "" {
		return unknown
	}
	return valid(value)
}
