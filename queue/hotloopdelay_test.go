package queue_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/trimtab/trimtab/queue"
	"github.com/trimtab/trimtab/trigger"
)

// hotDelays are delays of hot loops: fewer than 30 runs in a minute, or one in many.
var hotDelays = []time.Duration{time.Second, 5 * time.Second, time.Minute, 10 * time.Minute}

// loopWithDelay returns a queue in which the last run of "a" has just made a hot
// loop of it.
func loopWithDelay(t *testing.T, delay time.Duration) *looper {
	t.Helper()
	l := newLooper(t, queue.Options[string]{HotLoopDelay: delay})
	// The 121st run after an add just before it makes a hot loop.
	l.runs("a", 121, 300*ms, 10*ms, queue.Object{})
	require.Equal(t, []string{"a"}, l.q.Snapshot().HotLoops)
	return l
}

// rested runs "a", which must be ready so long after the end of its last run, of
// which the time since has passed.
func (l *looper) rested(delay, since time.Duration) {
	l.t.Helper()
	sleep(delay - since - 1)
	require.Zero(l.t, standing(l.q))
	sleep(1)
	takeKey(l.t, l.q, "a")
}

// HotLoopDelay slows a hot loop down, and nothing else.
func TestHotLoopDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := loopWithDelay(t, 10*time.Second)
		defer l.q.ShutDown()
		end := time.Now()
		watched(l.q, "a")
		l.q.Add("b")
		takeKey(t, l.q, "b")
		l.q.Done("b")
		l.rested(10*time.Second, 0)
		require.Equal(t, end.Add(10*time.Second), l.observer.last(t).Ready)
		require.Equal(t, 10*time.Second, l.observer.last(t).Delay())
		l.q.Add("a") // behind its own run: held, too
		l.q.Done("a")
		l.rested(10*time.Second, 0)
		l.q.Done("a")
	})
}

// A loop that its delay slows down is one as long as its runs come of adds just
// before, and is named once.
func TestHotLoopDelayKeepsLoops(t *testing.T) {
	for _, delay := range hotDelays {
		for name, after := range map[string]time.Duration{"during": -1, "just after": 10 * ms, "a second after": 999 * ms} {
			t.Run(fmt.Sprint(delay, " ", name), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					l := loopWithDelay(t, delay)
					defer l.q.ShutDown()
					watched(l.q, "a")
					l.rested(delay, 0)
					for start := time.Now(); time.Since(start) < max(10*time.Minute, 10*delay); {
						if after < 0 {
							watched(l.q, "a")
						}
						l.q.Done("a")
						sleep(max(0, after))
						if after >= 0 {
							watched(l.q, "a")
						}
						require.Equal(t, []string{"a"}, l.q.Snapshot().HotLoops)
						l.rested(delay, max(0, after))
					}
					l.q.Done("a")
					require.Equal(t, 1, l.observer.hotLoops)
					require.Len(t, l.lines, 1)
				})
			})
		}
	}
}

// The loop is over once its runs have come of other adds for two minutes; if it runs
// in a loop again, that is told again.
func TestHotLoopDelayEnds(t *testing.T) {
	for _, delay := range hotDelays {
		synctest.Test(t, func(t *testing.T) {
			l := loopWithDelay(t, delay)
			defer l.q.ShutDown()
			for range 50 { // Still in the loop.
				watched(l.q, "a")
				l.rested(delay, 0)
				l.q.Done("a")
			}
			for start := time.Now(); time.Since(start) < 2*time.Minute; {
				sleep(2 * time.Second)
				watched(l.q, "a")
				sleep(max(0, delay-2*time.Second))
				takeKey(t, l.q, "a")
				l.q.Done("a")
			}
			require.Empty(t, l.q.Snapshot().HotLoops)
			require.Equal(t, 1, l.observer.hotLoops)
			sleep(2 * time.Second)
			l.runs("a", 121, 300*ms, 10*ms, queue.Object{}) // It rests no more.
			require.Equal(t, 2, l.observer.hotLoops)
		})
	}
}

// A loop of which nothing is heard is over a minute after it could have run.
func TestHotLoopDelayAndSilence(t *testing.T) {
	for _, delay := range hotDelays {
		synctest.Test(t, func(t *testing.T) {
			l := loopWithDelay(t, delay)
			defer l.q.ShutDown()
			sleep(delay + time.Minute - 1)
			require.Len(t, l.q.Snapshot().HotLoops, 1)
			sleep(1)
			require.Empty(t, l.q.Snapshot().HotLoops)
			l.runs("a", 121, 300*ms, 10*ms, queue.Object{})
			require.Equal(t, 2, l.observer.hotLoops)
		})
	}
}

// What a reconciler asks for later makes no loop; an event beside that does.
func TestHotLoopDelayAndRequeueAfter(t *testing.T) {
	const delay = 10 * time.Second
	for _, hot := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			l := loopWithDelay(t, delay)
			defer l.q.ShutDown()
			watched(l.q, "a")
			l.rested(delay, 0)
			for range 30 {
				after := reconcile.Result{RequeueAfter: 5 * time.Second}
				popped := l.observer.last(t).Priority
				l.q.Running("a")
				l.q.Report("a", queue.Outcome{Result: after})
				answer(l.q, "a", popped, after, nil)
				l.q.Done("a")
				sleep(10 * ms)
				if hot {
					watched(l.q, "a")
				}
				sleep(delay - 10*ms)
				takeKey(t, l.q, "a")
				require.True(t, l.observer.last(t).Sources.Has(trigger.Periodic))
			}
			require.Equal(t, hot, len(l.q.Snapshot().HotLoops) > 0)
			l.q.Done("a")
		})
	}
}

// An add just after the run keeps the loop, also if another cuts its debounce short.
func TestHotLoopDelayAndDebounce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLooper(t, queue.Options[string]{HotLoopDelay: 5 * time.Second, Debounce: 10 * time.Second})
		defer l.q.ShutDown()
		for range 122 {
			sleep(300 * ms)
			l.q.Add("a")
			takeKey(t, l.q, "a")
			l.q.Done("a")
		}
		require.Len(t, l.lines, 1)
		for range 30 {
			watched(l.q, "a")
			sleep(3 * time.Second)
			l.q.Add("a")
			l.rested(5*time.Second, 3*time.Second)
			l.q.Done("a")
		}
		require.Len(t, l.q.Snapshot().HotLoops, 1)
	})
}

// A loop that rests for long is not displaced by what runs meanwhile.
func TestHotLoopDelayInACrowd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const delay = 10 * time.Minute
		l := loopWithDelay(t, delay)
		defer l.q.ShutDown()
		for range 3 {
			watched(l.q, "a")
			sleep(delay / 2)
			for i := range 3000 {
				key := fmt.Sprint(i)
				l.q.Add(key)
				takeKey(t, l.q, key)
				l.q.Done(key)
			}
			require.Equal(t, []string{"a"}, l.q.Snapshot().HotLoops)
			l.rested(delay, delay/2)
			l.q.Done("a")
		}
		require.Equal(t, 1, l.observer.hotLoops)
	})
}
