package keyed

import (
	"iter"
	"maps"
)

// shrinkAbove is the peak from which a rebuild pays: below it, the memory that
// a map holds on to is less than 20 KiB for keys of a few words.
const shrinkAbove = 128

// Map is a map that is rebuilt when it holds under a quarter of its peak. The
// zero value is an empty map, ready to use. It is not safe for concurrent use.
type Map[K comparable, V any] struct {
	m    map[K]V
	peak int
}

// Get returns the value of key and whether there is one.
func (m *Map[K, V]) Get(key K) (V, bool) {
	v, ok := m.m[key]
	return v, ok
}

// Put sets the value of key.
func (m *Map[K, V]) Put(key K, value V) {
	if m.m == nil {
		m.m = make(map[K]V)
	}
	m.m[key] = value
	m.peak = max(m.peak, len(m.m))
}

// Delete removes key, if it is there. It costs O(1) on average: a rebuild of n
// keys comes after at least 3n deletions.
func (m *Map[K, V]) Delete(key K) {
	delete(m.m, key)
	if m.peak > shrinkAbove && len(m.m) < m.peak/4 {
		m.rebuild()
	}
}

// Len returns the number of keys.
func (m *Map[K, V]) Len() int { return len(m.m) }

// All yields every key and value, in no order. The map must not change
// meanwhile.
func (m *Map[K, V]) All() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for k, v := range m.m {
			if !yield(k, v) {
				return
			}
		}
	}
}

func (m *Map[K, V]) rebuild() {
	small := make(map[K]V, len(m.m))
	maps.Copy(small, m.m)
	m.m, m.peak = small, len(small)
}
