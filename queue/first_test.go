package queue_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/trimtab/trimtab/queue"
)

// attempts makes runs of one request, and looks at what each knows of those before.
type attempts struct {
	t     *testing.T
	q     *queue.Queue[string]
	start time.Time
}

func newAttempts(t *testing.T, opts queue.Options[string]) *attempts {
	t.Helper()
	opts.RateLimiter = doubling()
	a := &attempts{t: t, q: queue.New("test", opts), start: time.Now()}
	a.q.Add("k")
	return a
}

// run takes the request once it is ready, lets it run for a millisecond and end like
// o. It returns the attempt and since when there have been attempts.
func (a *attempts) run(o queue.Outcome) (attempt int, first time.Duration) {
	a.t.Helper()
	for standing(a.q) == 0 {
		sleep(10 * ms)
	}
	popped := takeKey(a.t, a.q, "k")
	info, ok := a.q.Running("k")
	require.True(a.t, ok)
	sleep(ms)
	a.q.Report("k", o)
	if !errors.Is(o.Err, reconcile.TerminalError(nil)) {
		answer(a.q, "k", popped, o.Result, o.Err)
	}
	a.q.Done("k")
	return info.Attempt, info.First.Sub(a.start)
}

func (a *attempts) require(o queue.Outcome, attempt int, first time.Duration) {
	a.t.Helper()
	gotAttempt, gotFirst := a.run(o)
	require.Equal(a.t, attempt, gotAttempt)
	require.Equal(a.t, first, gotFirst)
}

var (
	failed   = queue.Outcome{Err: errBroken, Class: "error"}
	terminal = queue.Outcome{Err: reconcile.TerminalError(errBroken), Class: "terminal"}
)

// A row of attempts began where its first did, until one needs no other.
func TestFirst(t *testing.T) {
	requeue := queue.Outcome{Result: reconcile.Result{Requeue: true}} //nolint:staticcheck // Still in use.
	for name, ending := range map[string]queue.Outcome{
		"success":  {},
		"terminal": terminal,
		"wake-up":  {Result: reconcile.Result{RequeueAfter: time.Second}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := newAttempts(t, queue.Options[string]{})
				sleep(time.Second) // No worker has asked: nobody was late.
				a.require(failed, 1, time.Second)
				a.require(failed, 2, time.Second)
				a.require(requeue, 3, time.Second)
				a.q.Add("k") // An event starts no row.
				a.require(failed, 4, time.Second)
				a.require(ending, 5, time.Second)
				sleep(time.Minute)
				if name != "wake-up" {
					a.q.Add("k")
				}
				attempt, first := a.run(failed)
				require.Equal(t, 1, attempt)
				require.Greater(t, first, time.Second)
				a.require(failed, 2, first)
			})
		})
	}
}

// Who changes the object starts a new row: with the run that saw the change.
func TestFirstAfterAFailureReset_RL05(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAttempts(t, queue.Options[string]{})
		of := func(generation int64) queue.Outcome {
			o := failed
			o.Object = object(generation)
			return o
		}
		a.require(of(1), 1, 0)
		a.require(of(1), 2, 0)
		sleep(time.Minute)
		a.q.Add("k")
		changed := time.Since(a.start)
		a.require(of(2), 3, 0)
		a.require(of(2), 2, changed)
		a.require(queue.Outcome{}, 3, changed)
	})
}

// What is given up stays in its row: the limiter counts on, too.
func TestFirstOfWhatWasGivenUp_RL10(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAttempts(t, queue.Options[string]{GiveUp: 1})
		a.require(failed, 1, 0)
		a.require(failed, 2, 0)
		sleep(time.Hour)
		a.q.Add("k")
		a.require(failed, 2, 0)
		a.q.Add("k")
		a.require(queue.Outcome{}, 2, 0)
		a.q.Add("k")
		added := time.Since(a.start)
		a.require(queue.Outcome{}, 1, added)
	})
}

// Forget ends the row.
func TestFirstAfterForget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAttempts(t, queue.Options[string]{})
		a.require(failed, 1, 0)
		sleep(time.Second)
		a.q.Forget("k")
		a.q.Add("k")
		forgotten := time.Since(a.start)
		a.require(failed, 1, forgotten)
		a.require(failed, 2, forgotten)
	})
}

// A limiter that counts nothing, as a bucket, hides no attempt.
func TestAttemptsOfALimiterThatCountsNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := queue.New("test", queue.Options[string]{RateLimiter: forgetful{}})
		defer q.ShutDown()
		q.Add("k")
		for _, o := range []queue.Outcome{failed, failed, failed, {}} {
			popped := takeKey(t, q, "k")
			info, _ := q.Running("k")
			q.Report("k", o)
			answer(q, "k", popped, o.Result, o.Err)
			q.Done("k")
			sleep(ms)
			if o.Err == nil {
				require.Equal(t, 4, info.Attempt)
			}
		}
		q.Add("k")
		takeKey(t, q, "k")
		info, _ := q.Running("k")
		require.Equal(t, 1, info.Attempt)
	})
}

type forgetful struct{}

func (forgetful) When(string) time.Duration { return ms }
func (forgetful) Forget(string)             {}
func (forgetful) NumRequeues(string) int    { return 0 }
