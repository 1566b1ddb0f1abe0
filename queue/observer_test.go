package queue_test

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/trimtab/trimtab/queue"
	"github.com/trimtab/trimtab/trigger"
)

// 3 events of one source, 2 of another and a timer merge into one run: each is
// counted, and the run knows them all. The next run knows nothing of them.
func TestEverySourceIsCounted_ME11(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, observer := observed()
		q.AddWithSource(trigger.Periodic, priorityqueue.AddOpts{After: time.Second}, "k")
		sleep(time.Second)
		for range 3 {
			q.AddWithSource(trigger.Watched, priorityqueue.AddOpts{}, "k")
		}
		for range 2 {
			q.AddWithSource(trigger.External, priorityqueue.AddOpts{}, "k")
		}
		require.Equal(t, []string{
			"periodic", "watched merged", "watched merged", "watched merged", "external merged", "external merged",
		}, observer.added)
		require.Len(t, drain(t, q), 1)
		require.Len(t, observer.delivered, 1)
		require.Equal(t, trigger.SetOf(trigger.External, trigger.Watched, trigger.Periodic), observer.last(t).Sources)

		q.Add("k")
		drain(t, q)
		require.Equal(t, trigger.SetOf(trigger.Primary), observer.last(t).Sources)
		require.Empty(t, observer.requeued)
		require.Empty(t, observer.panicked)
	})
}

func TestObserverIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, observer := observed()
		q.AddWithSource(trigger.Watched, priorityqueue.AddOpts{}, "a", "b", "a")
		require.Equal(t, []string{"watched", "watched", "watched merged"}, observer.added)
		require.Empty(t, observer.delivered)

		popped := takeKey(t, q, "a")
		require.Len(t, observer.delivered, 1)
		require.Equal(t, -20, observer.last(t).Priority)
		require.Zero(t, observer.last(t).Attempt, "only Running asks the limiter")
		q.Add("a") // in flight, but not queued: not merged
		answer(q, "a", popped, reconcile.Result{}, errBroken)
		require.Equal(t, []string{"primary", "retry merged"}, observer.added[3:])
		require.Equal(t, []trigger.Source{trigger.Retry}, observer.requeued)

		q.HandlerPanicked(trigger.External)
		require.Equal(t, []trigger.Source{trigger.External}, observer.panicked)

		q.ShutDown()
		q.Add("c")
		_, shutdown := q.Get()
		require.True(t, shutdown)
		require.Len(t, observer.added, 5, "what is dropped is not counted")
		require.Len(t, observer.delivered, 1)
	})
}

// meddler calls back into the queue from every method: a call under the queue's
// lock would deadlock.
type meddler struct {
	q     *queue.Queue[string]
	calls atomic.Int32
}

func (m *meddler) meddle() {
	if m.calls.Add(1) > 100 {
		return
	}
	m.q.Snapshot()
	m.q.Len()
	m.q.Running("k")
	m.q.AddAfter("other", time.Hour)
}

func (m *meddler) Added(trigger.Source, bool)     { m.meddle() }
func (m *meddler) Requeued(trigger.Source)        { m.meddle() }
func (m *meddler) Limited(string, time.Duration)  { m.meddle() }
func (m *meddler) FailuresReset()                 { m.meddle() }
func (m *meddler) HotLoop()                       { m.meddle() }
func (m *meddler) GaveUp()                        { m.meddle() }
func (m *meddler) Delivered(trigger.Info)         { m.meddle() }
func (m *meddler) HandlerPanicked(trigger.Source) { m.meddle() }

func TestObserverMayCallTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &meddler{}
		m.q = queue.New("test", queue.Options[string]{Observer: m, RateLimiter: doubling()})
		m.q.Add("k")
		popped := takeKey(t, m.q, "k")
		m.q.Report("k", queue.Outcome{Err: errBroken})
		answer(m.q, "k", popped, reconcile.Result{}, errBroken)
		m.q.HandlerPanicked(trigger.Watched)
		require.GreaterOrEqual(t, m.calls.Load(), int32(100))
	})
}

// A source that is none costs nobody anything: it is added as an unknown one.
func TestUnknownSource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, observer := observed()
		q.AddWithSource(trigger.Source(200), priorityqueue.AddOpts{}, "k")
		require.Equal(t, []string{"unknown"}, observer.added)
		require.Equal(t, 1, standing(q))
		require.Equal(t, 0, takeKey(t, q, "k"))
		require.Equal(t, "unknown", observer.last(t).Sources.String())
		require.Zero(t, standing(q))
	})
}
