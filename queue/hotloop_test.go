package queue_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr/funcr"
	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/queue"
	"github.com/trimtab/trimtab/trigger"
)

// looper runs requests, and knows what was said of them.
type looper struct {
	t        *testing.T
	q        *queue.Queue[string]
	observer *recorder
	lines    []string
}

func newLooper(t *testing.T, opts queue.Options[string]) *looper {
	t.Helper()
	l := &looper{t: t, observer: &recorder{}}
	opts.Observer = l.observer
	opts.Log = funcr.New(func(_, args string) { l.lines = append(l.lines, args) }, funcr.Options{})
	l.q = queue.New("test", opts)
	return l
}

// runs lets key run n times, once every period, each time after an add that comes
// so long after the end of the run before; a negative time is before that end.
func (l *looper) runs(key string, n int, period, after time.Duration, object queue.Object) {
	l.t.Helper()
	l.q.Add(key)
	for range n {
		takeKey(l.t, l.q, key)
		l.q.Running(key)
		l.q.Report(key, queue.Outcome{Object: object})
		if after < 0 {
			l.q.AddWithSource(trigger.Watched, at(0), key)
			sleep(-after)
			l.q.Done(key)
			sleep(period + after)
			continue
		}
		l.q.Done(key)
		sleep(after)
		l.q.AddWithSource(trigger.Watched, at(0), key)
		sleep(period - after)
	}
	takeKey(l.t, l.q, key)
	l.q.Done(key)
}

func TestHotLoop(t *testing.T) {
	const third = time.Second / 3
	for _, tc := range []struct {
		name string
		runs func(l *looper)
		hot  bool
	}{
		{"answers its own write", func(l *looper) { l.runs("a", 200, third, 10*ms, queue.Object{}) }, true},
		{"answers while it runs", func(l *looper) { l.runs("a", 200, third, -10*ms, queue.Object{}) }, true},
		{"not for long enough", func(l *looper) { l.runs("a", 119, third, 10*ms, queue.Object{}) }, false},
		{"not fast enough", func(l *looper) { l.runs("a", 1000, 600*ms, 10*ms, queue.Object{}) }, false},
		{"events that come by themselves", func(l *looper) { l.runs("a", 1000, 1002*ms, 1001*ms, queue.Object{}) }, false},
		{"another object each time", func(l *looper) {
			for i := range 300 {
				l.runs(fmt.Sprint(i), 1, 100*ms, 10*ms, queue.Object{})
			}
		}, false},
		{"somebody changes it again and again", func(l *looper) {
			for generation := range int64(20) {
				l.runs("a", 100, third, 10*ms, queue.Object{Found: true, Generation: generation + 1})
			}
		}, false},
		{"it changes itself again and again", func(l *looper) {
			for generation := range int64(20) {
				l.runs("a", 20, third, 10*ms, queue.Object{Found: true, Generation: generation + 1, Written: generation + 2})
			}
		}, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLooper(t, queue.Options[string]{})
				defer l.q.ShutDown()
				tc.runs(l)
				if !tc.hot {
					require.Empty(t, l.lines)
					require.Zero(t, l.observer.hotLoops)
					require.Empty(t, l.q.Snapshot().HotLoops)
					return
				}
				require.Len(t, l.lines, 1) // Once, however long it goes on.
				require.Contains(t, l.lines[0], `"request"="a"`)
				require.Contains(t, l.lines[0], `"runsInLastMinute"=121`)
				require.Equal(t, 1, l.observer.hotLoops)
				require.Equal(t, []string{"a"}, l.q.Snapshot().HotLoops)
			})
		})
	}
}

// A hot loop is over after a minute with few runs, or none, and can be told again.
func TestHotLoopIsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLooper(t, queue.Options[string]{})
		defer l.q.ShutDown()
		hot := func() { l.runs("a", 400, 300*ms, 10*ms, queue.Object{}) }
		hot()
		l.runs("a", 100, 1500*ms, 10*ms, queue.Object{}) // 40 in a minute: still one
		require.Len(t, l.q.Snapshot().HotLoops, 1)
		hot()
		require.Equal(t, 1, l.observer.hotLoops)

		l.runs("a", 100, 3*time.Second, 10*ms, queue.Object{}) // 20 in a minute
		require.Empty(t, l.q.Snapshot().HotLoops)
		hot()
		require.Equal(t, 2, l.observer.hotLoops)

		sleep(59 * time.Second)
		require.Len(t, l.q.Snapshot().HotLoops, 1)
		sleep(time.Second)
		require.Empty(t, l.q.Snapshot().HotLoops)
		hot()
		require.Equal(t, 3, l.observer.hotLoops)

		// Somebody mends it.
		l.runs("a", 1, 300*ms, 10*ms, queue.Object{Found: true, Generation: 7})
		l.runs("a", 1, 300*ms, 10*ms, queue.Object{Found: true, Generation: 8})
		require.Empty(t, l.q.Snapshot().HotLoops)
	})
}

// Thousands of others that run meanwhile hide no hot loop.
func TestHotLoopInACrowd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLooper(t, queue.Options[string]{})
		defer l.q.ShutDown()
		n := 0
		for range 600 {
			l.runs("a", 1, 50*ms, 10*ms, queue.Object{})
			for range 20 {
				n++
				l.q.Add(fmt.Sprint(n))
				takeKey(t, l.q, fmt.Sprint(n))
				l.q.Done(fmt.Sprint(n))
			}
			sleep(200 * ms)
		}
		require.Equal(t, []string{"a"}, l.q.Snapshot().HotLoops)
		require.Len(t, l.lines, 1)
	})
}

func TestDisableHotLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLooper(t, queue.Options[string]{DisableHotLoop: true})
		defer l.q.ShutDown()
		l.runs("a", 500, 100*ms, 10*ms, queue.Object{})
		require.Empty(t, l.lines)
		require.Empty(t, l.q.Snapshot().HotLoops)
	})
}
