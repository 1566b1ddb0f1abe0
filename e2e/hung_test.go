package e2e_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	certv1 "github.com/trimtab/trimtab/examples/certrotator/api/v1"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/reconcile"
	"github.com/trimtab/trimtab/trigger"

	"github.com/trimtab/trimtab/e2e/internal/slow"
)

// RC01, ME15: a run that hangs past its deadline is seen while it hangs, and has its
// object to itself; the other objects go on, and a run that heeds the deadline in a
// call of the API is tried again.
func TestHungRun_RC01_ME15(t *testing.T) {
	const deadline = 300 * time.Millisecond
	s := newScene(t)
	mgr := newManager(t, world.Config(), s.namespace, manager.Options{})
	slowly, err := trimtab.NewClient(slowed(slow.Transport{Read: time.Hour}), client.Options{Scheme: mgr.GetScheme(), Mapper: mgr.GetRESTMapper()})
	require.NoError(t, err)
	release := make(chan struct{})
	free := sync.OnceFunc(func() { close(release) })
	var deaf, deafAtOnce atomic.Int64
	reg := control(t, mgr, "hung", trimtab.Options{
		Reconcile: reconcile.Options[reconcile.Request]{Deadline: reconcile.DeadlineOptions{Timeout: deadline}},
	}, reconciler(func(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
		info, _ := trigger.FromContext(ctx)
		switch {
		case req.Name == "deaf":
			deaf.Add(1)
			if deafAtOnce.Add(1) > 1 {
				t.Error("two runs for one object at once")
			}
			<-release
			deafAtOnce.Add(-1)
		case req.Name == "heeding" && info.Attempt < 3:
			return reconcile.Result{}, slowly.Get(ctx, req.NamespacedName, &certv1.Certificate{})
		}
		return reconcile.Result{}, nil
	}))
	stop := runManager(t, mgr)
	t.Cleanup(free)

	hung := s.create(t, "deaf")
	eventually(t, func() error {
		if n := gather(t, reg).Sum("trimtab_runs_overdue"); n != 1 {
			return fmt.Errorf("%.0f runs are overdue", n)
		}
		return nil
	})
	change(t, hung, addName)
	first := gather(t, reg)
	for i := range 20 {
		s.create(t, fmt.Sprint("other-", i))
	}
	s.create(t, "heeding")
	eventually(t, func() error { return ranAs(t, reg, "success", 21) })

	m := gather(t, reg)
	require.InDelta(t, 2, m.Sum("trimtab_runs_total", "class", "timeout"), 0, "the run that heeds its deadline")
	require.InDelta(t, 23, m.Sum("trimtab_runs_total"), 0, "the hung run is not over")
	require.InDelta(t, 1, m.Sum("trimtab_runs_overdue"), 0)
	require.InDelta(t, 3, m.Sum("trimtab_overruns_total"), 0)
	require.InDelta(t, 1, m.Sum("trimtab_workers_busy"), 0)
	require.Greater(t, first.Sum("trimtab_oldest_run_seconds"), deadline.Seconds())
	require.Greater(t, m.Sum("trimtab_oldest_run_seconds"), first.Sum("trimtab_oldest_run_seconds"))
	require.InDelta(t, 1, deaf.Load(), 0)

	free()
	eventually(t, func() error { return ranAs(t, reg, "success", 23) }) // It runs again, since it was changed.
	m = gather(t, reg)
	require.Zero(t, m.Sum("trimtab_runs_overdue"))
	require.InDelta(t, 2, deaf.Load(), 0)
	stop()
	require.Zero(t, gather(t, reg).Sum("trimtab_oldest_run_seconds"))
}
