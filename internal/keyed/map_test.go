package keyed_test

import (
	"maps"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/internal/keyed"
)

func TestMap(t *testing.T) {
	var m keyed.Map[string, int]
	_, ok := m.Get("a")
	require.False(t, ok)
	m.Delete("a") // nothing there: nothing happens

	m.Put("a", 1)
	m.Put("a", 2)
	m.Put("b", 3)
	v, ok := m.Get("a")
	require.True(t, ok)
	require.Equal(t, 2, v)
	require.Equal(t, 2, m.Len())

	require.Equal(t, map[string]int{"a": 2, "b": 3}, maps.Collect(m.All()))
	for range m.All() {
		break // an early end of the loop is no panic
	}

	m.Delete("a")
	require.Equal(t, 1, m.Len())
}

// RL06, for every store of ours: what keys that are gone have cost comes back.
func TestMapGivesMemoryBack_RL06(t *testing.T) {
	const keys, live = 200_000, 100
	var m keyed.Map[int, [4]int]
	before := heap()
	for i := range keys {
		m.Put(i, [4]int{})
	}
	full := heap() - before
	for i := live; i < keys; i++ {
		m.Delete(i)
	}
	require.Equal(t, live, m.Len())
	left := heap() - before
	runtime.KeepAlive(&m)

	require.Greater(t, full, int64(1<<20), "the map was never large: the test shows nothing")
	// A rebuild comes under a quarter of a peak above 128 keys.
	require.Less(t, left, full*128/keys*4)
	for i := range live {
		_, ok := m.Get(i)
		require.True(t, ok, i)
	}
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return int64(s.HeapAlloc)
}

func BenchmarkMapPutDelete(b *testing.B) {
	var m keyed.Map[int, int]
	for i := 0; b.Loop(); i++ {
		m.Put(i, i)
		m.Delete(i)
	}
}
