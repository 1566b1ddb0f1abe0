package queue_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/trimtab/trimtab/queue"
	"github.com/trimtab/trimtab/ratelimit"
)

// A request is followed through a failure, its backoff and its end.
func TestInspect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := queue.New("inspected", queue.Options[string]{
			RateLimiter: ratelimit.NewExponential[string](ratelimit.ExponentialOptions{BaseDelay: time.Minute}),
		})
		t.Cleanup(q.ShutDown)
		require.Equal(t, queue.Inspection{}, q.Inspect("a"))
		q.Add("a")
		require.Equal(t, queue.Inspection{Ready: true}, q.Inspect("a"))
		takeKey(t, q, "a")
		require.Equal(t, queue.Inspection{InFlight: true}, q.Inspect("a"))
		q.Add("a")
		require.Equal(t, queue.Inspection{InFlight: true, Ready: true}, q.Inspect("a"))
		q.Done("a")
		takeKey(t, q, "a")

		priority := 0
		q.Report("a", queue.Outcome{Class: "conflict", Err: errors.New("broken")})
		q.AddWithOpts(priorityqueue.AddOpts{RateLimited: true, Priority: &priority}, "a")
		q.Done("a")
		sleep(20 * time.Second)
		require.Equal(t, queue.Inspection{Delayed: true, Due: 40 * time.Second, Attempts: 1, LastClass: "conflict"}, q.Inspect("a"))
		sleep(40 * time.Second)
		takeKey(t, q, "a")
		require.Equal(t, queue.Inspection{InFlight: true, Attempts: 1, LastClass: "conflict"}, q.Inspect("a"))

		q.Report("a", queue.Outcome{Class: "success", Result: reconcile.Result{RequeueAfter: time.Hour}})
		q.Forget("a")
		q.AddWithOpts(priorityqueue.AddOpts{After: time.Hour, Priority: &priority}, "a")
		q.Done("a")
		require.Equal(t, queue.Inspection{Delayed: true, Due: time.Hour}, q.Inspect("a"))
	})
}
