package reconcile_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"

	"github.com/trimtab/trimtab/queue"
	"github.com/trimtab/trimtab/reconcile"
	"github.com/trimtab/trimtab/requeue"
	"github.com/trimtab/trimtab/trigger"
)

// failsToShow panics when it is looked at.
type failsToShow struct{ error }

func (failsToShow) Unwrap() error { panic("unwrapped") }

// An error that has a time of its own, wrapped and joined as errors are, comes back
// then; beside others, no later than that.
func TestAfterError_RQ01(t *testing.T) {
	const minute, hour = time.Minute, time.Hour
	after := func(d time.Duration) error { return requeue.AfterError{After: d, Err: errBoom} }
	merge := func(results []reconcile.Result, errs ...error) (reconcile.Result, error) {
		return requeue.Merge(results, errs)
	}
	ended := reconcile.TerminalError(errBoom)
	var none *requeue.AfterError
	for name, tt := range map[string]struct {
		delay         time.Duration // beside the error
		err           error
		after, within time.Duration
		class         string
	}{
		"plain":               {0, errBoom, 0, 0, "error"},
		"its own":             {0, after(minute), minute, 0, "error"},
		"pointer":             {0, &requeue.AfterError{After: minute}, minute, 0, "error"},
		"nil pointer":         {0, none, 0, 0, "error"},
		"zero":                {0, after(0), 0, 0, "error"},
		"negative":            {0, after(-minute), 0, 0, "error"},
		"zero around one":     {0, requeue.AfterError{Err: after(minute)}, minute, 0, "error"},
		"wrapped":             {0, fmt.Errorf("step: %w", after(minute)), minute, 0, "error"},
		"the outer counts":    {0, requeue.AfterError{After: hour, Err: after(minute)}, hour, 0, "error"},
		"of a conflict":       {0, requeue.AfterError{After: minute, Err: conflict}, minute, 0, "conflict"},
		"terminal inside":     {0, requeue.AfterError{After: minute, Err: ended}, minute, 0, "terminal"},
		"sooner delay":        {minute, after(hour), minute, 0, "error"},
		"later delay":         {hour, after(minute), minute, 0, "error"},
		"negative delay":      {-1, after(minute), minute, 0, "error"},
		"joined":              {0, errors.Join(after(hour), nil, after(minute)), minute, 0, "error"},
		"joined with another": {0, errors.Join(after(hour), errBoom), 0, hour, "error"},
		"joined, deeper":      {0, errors.Join(errBoom, fmt.Errorf("%w", errors.Join(after(hour), after(minute)))), 0, minute, "error"},
		"an aggregate":        {0, utilerrors.NewAggregate([]error{after(hour), after(minute)}), minute, 0, "error"},
		"joined, with delay":  {2 * minute, errors.Join(after(hour), errBoom), 2 * minute, hour, "error"},
		"its method panics":   {minute, failsToShow{errBoom}, minute, 0, "error"},
	} {
		t.Run(name, func(t *testing.T) {
			o := outcomeOf(t, reconcile.Result{RequeueAfter: tt.delay}, tt.err)
			require.Equal(t, tt.after, o.RetryAfter)
			require.Equal(t, tt.within, o.RetryWithin)
			require.Equal(t, tt.class, o.Class)
		})
	}
	// RQ11: a delay beside merged errors is the longest time.
	for name, tt := range map[string]struct {
		delays        []time.Duration
		errs          []error
		after, within time.Duration
		class         string
	}{
		"a delay":           {[]time.Duration{hour, minute}, []error{errBoom}, 0, minute, "error"},
		"no delay":          {[]time.Duration{0}, []error{errBoom}, 0, 0, "error"},
		"own times":         {[]time.Duration{0}, []error{after(hour), after(minute)}, minute, 0, "error"},
		"and a delay":       {[]time.Duration{time.Second}, []error{after(hour), after(minute)}, minute, time.Second, "error"},
		"one terminal":      {[]time.Duration{0}, []error{after(hour), ended}, hour, 0, "error"},
		"a conflict beside": {[]time.Duration{minute}, []error{conflict, ended}, 0, minute, "error"},
		"all terminal":      {[]time.Duration{minute}, []error{ended, ended}, minute, 0, "terminal"},
	} {
		t.Run("merged, "+name, func(t *testing.T) {
			var results []reconcile.Result
			for _, d := range tt.delays {
				results = append(results, requeue.After(d))
				if d == 0 {
					results = nil
				}
			}
			result, err := merge(results, tt.errs...)
			o := outcomeOf(t, result, err)
			require.Equal(t, tt.after, o.RetryAfter)
			require.Equal(t, tt.within, o.RetryWithin)
			require.Equal(t, tt.class, o.Class)
			o = outcomeOf(t, reconcile.Result{}, fmt.Errorf("wrapped: %w", err))
			if tt.class != "terminal" {
				require.Equal(t, tt.within, o.RetryWithin, "the error knows of the delay")
			}
		})
	}
}

// outcomeOf returns what the queue is told of a run that returns that.
func outcomeOf(t *testing.T, result reconcile.Result, err error) queue.Outcome {
	t.Helper()
	b := &book{info: trigger.Info{Attempt: 1}, known: true}
	got, _ := chain(b, returns(result, err)).Reconcile(t.Context(), request("a"))
	require.Zero(t, got.RequeueAfter, "the controller never sees both")
	return b.outcome
}

// The retry waits for its own time, counts as a failure, and leaves the backoff as it is.
func TestAfterErrorKeepsTheBackoff_RQ01(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var at []time.Time
		h := start(t, 1, reconcile.Options[string]{}, func(context.Context, string) (reconcile.Result, error) {
			at = append(at, time.Now())
			switch n := len(at); {
			case n == 3 || n == 4:
				return requeue.Done(), fmt.Errorf("x: %w", requeue.AfterError{After: time.Minute, Err: errBoom})
			case n == 5:
				return requeue.Merge([]reconcile.Result{requeue.After(25 * time.Millisecond)}, []error{errBoom})
			case n == 6:
				return requeue.Merge([]reconcile.Result{requeue.After(time.Hour)}, []error{errBoom})
			case n < 8:
				return requeue.Done(), errBoom
			}
			return requeue.Done(), nil
		})
		h.queue.Add("k")
		sleep(24 * time.Hour)
		var gaps []time.Duration
		for i := range at[1:] {
			gaps = append(gaps, at[i+1].Sub(at[i])/time.Millisecond)
		}
		require.Equal(t, []time.Duration{10, 20, 60_000, 60_000, 25, 320, 640}, gaps)
		require.InDelta(t, 7, h.total(t, errorsTotal), 0)
	})
}
