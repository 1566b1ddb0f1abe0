package queue_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/trimtab/trimtab/queue"
	"github.com/trimtab/trimtab/trigger"
)

// In a real controller: whatever asks for it, no run starts within a second after
// the last one of its request has ended, no worker waits for that, and what asks for
// a later time gets that.
func TestMinIntervalInController(t *testing.T) {
	second := time.Second
	for _, tc := range []struct {
		name   string
		result reconcile.Result
		err    error
		events time.Duration // between two of them; zero for none
		want   []time.Duration
	}{
		{"events", reconcile.Result{}, nil, 130 * ms, []time.Duration{0, 1100 * ms, 2200 * ms, 3300 * ms}},
		{"retries", reconcile.Result{}, errBroken, 0, []time.Duration{0, 1100 * ms, 2200 * ms, 3300 * ms}},
		{"retries and events", reconcile.Result{}, errBroken, 130 * ms, []time.Duration{0, 1100 * ms, 2200 * ms, 3300 * ms}},
		{"RequeueAfter", reconcile.Result{RequeueAfter: 10 * ms}, nil, 0, []time.Duration{0, 1100 * ms, 2200 * ms, 3300 * ms}},
		{"a later RequeueAfter", reconcile.Result{RequeueAfter: 1500 * ms}, nil, 0, []time.Duration{0, 1600 * ms, 3200 * ms}},
		{"that, and events", reconcile.Result{RequeueAfter: 1500 * ms}, nil, 130 * ms, []time.Duration{0, 1100 * ms, 2200 * ms, 3300 * ms}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				var at, other []time.Duration
				o := queue.Options[string]{MinInterval: second, RateLimiter: doubling()}
				q := startController(t, 1, o, false, func(_ context.Context, key string) (reconcile.Result, error) {
					if key != "k" {
						other = append(other, time.Since(start))
						return reconcile.Result{}, nil
					}
					at = append(at, time.Since(start))
					time.Sleep(100 * ms)
					return tc.result, tc.err
				})
				q.Add("k")
				sleep(500 * ms)
				q.Add("other")
				for time.Since(start) < 3400*ms {
					sleep(max(10*ms, tc.events))
					if tc.events > 0 {
						q.Add("k")
					}
				}
				require.Equal(t, tc.want, at)
				require.Equal(t, []time.Duration{500 * ms}, other, "the worker is free")
			})
		})
	}
}

// What rests is not there for anybody: it is not delayed, nor in the way of a drain.
func TestWhatRestsIsNotQueued(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		observer := &recorder{}
		q := queue.New("test", queue.Options[string]{MinInterval: time.Second, Observer: observer})
		q.Add("k")
		drain(t, q)
		s := q.Snapshot()
		require.Zero(t, s.Delayed)
		require.Zero(t, s.NextDue)
		require.Zero(t, q.Len())

		sleep(300 * ms)
		watched(q, "k")
		q.Add("k")
		q.AddAfter("k", time.Hour)
		require.Equal(t, []string{"primary", "watched", "primary merged", "primary merged"}, observer.added)
		s = q.Snapshot()
		require.Equal(t, 1, s.Delayed)
		require.Equal(t, 700*ms, s.NextDue)
		require.Zero(t, q.Len())
		sleep(700*ms - 1)
		require.Zero(t, standing(q))
		sleep(1)
		require.Equal(t, []string{"k@0"}, drain(t, q))
		info := observer.last(t)
		require.Equal(t, 700*ms, info.Delay())
		require.Zero(t, info.Wait())

		// When it has rested, it runs at once, though nobody has noticed that yet.
		time.Sleep(time.Second)
		q.Add("k")
		require.Equal(t, []string{"k@0"}, drain(t, q))
		q.ShutDownWithDrain()
	})
}

// A time that was asked for and is later than the rest is kept, and can be cut short
// down to the rest. What was overtaken is no cause of the run.
func TestRestAndAddAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		observer := &recorder{}
		q := queue.New("test", queue.Options[string]{MinInterval: time.Second, Observer: observer})
		q.Add("k")
		takeKey(t, q, "k")
		q.AddWithSource(trigger.Periodic, priorityqueue.AddOpts{After: time.Minute}, "k")
		q.Done("k")
		require.Equal(t, time.Minute, q.Snapshot().NextDue)
		sleep(400 * ms)
		q.AddWithSource(trigger.Retry, priorityqueue.AddOpts{After: 200 * ms}, "k")
		require.Equal(t, 600*ms, q.Snapshot().NextDue)
		sleep(300 * ms)
		q.Add("k")
		sleep(300*ms - 1)
		require.Zero(t, standing(q))
		sleep(1)
		takeKey(t, q, "k")
		require.Equal(t, trigger.SetOf(trigger.Primary, trigger.Retry), observer.last(t).Sources)
		require.Equal(t, 600*ms, observer.last(t).Delay())
		q.Done("k")
		sleep(time.Hour)
		require.Zero(t, standing(q))
	})
}

// The phases of what stood behind its own run and then rests add up.
func TestPhasesOfARest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		observer := &recorder{}
		q := queue.New("test", queue.Options[string]{MinInterval: time.Second, Observer: observer})
		q.AddWithOpts(at(-5), "k")
		takeKey(t, q, "k")
		sleep(100 * ms)
		watched(q, "k")
		require.Equal(t, 1, q.Len())
		sleep(200 * ms)
		q.Done("k")
		require.Zero(t, q.Len())
		require.Equal(t, 1, q.Snapshot().Delayed)
		sleep(100 * ms)
		q.AddWithOpts(at(7), "k") // The higher priority counts, though it waits.
		sleep(900 * ms)
		require.Equal(t, 1, standing(q))
		sleep(50 * ms) // No worker is free.
		require.Equal(t, 50*ms, q.Snapshot().OldestWaiting)
		require.Equal(t, 7, takeKey(t, q, "k"))
		info := observer.last(t)
		require.Equal(t, 100*ms, info.Added.Sub(start))
		require.Equal(t, 1350*ms, info.Started.Sub(start))
		require.Equal(t, 200*ms, info.OwnRun)
		require.Equal(t, time.Second, info.Delay())
		require.Equal(t, 50*ms, info.Wait())
		require.Equal(t, trigger.SetOf(trigger.Primary, trigger.Watched), info.Sources)
		require.Equal(t, 1300*ms, info.Since().Sub(start))
	})
}

// A debounce and a rest: the later of the two ends counts.
func TestRestAndDebounce(t *testing.T) {
	for _, tc := range []struct{ debounce, want time.Duration }{
		{100 * ms, time.Second},
		{700 * ms, 1500 * ms},
	} {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			q, observer := worked(t, queue.Options[string]{MinInterval: time.Second, Debounce: tc.debounce})
			q.Add("k")
			sleep(700 * ms)
			watched(q, "k")
			sleep(100 * ms)
			watched(q, "k")
			sleep(time.Minute)
			require.Equal(t, []time.Duration{0, tc.want}, observer.starts(start))
			require.Equal(t, tc.want-700*ms, observer.last(t).Delay())
		})
	}
	synctest.Test(t, func(t *testing.T) { // A user ends the debounce, not the rest.
		start := time.Now()
		q, observer := worked(t, queue.Options[string]{MinInterval: time.Second, Debounce: time.Minute})
		q.Add("k")
		sleep(100 * ms)
		watched(q, "k")
		q.Add("k")
		watched(q, "k")
		sleep(time.Hour)
		require.Equal(t, []time.Duration{0, time.Second}, observer.starts(start))
	})
}

// The rest is over when MaxInterval is, or before that.
func TestRestAndMaxInterval(t *testing.T) {
	for _, longest := range []time.Duration{time.Second, 3 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			q := queue.New("test", queue.Options[string]{MinInterval: time.Second, MaxInterval: longest})
			q.Add("k")
			takeKey(t, q, "k")
			q.Report("k", queue.Outcome{Object: queue.Object{Found: true}})
			q.Done("k")
			require.Equal(t, longest, q.Snapshot().NextDue)
			sleep(longest)
			require.Equal(t, []string{"k@-100"}, drain(t, q))
		})
	}
}

// A drain finishes what stands behind its own run, and does not wait for its rest.
func TestDrainDoesNotRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := queue.New("test", queue.Options[string]{MinInterval: time.Hour})
		for _, key := range []string{"resting", "waiting", "running"} {
			q.Add(key)
			takeKey(t, q, key)
			if key != "running" {
				q.Done(key)
			}
		}
		q.Add("waiting") // delayed
		q.Add("running") // behind its own run
		ended := false
		go func() {
			q.ShutDownWithDrain()
			ended = true
		}()
		synctest.Wait()
		require.False(t, ended)
		require.Equal(t, 0, q.Snapshot().Delayed)
		q.Done("running")
		require.Equal(t, []string{"running@0"}, drain(t, q))
		synctest.Wait()
		require.True(t, ended)
	})
}

// The memory of what rests is free again after MinInterval, without any call, and
// after ShutDown.
func TestMemoryOfWhatRests_RL06(t *testing.T) {
	const keys = 20_000
	for name, end := range map[string]func(q *queue.Queue[string]){
		"in time":  func(*queue.Queue[string]) { sleep(2 * time.Minute) },
		"ShutDown": (*queue.Queue[string]).ShutDown,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := queue.New("test", queue.Options[string]{MinInterval: time.Minute, DisableHotLoop: true})
				defer q.ShutDown()
				before := heapInUse()
				for i := range keys {
					q.Add(fmt.Sprint(i))
					key, _ := q.Get()
					q.Done(key)
				}
				require.Greater(t, heapInUse()-before, int64(2_000_000))
				end(q)
				require.Less(t, heapInUse()-before, int64(400_000))
				runtime.KeepAlive(q)
			})
		})
	}
}

// Keys that rest share the timer, which does not fire for each of them.
func TestRestingKeysMoveWithTheTable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const keys = 5000
		q := queue.New("test", queue.Options[int]{MinInterval: time.Second})
		defer q.ShutDown()
		for i := range keys {
			q.Add(i)
			if key, _ := q.Get(); key%10 == 0 {
				q.Done(key)
			} else {
				q.AddAfter(key, time.Millisecond*time.Duration(key))
				q.Done(key)
			}
		}
		sleep(500 * ms)
		for i := range keys / 10 {
			q.Add(10 * i) // out of their rest
		}
		sleep(500 * ms)
		require.Equal(t, keys/10+900, q.Len())
		sleep(time.Minute)
		require.Equal(t, keys, q.Len())
		seen := map[int]bool{}
		for range keys {
			key, _ := q.Get()
			require.False(t, seen[key])
			seen[key] = true
			q.Done(key)
		}
	})
}
