package queue_test

import (
	"strconv"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/trimtab/trimtab/queue"
	"github.com/trimtab/trimtab/trigger"
)

// asked is an error that is asked what it is.
type asked struct{ is func() bool }

func (*asked) Error() string   { return "asked" }
func (a *asked) Is(error) bool { return a.is() }
func (a *asked) Timeout() bool { return a.is() }

// The user's methods of an error are called while the queue goes on: Is for whether it
// is terminal, and Timeout and Is for the class that no chain gave it.
func TestReportAsksWithoutTheLock(t *testing.T) {
	for _, tc := range []struct {
		class string
		asked int
	}{{"error", 1}, {"", 3}} {
		t.Run("class "+strconv.Quote(tc.class), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := newQueue()
				q.Add("k")
				popped := takeKey(t, q, "k")
				q.Running("k")
				n := 0
				err := &asked{is: func() bool {
					n++
					q.Add("other")
					require.Equal(t, 1, q.Len()) // It would wait for ever for the lock.
					return false
				}}
				q.Report("k", queue.Outcome{Err: err, Class: tc.class})
				require.Equal(t, tc.asked, n)
				answer(q, "k", popped, reconcile.Result{}, err)
				q.Done("k")
				require.Equal(t, 1, q.NumRequeues("k"))
				require.Equal(t, 1, q.Snapshot().Delayed)
			})
		})
	}
}

// A panic of an error's method gets out before anything has changed: the run is as
// one that was not reported, and can be reported still.
func TestReportPanics(t *testing.T) {
	panics := &asked{is: func() bool { panic("asked") }}
	for _, class := range []string{"conflict", ""} {
		synctest.Test(t, func(t *testing.T) {
			q, observer := observed()
			q.Add("k")
			popped := takeKey(t, q, "k")
			q.Running("k")
			require.PanicsWithValue(t, "asked", func() { q.Report("k", queue.Outcome{Err: panics, Class: class}) })

			answer(q, "k", popped, reconcile.Result{}, errBroken) // An event: nobody knows what the run asked for.
			require.Equal(t, []string{"primary", "primary"}, observer.added)
			q.Report("k", queue.Outcome{Err: errBroken, Class: "timeout"})
			require.PanicsWithValue(t, "asked", func() { q.Report("k", queue.Outcome{Err: panics, Class: class}) })
			answer(q, "k", popped, reconcile.Result{}, errBroken)
			require.Equal(t, []trigger.Source{trigger.Retry}, observer.requeued)
			q.Done("k")
			sleep(20 * ms)
			require.Equal(t, []string{"k@0"}, drain(t, q))
			require.Equal(t, "timeout", observer.last(t).LastClass)
			require.Zero(t, q.Snapshot().Running)
		})
	}
}

// Of a failing run Report allocates what it compares the error with, once; a terminal
// error allocates for itself when it is asked.
func TestReportAllocations(t *testing.T) {
	q := newQueue()
	t.Cleanup(q.ShutDown)
	q.Add("k")
	takeKey(t, q, "k")
	for outcome, most := range map[*queue.Outcome]float64{
		{}:                                    0,
		{Err: errBroken, Class: "error"}:      1,
		{Err: errTerminal, Class: "terminal"}: 3,
	} {
		require.LessOrEqual(t, testing.AllocsPerRun(100, func() { q.Report("k", *outcome) }), most)
	}
}
