package queue_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/queue"
	"github.com/trimtab/trimtab/trigger"
)

// RC04: a run that ended its worker is requeued by its report, as after an error,
// since nobody else does.
func TestExitedRunComesBack_RC04(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, observer := observed()
		defer q.ShutDown()
		q.AddWithOpts(at(7), "k")
		for n, backoff := range []time.Duration{10 * ms, 20 * ms, 40 * ms} {
			takeKey(t, q, "k")
			info, ok := q.Running("k")
			require.True(t, ok)
			require.Equal(t, n+1, info.Attempt)
			q.Report("k", queue.Outcome{Class: "panic", Err: errBroken, Exited: true})
			q.Done("k")
			sleep(backoff - 1)
			require.Zero(t, standing(q))
			sleep(1)
			require.Equal(t, 1, standing(q))
		}
		takeKey(t, q, "k")
		require.Equal(t, "panic", observer.last(t).LastClass)
		require.Equal(t, trigger.SetOf(trigger.Retry), observer.last(t).Sources)
		require.Equal(t, []trigger.Source{trigger.Retry, trigger.Retry, trigger.Retry}, observer.requeued)
		q.Report("k", queue.Outcome{})
		q.Done("k")
		sleep(time.Hour)
		require.Zero(t, standing(q))
	})
}

// An event that comes before the worker's end runs the request at once.
func TestExitedRunAndAnEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, _ := observed()
		defer q.ShutDown()
		q.Add("k")
		takeKey(t, q, "k")
		q.Running("k")
		q.Report("k", queue.Outcome{Err: errBroken, Exited: true})
		q.Add("k")
		require.Zero(t, standing(q), "its run is in flight")
		q.Done("k")
		require.Equal(t, []string{"k@0"}, drain(t, q))
		sleep(time.Hour)
		require.Zero(t, standing(q))
	})
}

func TestExitedRunOfAClosedQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, observer := observed()
		q.Add("k")
		takeKey(t, q, "k")
		q.Running("k")
		q.ShutDown()
		q.Report("k", queue.Outcome{Err: errBroken, Exited: true})
		q.Done("k")
		require.Zero(t, q.NumRequeues("k"))
		require.Empty(t, observer.requeued)
	})
}

// A worker that has ended is none of those that the queue has, also if the others
// have come back for work before its end.
func TestExitedRunTakesItsWorker_RC04(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, _ := observed()
		defer q.ShutDown()
		get := func() { q.Get() }
		for range 2 {
			go get()
		}
		synctest.Wait()
		q.Add("k")
		q.Add("l")
		synctest.Wait()
		require.Equal(t, 2, q.Snapshot().Workers)
		q.Running("k")
		q.Report("k", queue.Outcome{Err: errBroken, Exited: true})
		q.Done("l")
		go get()
		synctest.Wait()
		q.Done("k")
		require.Equal(t, 1, q.Snapshot().Workers)
		q.Add("m")
		synctest.Wait()
		q.Done("m")
		go get()
		synctest.Wait()
		require.Equal(t, 1, q.Snapshot().Workers)
	})
}
