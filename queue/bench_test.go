package queue_test

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/trimtab/trimtab/queue"
)

// What changes in the queue itself is measured here; module bench compares it with
// its peers.

// BenchmarkDistinctKeys adds that many distinct keys, then takes and finishes
// them all, by one worker or eight. The time is for one key. Cold is with a new
// queue each time, warm with one that has held as many before.
func BenchmarkDistinctKeys(b *testing.B) {
	for _, keys := range []int{1000, 1_000_000} {
		for _, workers := range []int{1, 8} {
			for _, warm := range []bool{false, true} {
				b.Run(fmt.Sprintf("keys=%d/workers=%d/warm=%t", keys, workers, warm), func(b *testing.B) {
					q := queue.New("", queue.Options[int]{})
					if warm {
						cycle(q, keys, workers)
					}
					b.ReportAllocs()
					for b.Loop() {
						if !warm {
							b.StopTimer()
							q.ShutDown()
							q = queue.New("", queue.Options[int]{})
							runtime.GC()
							b.StartTimer()
						}
						cycle(q, keys, workers)
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*keys), "ns/key")
					q.ShutDown()
				})
			}
		}
	}
}

func cycle(q *queue.Queue[int], keys, workers int) {
	for i := range keys {
		q.Add(i)
	}
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for range keys / workers {
				key, _ := q.Get()
				q.Done(key)
			}
		})
	}
	wg.Wait()
}

// BenchmarkOneKey adds, takes and finishes a key that is known.
func BenchmarkOneKey(b *testing.B) {
	q := queue.New("", queue.Options[int]{})
	defer q.ShutDown()
	b.ReportAllocs()
	for b.Loop() {
		q.Add(1)
		key, _ := q.Get()
		q.Done(key)
	}
}

// BenchmarkDelayed adds keys with a delay, and cuts it short.
func BenchmarkDelayed(b *testing.B) {
	q := queue.New("", queue.Options[int]{})
	defer q.ShutDown()
	for i := range 100_000 {
		q.AddAfter(-1-i, time.Hour+time.Duration(i*7919%100_000))
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		i++
		q.AddAfter(i%1000, time.Hour+time.Duration(i*7919%100_000))
		q.Add(i % 1000)
		key, _ := q.Get()
		q.Done(key)
	}
}

// BenchmarkDistinctPriorities gives each key a priority of its own.
func BenchmarkDistinctPriorities(b *testing.B) {
	for _, keys := range []int{1000, 100_000} {
		q := queue.New("", queue.Options[int]{})
		b.Run(fmt.Sprintf("keys=%d", keys), func(b *testing.B) {
			for b.Loop() {
				for i := range keys {
					q.AddWithOpts(at(i*7919%keys), i)
				}
				for range keys {
					key, _ := q.Get()
					q.Done(key)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*keys), "ns/key")
		})
		q.ShutDown()
	}
}
