package queue_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"

	"github.com/trimtab/trimtab/queue"
)

func heapInUse() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// After 50,000 keys have come and gone, by every way, their memory is free.
func TestMemoryIsGivenBack_RL06(t *testing.T) {
	const keys = 50_000
	for _, tc := range []struct {
		name string
		add  func(q *queue.Queue[string], key string, i int)
	}{
		{"plain", func(q *queue.Queue[string], key string, _ int) { q.Add(key) }},
		{"delayed, then cut short", func(q *queue.Queue[string], key string, i int) {
			q.AddAfter(key, time.Hour+time.Duration(i*7919%keys))
		}},
		{"each at a priority of its own", func(q *queue.Queue[string], key string, i int) {
			q.AddWithOpts(priorityqueue.AddOpts{Priority: ptr(i * 7919 % keys)}, key)
		}},
		{"raised", func(q *queue.Queue[string], key string, _ int) {
			q.AddWithOpts(priorityqueue.AddOpts{Priority: ptr(-100)}, key)
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			q := queue.New("test", queue.Options[string]{})
			defer q.ShutDown()
			before := heapInUse()
			for i := range keys {
				tc.add(q, fmt.Sprint(i), i)
			}
			full := heapInUse() - before
			for i := range keys {
				q.Add(fmt.Sprint(i))
			}
			for range keys {
				key, _ := q.Get()
				q.Forget(key)
				q.Done(key)
			}
			left := heapInUse() - before
			t.Logf("%d bytes for each key; %d bytes left", full/keys, left)
			require.Less(t, left, int64(400_000))
			runtime.KeepAlive(q)
		})
	}
}

// After 200,000 keys have come and gone, the heap is back within twice of what
// the live keys need, though they are scattered over all that came, or were last.
func TestMemoryFollowsTheLiveKeys_RL06(t *testing.T) {
	const keys, live = 200_000, 1000
	before := heapInUse()
	fresh := queue.New("test", queue.Options[int]{})
	for i := range live {
		fresh.AddAfter(i, time.Hour)
	}
	need := heapInUse() - before
	fresh.ShutDown()
	for name, lives := range map[string]func(i int) bool{
		"scattered": func(i int) bool { return i%(keys/live) == 0 },
		"first":     func(i int) bool { return i < live },
		"last":      func(i int) bool { return i >= keys-live },
	} {
		t.Run(name, func(t *testing.T) {
			before := heapInUse()
			q := queue.New("test", queue.Options[int]{})
			defer q.ShutDown()
			for i := range keys {
				if lives(i) {
					q.AddAfter(i, time.Hour+time.Duration(i))
				} else {
					q.Add(i)
				}
			}
			for range keys - live {
				key, _ := q.Get()
				q.Done(key)
			}
			left := heapInUse() - before
			t.Logf("%d bytes; %d for the live keys alone", left, need)
			require.LessOrEqual(t, left, 2*need)
			for i := range keys { // They are all there, at their times.
				if lives(i) {
					q.Add(i)
					key, _ := q.Get()
					require.Equal(t, i, key)
					q.Done(key)
				}
			}
			require.Zero(t, q.Snapshot().Delayed)
		})
	}
}

// Nor do keys that were all in flight at once, and parked behind that, stay.
func TestMemoryOfParkedKeysIsGivenBack(t *testing.T) {
	const keys = 50_000
	q := queue.New("test", queue.Options[string]{})
	defer q.ShutDown()
	before := heapInUse()
	for i := range keys {
		q.Add(fmt.Sprint(i))
	}
	taken := make([]string, keys)
	for i := range keys { // All are in flight at once, and come once more.
		taken[i], _ = q.Get()
		q.Add(taken[i])
	}
	for _, key := range taken {
		q.Done(key)
	}
	taken = nil //nolint:ineffassign,wastedassign // The collector sees it.
	for range keys {
		key, _ := q.Get()
		q.Done(key)
	}
	require.Less(t, heapInUse()-before, int64(1<<20))
	runtime.KeepAlive(q)
}

// What a queue that has ended dropped is free, though somebody, such as metrics,
// still holds the queue.
func TestMemoryAfterTheEnd(t *testing.T) {
	const keys = 100_000
	for name, end := range map[string]func(*queue.Queue[string]){
		"shutdown": (*queue.Queue[string]).ShutDown,
		"drained, then shut down": func(q *queue.Queue[string]) {
			go func() {
				for !q.ShuttingDown() {
					runtime.Gosched()
				}
				q.ShutDown()
			}()
			q.ShutDownWithDrain()
		},
	} {
		t.Run(name, func(t *testing.T) {
			before := heapInUse()
			q := queue.New("test", queue.Options[string]{SaturationDepth: 1})
			for i := range keys {
				q.Add(fmt.Sprint(i))
				q.AddAfter(fmt.Sprint("later ", i), time.Hour)
			}
			running, _ := q.Get()
			q.Add(running)
			end(q)
			require.Less(t, heapInUse()-before, int64(1<<20))
			require.Zero(t, q.Len())
			require.Zero(t, q.Snapshot().OverFor)
			require.Equal(t, 1, q.Snapshot().Running)
			q.Done(running)
			require.Zero(t, q.Snapshot().Running)
			require.Zero(t, q.Len())
		})
	}
}

// When most keys have gone, the others move together in memory: each keeps its place
// in the line, whether it is at the end of that, ahead of it or taken out of its middle.
func TestOrderStaysWhenItemsMove(t *testing.T) {
	const keys, share = 20_100, 50
	q := queue.New("test", queue.Options[int]{DisableAgeing: true})
	t.Cleanup(q.ShutDown)
	low := priorityqueue.AddOpts{Priority: ptr(-5)}
	later := priorityqueue.AddOpts{Priority: ptr(-5), After: time.Hour}
	stays := func(i int) bool { return i%share == 0 }
	early := func(i int) bool { return i%(2*share) == 0 }
	for i := range keys {
		switch {
		case early(i):
			q.AddWithOpts(later, i)
		case stays(i):
			q.AddWithOpts(low, i)
		default:
			q.Add(i)
		}
	}
	for i := range keys {
		if early(i) { // It joins ahead of those that were first added after it.
			q.AddWithOpts(low, i)
		}
	}
	serve := func(n int) (served []int) {
		for range n {
			key, _ := q.Get()
			q.Done(key)
			served = append(served, key)
		}
		return served
	}
	serve(keys - keys/share)

	var want []int
	for i := range keys {
		if raised := i%(3*share) == 0; raised {
			q.Add(i)
			want = append(want, i)
		}
	}
	for i := range keys {
		if stays(i) && i%(3*share) != 0 {
			want = append(want, i)
		}
	}
	q.AddWithOpts(low, keys)
	require.Equal(t, append(want, keys), serve(q.Len()))
	require.Len(t, want, keys/share)
}
