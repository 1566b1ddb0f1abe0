package queue_test

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/trimtab/trimtab/queue"
)

// object is one of that generation as a run reads it.
func object(generation int64) queue.Object {
	return queue.Object{Found: true, UID: "1", Generation: generation}
}

func wrote(o queue.Object, generation int64) queue.Object {
	o.Written = generation
	return o
}

func deleting(o queue.Object) queue.Object {
	o.Deleting = true
	return o
}

func uid(o queue.Object, id types.UID) queue.Object {
	o.UID = id
	return o
}

// backoffs lets a request fail again and again, with what each run learned of its
// object, and returns the delay after each failure in units of the base, 10 ms.
func backoffs(t *testing.T, opts queue.Options[string], objects ...queue.Object) ([]int, *recorder) {
	t.Helper()
	observer := &recorder{}
	var delays []int
	synctest.Test(t, func(t *testing.T) {
		opts.RateLimiter, opts.Observer = doubling(), observer
		q := queue.New("test", opts)
		q.Add("k")
		for _, o := range objects {
			popped := takeKey(t, q, "k")
			q.Running("k")
			q.Report("k", queue.Outcome{Err: errBroken, Object: o})
			answer(q, "k", popped, reconcile.Result{}, errBroken)
			q.Done("k")
			start := time.Now()
			for standing(q) == 0 {
				sleep(10 * ms)
			}
			delays = append(delays, int(time.Since(start)/(10*ms)))
		}
	})
	return delays, observer
}

// RL05: who changes or deletes an object that fails need not wait out, nor resume
// at, its old backoff; what the operator itself writes, or who labels it, changes
// nothing.
func TestFailureReset_RL05(t *testing.T) {
	one, none := object(1), queue.Object{}
	for name, tc := range map[string]struct {
		objects []queue.Object
		want    []int
	}{
		"nothing changes":            {[]queue.Object{one, one, one, one}, []int{1, 2, 4, 8}},
		"nothing is known":           {[]queue.Object{none, none, none}, []int{1, 2, 4}},
		"a new generation":           {[]queue.Object{one, one, one, object(2), object(2)}, []int{1, 2, 4, 1, 2}},
		"two at once":                {[]queue.Object{one, one, object(7), object(7)}, []int{1, 2, 1, 2}},
		"one after another":          {[]queue.Object{one, one, object(2), object(3), object(3)}, []int{1, 2, 1, 1, 2}},
		"unknown in between":         {[]queue.Object{one, one, none, object(2), none}, []int{1, 2, 4, 1, 2}},
		"known late":                 {[]queue.Object{none, none, one, object(2)}, []int{1, 2, 4, 1}},
		"a cache that lags":          {[]queue.Object{one, object(2), one, object(2)}, []int{1, 1, 2, 4}},
		"no generation":              {[]queue.Object{object(0), object(0), one, object(2)}, []int{1, 2, 4, 1}},
		"own write":                  {[]queue.Object{wrote(one, 2), wrote(object(2), 3), wrote(object(3), 4)}, []int{1, 2, 4}},
		"own write, seen late":       {[]queue.Object{wrote(one, 2), one, object(2)}, []int{1, 2, 4}},
		"own writes, seen halfway":   {[]queue.Object{wrote(one, 3), object(2), object(3)}, []int{1, 2, 4}},
		"own write of the same run":  {[]queue.Object{one, wrote(object(2), 2), object(2)}, []int{1, 2, 4}},
		"a change beside own writes": {[]queue.Object{wrote(one, 2), object(2), wrote(object(3), 4), object(4)}, []int{1, 2, 1, 2}},
		"deletion":                   {[]queue.Object{one, one, deleting(one), deleting(one)}, []int{1, 2, 1, 2}},
		"deletion, as the server does it": {
			[]queue.Object{one, one, deleting(object(2)), deleting(object(2))},
			[]int{1, 2, 1, 2},
		},
		"deletion, then a change": {[]queue.Object{one, deleting(one), one, deleting(object(2)), deleting(object(2))}, []int{1, 1, 2, 1, 2}},
		"deleted from the start":  {[]queue.Object{deleting(one), deleting(one)}, []int{1, 2}},
		"made anew":               {[]queue.Object{object(5), object(5), uid(one, "2"), uid(one, "2"), uid(object(2), "2")}, []int{1, 2, 1, 2, 1}},
		"made anew after deletion": {
			[]queue.Object{deleting(one), deleting(one), uid(one, "2"), deleting(uid(one, "2"))},
			[]int{1, 2, 1, 1},
		},
		"without a UID": {[]queue.Object{one, {Found: true, Generation: 1}, {Generation: 2}, one}, []int{1, 2, 1, 2}},
	} {
		t.Run(name, func(t *testing.T) {
			got, observer := backoffs(t, queue.Options[string]{}, tc.objects...)
			require.Equal(t, tc.want, got)
			resets := 0
			for _, delay := range tc.want[1:] {
				if delay == 1 {
					resets++
				}
			}
			require.Equal(t, resets, observer.resets)

			got, observer = backoffs(t, queue.Options[string]{DisableFailureReset: true}, tc.objects...)
			for i, delay := range got {
				require.Equal(t, 1<<i, delay, "disabled")
			}
			require.Zero(t, observer.resets)
		})
	}
}

// After the third reset without a success there is one in 1000 s.
func TestFailureResetIsLimited_RL05_PR21(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, observer := observed()
		generation := int64(1)
		run := func(err error) {
			popped := takeKey(t, q, "k")
			q.Running("k")
			q.Report("k", queue.Outcome{Err: err, Object: object(generation)})
			answer(q, "k", popped, reconcile.Result{}, err)
			q.Done("k")
			q.Add("k") // Somebody has changed it again.
			generation++
		}
		q.Add("k")
		for i := range 10 {
			run(errBroken)
			require.Equal(t, min(i, 3), observer.resets)
		}
		require.Equal(t, 7, q.NumRequeues("k"))
		sleep(1000*time.Second - 1)
		run(errBroken)
		require.Equal(t, 3, observer.resets)
		sleep(1)
		run(errBroken)
		require.Equal(t, 4, observer.resets)
		require.Equal(t, 1, q.NumRequeues("k"))
		run(errBroken)
		require.Equal(t, 4, observer.resets)

		run(nil)
		for i := range 4 {
			run(errBroken)
			require.Equal(t, 4+min(i, 3), observer.resets, "another row of failures")
		}
	})
}

// A reset starts the count of GiveUp anew, also of what was given up.
func TestFailureResetAndGiveUp_RL05_RL10(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		observer := &recorder{}
		seen, runs := object(1), 0
		q := startReporting(t, queue.Options[string]{RateLimiter: doubling(), Observer: observer, GiveUp: 2},
			func(string) queue.Outcome {
				runs++
				return queue.Outcome{Err: errBroken, Object: seen}
			})
		change := func(o queue.Object) int {
			before := runs
			seen = o
			q.Add("k")
			sleep(time.Hour)
			require.Zero(t, q.Len())
			return runs - before
		}
		require.Equal(t, 3, change(object(1)))
		require.Equal(t, 1, observer.gaveUp)
		require.Equal(t, 1, change(object(1)), "an event is no change")
		require.Equal(t, 1, observer.gaveUp)
		require.Equal(t, 3, change(object(2)))
		require.Equal(t, 2, observer.gaveUp)
		require.Equal(t, 3, change(deleting(object(2))))
		require.Equal(t, 3, observer.gaveUp)
	})
}

// What waits by Result.Requeue has a backoff, too.
func TestFailureResetOfRequeue_RL05(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var at []time.Duration
		start := time.Now()
		q := startReporting(t, queue.Options[string]{RateLimiter: doubling()}, func(string) queue.Outcome {
			at = append(at, time.Since(start))
			o := queue.Outcome{Object: object(1)}
			if len(at) > 3 {
				o.Object = object(2)
			}
			o.Result.Requeue = true //nolint:staticcheck // Deprecated, and still in use.
			return o
		})
		q.Add("k")
		sleep(100 * ms)
		require.Equal(t, []time.Duration{0, 10 * ms, 30 * ms, 70 * ms, 80 * ms, 100 * ms}, at)
	})
}

// PR21: two operators fight over one object, each writes its own idea of it and
// fails. Both back off, though each makes new generations for the other. An operator
// that only fights itself gets no reset at all.
func TestFight_PR21(t *testing.T) {
	for name, tc := range map[string]struct {
		operators, resets, runs int
	}{
		"two":         {2, 3 + 24*3600/1000, 24*3600/1000*20 + 100},
		"one, itself": {1, 0, 140},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var mu sync.Mutex
				generation, runs := int64(1), 0
				observers := make([]recorder, tc.operators)
				for i := range observers {
					q := startReporting(t, queue.Options[string]{Observer: &observers[i]}, func(string) queue.Outcome {
						mu.Lock()
						defer mu.Unlock()
						runs++
						o := object(generation)
						generation++
						return queue.Outcome{Err: errBroken, Object: wrote(o, generation)}
					})
					q.Add("k")
				}
				sleep(24 * time.Hour)
				mu.Lock()
				defer mu.Unlock()
				for i := range observers {
					require.LessOrEqual(t, observers[i].resets, tc.resets)
					if tc.operators > 1 {
						require.GreaterOrEqual(t, observers[i].resets, 3)
					}
				}
				require.LessOrEqual(t, runs, tc.operators*tc.runs)
				require.Greater(t, runs, tc.operators*20, "they do not stop")
			})
		})
	}
}
