package queue_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/trimtab/trimtab/queue"
	"github.com/trimtab/trimtab/trigger"
)

func TestSnapshot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		require.Equal(t, queue.Snapshot[string]{}, q.Snapshot())

		q.Add("a")
		q.Add("b")
		q.AddWithSource(trigger.Watched, priorityqueue.AddOpts{}, "c", "d")
		q.AddWithSource(trigger.Resync, priorityqueue.AddOpts{}, "d") // d counts under Watched
		q.AddAfter("e", time.Hour)
		takeKey(t, q, "a")
		q.Add("a") // behind its own run: in no depth
		sleep(time.Second)
		takeKey(t, q, "b")
		q.Add("c") // counts under Primary now
		sleep(2 * time.Second)

		depth := [trigger.Count]int{trigger.Primary: 1, trigger.Watched: 1}
		require.Equal(t, queue.Snapshot[string]{
			Depth:         depth,
			ByPriority:    map[int]int{0: 1, -20: 1},
			Delayed:       1,
			NextDue:       time.Hour - 3*time.Second,
			Running:       2,
			Workers:       2,
			OldestWaiting: 3 * time.Second,
			Runs: []queue.Run[string]{
				{Request: "a", Sources: trigger.SetOf(trigger.Primary), Age: 3 * time.Second},
				{Request: "b", Sources: trigger.SetOf(trigger.Primary), Age: 2 * time.Second},
			},
		}, q.Snapshot())

		q.Done("a")
		depth[trigger.Primary]++
		s := q.Snapshot()
		require.Equal(t, depth, s.Depth)
		require.Equal(t, []queue.Run[string]{{Request: "b", Sources: trigger.SetOf(trigger.Primary), Age: 2 * time.Second}}, s.Runs)
		q.Done("b")
		s = q.Snapshot()
		require.Empty(t, s.Runs)
		require.Equal(t, 3*time.Second, s.OldestWaiting)
		require.Len(t, drain(t, q), 3)
		require.Zero(t, q.Snapshot().OldestWaiting)
		require.Nil(t, q.Snapshot().ByPriority)
		q.ShutDown()
		require.Zero(t, q.Snapshot().NextDue)
	})
}

// What waited behind its own run waits for a worker only since that ended.
func TestOldestWaitingIsForAWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		q.Add("a")
		takeKey(t, q, "a")
		q.Add("a")
		sleep(time.Minute)
		require.Zero(t, q.Snapshot().OldestWaiting)
		q.Done("a")
		sleep(time.Second)
		require.Equal(t, time.Second, q.Snapshot().OldestWaiting)
		q.AddWithOpts(at(9), "b")
		sleep(time.Second)
		require.Equal(t, 2*time.Second, q.Snapshot().OldestWaiting)
	})
}

// The number of workers is the peak of those that wait and those that work.
func TestWorkersAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		require.Zero(t, q.Snapshot().Workers)
		stop := make(chan struct{})
		worker := func() {
			for {
				key, shutdown := q.Get()
				if shutdown {
					return
				}
				<-stop
				q.Done(key)
			}
		}
		for range 3 {
			go worker()
		}
		synctest.Wait()
		require.Equal(t, 3, q.Snapshot().Workers)
		q.AddWithOpts(at(0), "a", "b")
		synctest.Wait()
		require.Equal(t, 2, q.Snapshot().Running)
		require.Equal(t, 3, q.Snapshot().Workers)
		go worker()
		synctest.Wait()
		require.Equal(t, 4, q.Snapshot().Workers)
		for i := range 10 {
			q.Add(fmt.Sprint(i))
		}
		synctest.Wait()
		require.Equal(t, 4, q.Snapshot().Running)
		close(stop)
		synctest.Wait()
		require.Zero(t, q.Snapshot().Running)
		require.Equal(t, 4, q.Snapshot().Workers)
		q.ShutDown()
	})
}

// OverFor counts from when more than the threshold stand, resyncs aside.
func TestSaturation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := queue.New("test", queue.Options[string]{SaturationDepth: 3})
		add := func(source trigger.Source, n int) {
			for i := range n {
				q.AddWithSource(source, priorityqueue.AddOpts{}, fmt.Sprint(source, i))
			}
		}
		add(trigger.Watched, 4)
		sleep(time.Minute)
		require.Zero(t, q.Snapshot().OverFor, "no worker has asked")
		take(t, q)
		sleep(time.Minute)
		require.Zero(t, q.Snapshot().OverFor, "3 are not over 3")

		add(trigger.Resync, 100)
		sleep(time.Minute)
		require.Zero(t, q.Snapshot().OverFor, "nobody waits for a resync")
		q.Add("resync7") // somebody waits for this one now
		sleep(time.Minute)
		require.Equal(t, time.Minute, q.Snapshot().OverFor)
		q.AddAfter("later", time.Second)
		sleep(time.Minute)
		require.Equal(t, 2*time.Minute, q.Snapshot().OverFor, "without a break")

		take(t, q)
		take(t, q)
		require.Zero(t, q.Snapshot().OverFor)
		q.AddAfter("again", time.Second)
		sleep(3 * time.Second)
		require.Equal(t, 2*time.Second, q.Snapshot().OverFor, "since it became ready")
	})
}

// A warm standby is not saturated, and is from its first Get on.
func TestSaturationStartsWithTheFirstGet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		for i := range 200 {
			q.Add(fmt.Sprint(i))
		}
		sleep(time.Hour)
		require.Zero(t, q.Snapshot().OverFor)
		take(t, q)
		sleep(time.Second)
		require.Equal(t, time.Second, q.Snapshot().OverFor)
		for range 99 {
			take(t, q)
		}
		require.Zero(t, q.Snapshot().OverFor, "%d are the threshold", queue.DefaultSaturationDepth)
	})
}

// Hot names those that were requeued most, in the order of what it says of them.
func TestHot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		requeue := func(key string) {
			q.Add(key)
			popped := takeKey(t, q, key)
			answer(q, key, popped, reconcile.Result{RequeueAfter: time.Nanosecond}, nil)
			q.Done(key)
			sleep(1)
			takeKey(t, q, key)
			q.Done(key)
		}
		require.Empty(t, q.Snapshot().Hot)
		for i := range 3 {
			for range 3 - i {
				requeue(fmt.Sprint("hot ", i))
			}
		}
		require.Equal(t, []queue.Hot[string]{{"hot 0", 3}, {"hot 1", 2}, {"hot 2", 1}}, q.Snapshot().Hot)

		// Many that came once each: the two that really came often stay on top.
		for range 50 {
			requeue("hot 0")
		}
		for range 30 {
			requeue("hot 2")
		}
		for i := range 1000 {
			requeue(fmt.Sprint("once ", i))
		}
		hot := q.Snapshot().Hot
		require.Greater(t, len(hot), 20)
		require.Equal(t, []queue.Hot[string]{{"hot 0", 53}, {"hot 2", 31}}, hot[:2])
		for _, h := range hot[2:] {
			require.Equal(t, uint64(1), h.Requeues, "%s came once", h.Request)
		}
	})
}

// An event is no requeue.
func TestEventsAreNotHot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		for range 10 {
			q.Add("k")
			drain(t, q)
		}
		require.Empty(t, q.Snapshot().Hot)
	})
}
