package metrics_test

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"

	"github.com/trimtab/trimtab/metrics"
	"github.com/trimtab/trimtab/queue"
	"github.com/trimtab/trimtab/trigger"
)

// 10,000 objects are made, fail, come to rest and are deleted. While they are there the
// hottest have series; when they are gone there are those that were there before.
func TestObjectsLeaveNoSeries_ME05_ME06(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, reg := newRegistry(t, metrics.Options{})
		c := m.Controller("c")
		q := queue.New("c", queue.Options[string]{Observer: c})
		defer q.ShutDown()
		c.SetState(func() metrics.State {
			var state metrics.State
			s := q.Snapshot()
			for _, hot := range s.Hot {
				state.Hot = append(state.Hot, metrics.HotObject{Object: hot.Request, Requeues: hot.Requeues})
			}
			for _, busy := range s.Busiest {
				state.Busiest = append(state.Busiest, metrics.BusyObject{Object: busy.Request, Time: busy.Time})
			}
			return state
		})
		run := func(o queue.Outcome) {
			key, priority, _ := q.GetWithPriority()
			info, _ := q.Running(key)
			time.Sleep(time.Millisecond)
			q.Report(key, o)
			c.Ran(trigger.Run{Info: info, Class: o.Class, Converged: o.Err == nil, Phases: trigger.Phases{Read: time.Millisecond}})
			if o.Err != nil {
				q.AddWithOpts(priorityqueue.AddOpts{RateLimited: true, Priority: &priority}, key)
			} else {
				q.Forget(key)
			}
			q.Done(key)
		}
		before := samples(t, reg)

		const objects = 10_000
		found := queue.Object{Found: true, UID: "1", Generation: 1}
		for i := range objects {
			q.Add(fmt.Sprint("default/", i))
			run(queue.Outcome{Class: "conflict", Err: errors.New(fmt.Sprint("object ", i, " has changed")), Object: found})
			run(queue.Outcome{Class: "success", Object: found})
		}
		all := samples(t, reg)
		require.Len(t, named(all, "trimtab_object_requeues"), 10)
		require.Len(t, named(all, "trimtab_object_busy_seconds"), 10)
		require.InDelta(t, objects, all[`trimtab_convergence_attempts_bucket{controller="c",le="2"}`], 0)
		require.InDelta(t, 0, all[`trimtab_convergence_attempts_bucket{controller="c",le="1"}`], 0)

		for i := range objects {
			q.Add(fmt.Sprint("default/", i))
			run(queue.Outcome{Class: "success", Object: queue.Object{Gone: true}})
		}
		all = samples(t, reg)
		require.InDelta(t, 2*objects, all[`trimtab_runs_total{class="success",controller="c",trigger="primary"}`]+all[`trimtab_runs_total{class="success",controller="c",trigger="retry"}`], 0)
		for series := range all {
			require.Contains(t, before, series)
		}
		require.Len(t, all, len(before))
	})
}
