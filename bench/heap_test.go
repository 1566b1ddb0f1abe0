package bench_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
)

// BenchmarkHeap measures what a queued key takes: the live heap with all of them
// queued, and what was allocated on the way. What the keys point to is not counted.
func BenchmarkHeap(b *testing.B) {
	n := size(1_000_000, 100_000)
	benchmarkHeap(b, "int", ints(n))
	benchmarkHeap(b, "request", requests(n))
}

func benchmarkHeap[T comparable](b *testing.B, kind string, keys []T) {
	b.Helper()
	for _, c := range contestants[T]() {
		b.Run(fmt.Sprintf("type=%s/keys=%d/by=%s", kind, len(keys), c.name), func(b *testing.B) {
			var m meter
			live := 0.0
			for b.Loop() {
				q := c.new()
				before := heap()
				m.start()
				for _, key := range keys {
					q.Add(key)
				}
				flush(q)
				m.stop()
				live += heap() - before
				q.ShutDown()
			}
			all := float64(b.N * len(keys))
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(live/all, "live-B/key")
			b.ReportMetric(float64(m.bytes)/all, "B/key")
			runtime.KeepAlive(keys)
		})
	}
}

const (
	comers  = 1_000_000
	staying = 1000
)

// BenchmarkLeft lets a million keys come and go. A thousand, scattered among them,
// stay. It compares the heap with that of a queue that has held no others.
func BenchmarkLeft(b *testing.B) {
	n := size(comers, comers/10)
	keys := requests(n)
	for _, kind := range []string{"delayed", "running", "ready"} {
		for _, c := range contestants[request]() {
			q := c.new()
			_, sorts := q.(priorityqueue.PriorityQueue[request])
			q.ShutDown()
			if kind == "ready" && !sorts {
				continue // who comes first is served first: nothing can stay
			}
			b.Run(fmt.Sprintf("keys=%d/staying=%s/by=%s", n, kind, c.name), func(b *testing.B) {
				factor := 0.0
				for b.Loop() {
					stays := func(i int) bool { return i%(n/staying) == 0 }
					crowded := held(c, keys, kind, stays, true)
					alone := held(c, keys, kind, stays, false)
					factor += crowded / alone
				}
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(factor/float64(b.N), "x-fresh")
			})
		}
	}
	runtime.KeepAlive(keys)
}

// held returns the heap of a new queue that the keys pass, or only those that stay.
func held(c contestant[request], keys []request, kind string, stays func(int) bool, crowd bool) float64 {
	before := heap()
	q := c.new()
	defer q.ShutDown()
	going := 0
	for i, key := range keys {
		switch {
		case stays(i) && kind != "running":
			stay(q, kind, key)
		case stays(i) || crowd:
			q.Add(key)
			going++
		}
	}
	for i := range going {
		key, _ := q.Get()
		if kind == "running" && (!crowd || stays(i)) { // in the order of the adds
			continue
		}
		q.Done(key)
	}
	flush(q)
	after := heap()
	runtime.KeepAlive(q)
	return after - before
}

// stay queues a key that is not handed out while there are others.
func stay(q workqueue.TypedRateLimitingInterface[request], kind string, key request) {
	if kind == "delayed" {
		q.AddAfter(key, time.Hour)
		return
	}
	low := -100
	q.(priorityqueue.PriorityQueue[request]).AddWithOpts(priorityqueue.AddOpts{Priority: &low}, key)
}
