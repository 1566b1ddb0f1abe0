package bench_test

import (
	"fmt"
	"runtime"
	"sync"
	"testing"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
)

// BenchmarkKeys adds that many distinct keys, then takes and finishes them all, by
// one worker or by eight. A cold queue is new and meets a heap that was just
// collected; a warm one has held as many keys before.
func BenchmarkKeys(b *testing.B) {
	if testing.Short() {
		benchmarkKeys(b, "request", requests, 1000, 100_000)
		return
	}
	benchmarkKeys(b, "int", ints, 1000, 1_000_000)
	benchmarkKeys(b, "request", requests, 1000, 10_000, 100_000, 1_000_000)
}

func benchmarkKeys[T comparable](b *testing.B, kind string, keysOf func(int) []T, sizes ...int) {
	b.Helper()
	for _, n := range sizes {
		keys := keysOf(n)
		for _, workers := range []int{1, 8} {
			for _, c := range contestants[T]() {
				b.Run(fmt.Sprintf("type=%s/keys=%d/workers=%d/state=cold/by=%s", kind, n, workers, c.name), func(b *testing.B) {
					benchmarkCold(b, c, keys, workers)
				})
			}
			for _, c := range contestants[T]() {
				b.Run(fmt.Sprintf("type=%s/keys=%d/workers=%d/state=warm/by=%s", kind, n, workers, c.name), func(b *testing.B) {
					benchmarkWarm(b, c, keys, workers)
				})
			}
		}
	}
}

func benchmarkCold[T comparable](b *testing.B, c contestant[T], keys []T, workers int) {
	b.Helper()
	// Else whoever comes first pays for the first touch of the heap's memory.
	scratch := c.new()
	serve(scratch, keys, workers)
	scratch.ShutDown()
	for b.Loop() {
		b.StopTimer()
		q := c.new()
		runtime.GC()
		runtime.GC() // The first leaves what is in a sync.Pool.
		b.StartTimer()
		serve(q, keys, workers)
		b.StopTimer()
		q.ShutDown()
		b.StartTimer()
	}
	perKey(b, len(keys), nil)
}

// benchmarkWarm makes a turn of three laps: of a million keys, one would be all there is.
func benchmarkWarm[T comparable](b *testing.B, c contestant[T], keys []T, workers int) {
	b.Helper()
	const laps = 3
	q := c.new()
	defer q.ShutDown()
	serve(q, keys, workers)
	for b.Loop() {
		for range laps {
			serve(q, keys, workers)
		}
	}
	perKey(b, laps*len(keys), nil)
}

// serve adds the keys, then takes and finishes them.
func serve[T comparable](q workqueue.TypedInterface[T], keys []T, workers int) {
	for _, key := range keys {
		q.Add(key)
	}
	take(q, len(keys), workers)
}

// take takes and finishes n keys, which the workers divide without a rest.
func take[T comparable](q workqueue.TypedInterface[T], n, workers int) {
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for range n / workers {
				key, _ := q.Get()
				q.Done(key)
			}
		})
	}
	wg.Wait()
}

// BenchmarkPriorities is BenchmarkKeys, warm and with one worker, where each key has
// a priority of its own.
func BenchmarkPriorities(b *testing.B) {
	n := size(100_000, 10_000)
	keys := requests(n)
	for _, c := range contestants[request]() {
		q, ok := c.new().(priorityqueue.PriorityQueue[request])
		if !ok {
			continue // client-go's has none
		}
		b.Run(fmt.Sprintf("keys=%d/by=%s", n, c.name), func(b *testing.B) {
			for b.Loop() {
				for i, key := range keys {
					priority := i * 7919 % n
					q.AddWithOpts(priorityqueue.AddOpts{Priority: &priority}, key)
				}
				take(q, n, 1)
			}
			perKey(b, n, nil)
		})
		q.ShutDown()
	}
}
