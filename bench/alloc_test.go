package bench_test

import (
	"testing"
	"time"
)

// BenchmarkKnown does again and again what a queue sees of keys that it knows.
func BenchmarkKnown(b *testing.B) {
	keys := requests(500)
	for _, c := range contestants[request]() {
		q := c.new()
		i := 0
		b.Run("op=add-get-done/by="+c.name, func(b *testing.B) {
			serve(q, keys, 1)
			b.ReportAllocs()
			for b.Loop() {
				q.Add(keys[i%len(keys)])
				key, _ := q.Get()
				q.Done(key)
				i++
			}
		})
		q.ShutDown()
	}
	for _, c := range contestants[request]() {
		q := c.new()
		i := 0
		b.Run("op=add-later,-then-at-once,-get-done/by="+c.name, func(b *testing.B) {
			serve(q, keys, 1)
			b.ReportAllocs()
			for b.Loop() {
				q.AddAfter(keys[i%len(keys)], time.Hour)
				q.Add(keys[i%len(keys)])
				key, _ := q.Get()
				q.Done(key)
				i++
			}
		})
		q.ShutDown()
	}
}

// BenchmarkDelayed adds keys that a new queue has not seen, each with a delay of its
// own.
func BenchmarkDelayed(b *testing.B) {
	n := size(100_000, 10_000)
	keys := requests(n)
	for _, c := range contestants[request]() {
		b.Run("by="+c.name, func(b *testing.B) {
			var m meter
			for b.Loop() {
				b.StopTimer()
				q := c.new()
				m.start()
				b.StartTimer()
				for i, key := range keys {
					q.AddAfter(key, time.Hour+time.Duration(i*7919%n)*time.Second)
				}
				flush(q)
				b.StopTimer()
				m.stop()
				q.ShutDown()
				b.StartTimer()
			}
			perKey(b, n, &m)
		})
	}
}
