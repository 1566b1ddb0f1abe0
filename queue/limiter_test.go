package queue_test

import (
	"errors"
	"math"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr/funcr"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/trimtab/trimtab/queue"
	"github.com/trimtab/trimtab/ratelimit"
)

// stub is a limiter whose methods a test gives. Those that it does not give count.
type stub struct {
	when         func(string) time.Duration
	forget       func(string)
	numRequeues  func(string) int
	whens, fgets atomic.Int32
}

func (s *stub) When(key string) time.Duration {
	s.whens.Add(1)
	if s.when == nil {
		return 10 * ms
	}
	return s.when(key)
}

func (s *stub) Forget(key string) {
	s.fgets.Add(1)
	if s.forget != nil {
		s.forget(key)
	}
}

func (s *stub) NumRequeues(key string) int {
	if s.numRequeues == nil {
		return 7
	}
	return s.numRequeues(key)
}

func limitedBy(s *stub) *queue.Queue[string] {
	return queue.New("test", queue.Options[string]{RateLimiter: s})
}

// The limiter is asked for each rate limited add, and for no other.
func TestLimiterIsAsked_RL14_RL15(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &stub{}
		q := limitedBy(s)
		for range 100 {
			q.Add("k")
			q.AddAfter("k", time.Second)
			q.AddWithOpts(at(3), "k")
		}
		require.Zero(t, s.whens.Load())
		for range 3 {
			q.AddRateLimited("k")
		}
		require.EqualValues(t, 3, s.whens.Load())
		q.AddWithOpts(priorityqueue.AddOpts{RateLimited: true}, "a", "b", "a")
		require.EqualValues(t, 6, s.whens.Load())
		require.Equal(t, 7, q.NumRequeues("k"))
		require.Zero(t, s.fgets.Load())
		q.Forget("k")
		require.EqualValues(t, 1, s.fgets.Load())
	})
}

// 100 events raise no backoff: the first real failure waits the base.
func TestEventsAreNoFailures_RL15(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		for range 100 {
			q.Add("k")
			drain(t, q)
		}
		require.Zero(t, q.NumRequeues("k"))
		q.AddRateLimited("k")
		sleep(10*ms - 1)
		require.Zero(t, standing(q))
		sleep(1)
		require.Equal(t, 1, standing(q))
	})
}

// fail lets key, which is ready, fail once, and returns the backoff that follows.
func fail(t *testing.T, q *queue.Queue[string], key string) time.Duration {
	t.Helper()
	popped := takeKey(t, q, key)
	answer(q, key, popped, reconcile.Result{}, errBroken)
	q.Done(key)
	start := time.Now()
	for standing(q) == 0 {
		sleep(ms)
	}
	return time.Since(start)
}

// succeed lets key, which is ready, come back once after a success.
func succeed(t *testing.T, q *queue.Queue[string], key string) {
	t.Helper()
	popped := takeKey(t, q, key)
	answer(q, key, popped, reconcile.Result{RequeueAfter: 30 * time.Second}, nil)
	q.Done(key)
	sleep(30 * time.Second)
}

func TestSuccessEndsTheBackoff_RL19_RQ03(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		q.Add("k")
		for _, want := range []time.Duration{10 * ms, 20 * ms, 40 * ms, 80 * ms, 160 * ms} {
			require.Equal(t, want, fail(t, q, "k"))
		}
		require.Equal(t, 5, q.NumRequeues("k"))
		succeed(t, q, "k")
		require.Zero(t, q.NumRequeues("k"))
		require.Equal(t, 10*ms, fail(t, q, "k"))
		require.Equal(t, 1, q.NumRequeues("k"))
		takeKey(t, q, "k")
		q.Done("k")

		q.Add("another")
		require.Equal(t, 10*ms, fail(t, q, "another"), "keys do not influence each other")
		require.Equal(t, 1, q.NumRequeues("k"))
	})
}

// Two queues made alike have limiters of their own.
func TestDefaultLimiterIsNotShared_RL08(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := queue.New("a", queue.Options[string]{}), queue.New("b", queue.Options[string]{})
		for range 3 {
			a.AddRateLimited("k")
		}
		b.Forget("k")
		require.Equal(t, 3, a.NumRequeues("k"))
		require.Zero(t, b.NumRequeues("k"))
		a.ShutDown()
		b.ShutDown()
	})
}

// Two queues that are given one limiter by mistake do not share its counts, and the log
// says so; the next queue after the end of one has them.
func TestSharedLimiter_RL08(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var lines []string
		opts := queue.Options[string]{RateLimiter: doubling(), Log: funcr.New(func(_, args string) { lines = append(lines, args) }, funcr.Options{})}
		a := queue.New("a", opts)
		require.Empty(t, lines)
		b := queue.New("b", opts)
		defer b.ShutDown()
		require.Len(t, lines, 1)
		require.Contains(t, lines[0], `"queue"="b"`)

		a.Add("k")
		b.Add("k")
		for range 3 {
			require.Equal(t, fail(t, a, "k"), fail(t, b, "k"), "they have the same numbers")
		}
		b.Forget("k")
		require.Equal(t, 80*ms, fail(t, a, "k"))
		a.ShutDown()
		c := queue.New("c", opts)
		defer c.ShutDown()
		require.Len(t, lines, 1)
		require.Equal(t, 4, c.NumRequeues("k"))
	})
}

// 1100 keys that fail once: each waits for itself only. With a bucket, which
// plain queues of controller-runtime have, the last would wait for 100 s.
func TestDefaultLimiterHasNoBucket_RL16(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, bucket := range map[string]workqueue.TypedRateLimiter[int]{
			"default": nil,
			"bucket":  workqueue.DefaultTypedControllerRateLimiter[int](),
		} {
			q := queue.New(name, queue.Options[int]{RateLimiter: bucket})
			for i := range 1100 {
				q.AddRateLimited(i)
			}
			sleep(5 * ms)
			if bucket == nil {
				require.Equal(t, 1100, q.Len())
			} else {
				require.Equal(t, 100, q.Len())
				sleep(100 * time.Second)
				require.Equal(t, 1100, q.Len())
			}
			q.ShutDown()
		}
	})
}

// The default is controller-runtime's, 5 ms to 1000 s, less up to a fifth.
func TestDefaultLimiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := queue.New("test", queue.Options[string]{})
		q.AddRateLimited("k")
		sleep(4*ms - 1)
		require.Zero(t, standing(q))
		sleep(ms + 1)
		require.Equal(t, 1, standing(q))
		drain(t, q)
		for range 50 {
			q.AddRateLimited("k")
		}
		q.AddWithOpts(at(0), "k")
		drain(t, q)
		q.AddRateLimited("k")
		sleep(800*time.Second - 1)
		require.Zero(t, standing(q))
		sleep(200*time.Second + 1)
		require.Equal(t, 1, standing(q))
	})
}

func TestLimiterThatReturnsNonsense(t *testing.T) {
	for _, tc := range []struct {
		name  string
		delay time.Duration
		want  int
	}{
		{"zero", 0, 1},
		{"negative", -time.Hour, 1},
		{"most negative", math.MinInt64, 1},
		{"for ever", math.MaxInt64, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := limitedBy(&stub{when: func(string) time.Duration { return tc.delay }})
				q.AddRateLimited("k")
				require.Equal(t, tc.want, standing(q))
				sleep(time.Hour)
				require.Equal(t, tc.want, standing(q))
				q.Add("k")
				require.Len(t, drain(t, q), 1)
			})
		})
	}
}

// A limiter that panics loses no key and ends no worker: it is logged, and the
// key comes back after a second.
func TestLimiterThatPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var logged []string
		s := &stub{
			when:        func(string) time.Duration { panic("When") },
			forget:      func(string) { panic(errors.New("Forget")) },
			numRequeues: func(string) int { panic("NumRequeues") },
		}
		q := queue.New("test", queue.Options[string]{RateLimiter: s, Log: funcr.New(func(_, args string) {
			logged = append(logged, args)
		}, funcr.Options{})})

		q.Add("k")
		popped := takeKey(t, q, "k")
		info, ok := q.Running("k")
		require.True(t, ok)
		require.Equal(t, 1, info.Attempt)
		q.Report("k", queue.Outcome{Err: errBroken})
		answer(q, "k", popped, reconcile.Result{}, errBroken)
		q.Done("k")
		require.Len(t, logged, 2)
		require.Contains(t, logged[0], "panic: NumRequeues")
		require.Contains(t, logged[1], "panic: When")

		sleep(time.Second - 1)
		require.Zero(t, standing(q))
		sleep(1)
		require.Equal(t, -10, takeKey(t, q, "k"))
		q.Report("k", queue.Outcome{Err: reconcile.TerminalError(errBroken)})
		q.Forget("k")
		require.Len(t, logged, 4)
		require.Contains(t, logged[3], "panic: Forget")
		require.Zero(t, q.NumRequeues("k"))
		q.Done("k")
		q.Add("k")
		require.Equal(t, []string{"k@0"}, drain(t, q))
	})
}

// A limiter that takes its time delays nobody but the one who asks it.
func TestLimiterThatBlocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := limitedBy(&stub{when: func(string) time.Duration {
			time.Sleep(200 * ms)
			return 10 * ms
		}})
		start := time.Now()
		go q.AddRateLimited("slow")
		synctest.Wait()
		q.Add("a")
		q.AddAfter("b", 50*ms)
		require.Equal(t, []string{"a@0"}, drain(t, q))
		q.Snapshot()
		require.Zero(t, time.Since(start))
		sleep(50 * ms)
		require.Equal(t, []string{"b@0"}, drain(t, q))
		sleep(160*ms - 1)
		require.Zero(t, standing(q))
		sleep(1)
		require.Equal(t, []string{"slow@0"}, drain(t, q))
	})
}

// The limiter that the controller's options name is the one that is used.
func TestLimiterOfTheOptions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limiter := ratelimit.NewExponential[string](ratelimit.ExponentialOptions{BaseDelay: time.Minute})
		q := queue.New("test", queue.Options[string]{RateLimiter: limiter})
		q.AddRateLimited("k")
		require.Equal(t, 1, limiter.NumRequeues("k"))
		sleep(time.Minute)
		require.Len(t, drain(t, q), 1)
		q.Forget("k")
		require.Zero(t, limiter.NumRequeues("k"))
	})
}

// After ShutDown nothing is added, so nothing has failed either.
func TestLimiterIsNotAskedAfterShutDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &stub{}
		q := limitedBy(s)
		q.ShutDown()
		q.AddRateLimited("k")
		require.Zero(t, s.whens.Load())
	})
}

// A key of an interface type may be one that cannot be compared. The queue panics as
// a map does, and whoever recovers finds it unlocked.
func TestKeyThatCannotBeComparedLeavesNoLock(t *testing.T) {
	q := queue.New("test", queue.Options[any]{GiveUp: 1})
	q.Add("a")
	q.Get()
	q.AddWithOpts(priorityqueue.AddOpts{RateLimited: true, Priority: ptr(0)}, "a")
	broken := any([]int{1})
	for name, call := range map[string]func(){
		"Add":            func() { q.Add(broken) },
		"AddRateLimited": func() { q.AddRateLimited(broken) },
		"Done":           func() { q.Done(broken) },
		"Forget":         func() { q.Forget(broken) },
	} {
		require.Panics(t, call, name)
		unlocked := make(chan int, 1)
		go func() { unlocked <- q.Len() }()
		select {
		case <-unlocked:
		case <-time.After(10 * time.Second):
			require.Fail(t, "the queue is locked", name)
		}
	}
}
