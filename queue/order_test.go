package queue_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"

	"github.com/trimtab/trimtab/queue"
	"github.com/trimtab/trimtab/trigger"
)

func TestOrder(t *testing.T) {
	for _, tc := range []struct {
		name string
		add  func(q *queue.Queue[string])
		want []string
	}{
		{"FIFO within a priority", func(q *queue.Queue[string]) {
			q.Add("a")
			q.Add("b")
			q.Add("c")
		}, []string{"a@0", "b@0", "c@0"}},
		{"highest priority first", func(q *queue.Queue[string]) {
			q.AddWithOpts(at(-5), "low")
			q.AddWithOpts(at(5), "high")
			q.Add("zero")
		}, []string{"high@5", "zero@0", "low@-5"}},
		{"an add again keeps the place", func(q *queue.Queue[string]) {
			q.Add("a")
			q.Add("b")
			q.Add("a")
		}, []string{"a@0", "b@0"}},
		{"a higher priority wins, at the end of its line", func(q *queue.Queue[string]) {
			q.AddWithOpts(at(1), "a", "b")
			q.AddWithOpts(at(9), "c")
			q.AddWithOpts(at(9), "a")
		}, []string{"c@9", "a@9", "b@1"}},
		{"a lower priority changes nothing", func(q *queue.Queue[string]) {
			q.AddWithOpts(at(9), "a", "b")
			q.AddWithOpts(at(1), "a")
		}, []string{"a@9", "b@9"}},
		{"a delay does nothing to what is ready", func(q *queue.Queue[string]) {
			q.Add("a")
			q.AddAfter("a", time.Hour)
		}, []string{"a@0"}},
		{"but its priority counts", func(q *queue.Queue[string]) {
			q.Add("a")
			q.Add("b")
			q.AddWithOpts(priorityqueue.AddOpts{After: time.Hour, Priority: ptr(3)}, "b")
		}, []string{"b@3", "a@0"}},
		{"extreme priorities", func(q *queue.Queue[string]) {
			q.AddWithOpts(at(-1<<63), "least")
			q.AddWithOpts(at(1<<63-1), "most")
			q.Add("zero")
		}, []string{"most@9223372036854775807", "zero@0", "least@-9223372036854775808"}},
		{"many priorities", func(q *queue.Queue[string]) {
			for p := range 12 {
				q.AddWithOpts(at(p), string(rune('a'+p)))
			}
			q.AddWithOpts(at(20), "c")
		}, []string{"c@20", "l@11", "k@10", "j@9", "i@8", "h@7", "g@6", "f@5", "e@4", "d@3", "b@1", "a@0"}},
		{"priorities by source", func(q *queue.Queue[string]) {
			q.AddWithSource(trigger.Resync, priorityqueue.AddOpts{}, "resync")
			q.AddWithSource(trigger.Periodic, priorityqueue.AddOpts{}, "periodic")
			q.AddWithSource(trigger.Watched, priorityqueue.AddOpts{}, "watched")
			q.AddWithSource(trigger.Retry, priorityqueue.AddOpts{}, "retry")
			q.AddWithSource(trigger.External, priorityqueue.AddOpts{}, "external")
			q.AddWithSource(trigger.Primary, priorityqueue.AddOpts{}, "primary")
		}, []string{"external@0", "primary@0", "retry@-10", "watched@-20", "resync@-100", "periodic@-100"}},
		{"an own priority beats the source's", func(q *queue.Queue[string]) {
			q.AddWithSource(trigger.Watched, at(7), "watched")
			q.AddWithSource(trigger.Primary, at(-7), "primary")
		}, []string{"watched@7", "primary@-7"}},
		{"nothing added", func(q *queue.Queue[string]) {
			q.AddWithOpts(at(1))
		}, []string{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := newQueue()
				tc.add(q)
				require.Equal(t, len(tc.want), q.Len())
				require.Equal(t, tc.want, drain(t, q))
				require.Zero(t, q.Len())
			})
		})
	}
}

func ptr(i int) *int { return &i }

// Priorities come and go: the levels that were given up are no trap.
func TestManyPrioritiesComeAndGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		for round := range 3 {
			for p := range 100 {
				q.AddWithOpts(at((p*37+round)%100), string(rune('A'+p)))
			}
			last := 100
			for range 100 {
				key, priority := take(t, q)
				require.Less(t, priority, last)
				last = priority
				q.Done(key)
			}
		}
	})
}

func TestOneWorkerPerKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		q.Add("a")
		takeKey(t, q, "a")
		q.Add("b")
		q.Add("a") // before c, behind its own run
		q.Add("c")
		require.Equal(t, 3, q.Len(), "what stands behind its own run counts")
		require.Equal(t, 2, standing(q))
		require.Equal(t, []string{"b@0", "c@0"}, drain(t, q))

		q.Add("d")
		q.Done("a")
		require.Equal(t, []string{"a@0", "d@0"}, drain(t, q), "it kept its place")
		require.Zero(t, q.Len())
	})
}

// A parked request is merged with what comes: it has one more run, at the highest
// priority that was asked for.
func TestParkedRequestMerges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		q.Add("a")
		takeKey(t, q, "a")
		q.AddWithOpts(at(1), "a", "b")
		q.AddWithOpts(at(2), "a")
		q.AddAfter("a", time.Hour)
		q.AddWithOpts(at(-3), "a")
		require.Equal(t, 2, q.Len())
		q.Done("a")
		require.Equal(t, []string{"a@2", "b@1"}, drain(t, q))
		sleep(2 * time.Hour)
		require.Zero(t, q.Len(), "the delayed add was merged, too")
	})
}

func TestDoneWithoutGet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		q.Done("never seen")
		q.Add("a")
		q.Done("a") // not in flight
		q.AddAfter("later", time.Second)
		q.Done("later")
		require.Equal(t, []string{"a@0"}, drain(t, q))
		sleep(time.Second)
		require.Equal(t, []string{"later@0"}, drain(t, q))
	})
}

func TestDoneTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		q.Add("a")
		takeKey(t, q, "a")
		q.Add("a")
		q.Done("a")
		q.Done("a")
		require.Equal(t, 1, q.Len())
		require.Zero(t, q.Snapshot().Running)
		require.Equal(t, []string{"a@0"}, drain(t, q))
		q.Done("a")
		q.Add("a")
		require.Equal(t, []string{"a@0"}, drain(t, q))
	})
}

// Many workers that wait at once: each item wakes one that takes it.
func TestWaitingWorkersAreWoken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		got := make(chan string, 10)
		for range 5 {
			go func() {
				if key, shutdown := q.Get(); !shutdown {
					got <- key
				}
			}()
		}
		synctest.Wait()
		require.Empty(t, got)
		q.Add("a")
		q.Add("b")
		q.AddAfter("c", time.Second)
		q.AddAfter("d", time.Second)
		synctest.Wait()
		require.Len(t, got, 2)
		q.Add("a")
		synctest.Wait()
		require.Len(t, got, 2, "a is in flight")
		q.Done("a")
		synctest.Wait()
		require.Len(t, got, 3)
		sleep(time.Second)
		require.Len(t, got, 5)
		q.ShutDown()
	})
}
