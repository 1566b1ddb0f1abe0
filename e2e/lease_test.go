package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/reconcile"

	"github.com/trimtab/trimtab/e2e/internal/slow"
)

// RC13, RC03: when somebody else takes the lease away, no pending timer runs anything,
// what a run wanted to write last is not written, no error is counted, and nothing of
// the loop is left.
func TestLostLease_RC13_RC03(t *testing.T) {
	const period = 500 * time.Millisecond
	s := newScene(t)
	log, lines := errorLog()
	mgr := newManager(t, world.Config(), s.namespace, manager.Options{
		Logger:                  log,
		LeaderElection:          true,
		LeaderElectionID:        "lost",
		LeaderElectionNamespace: s.namespace,
		LeaseDuration:           new(3 * time.Second),
		RenewDeadline:           new(2 * time.Second),
		RetryPeriod:             new(200 * time.Millisecond),
	})
	slowly, err := trimtab.NewClient(slowed(slow.Transport{Status: time.Hour}), client.Options{Scheme: mgr.GetScheme(), Mapper: mgr.GetRESTMapper()})
	require.NoError(t, err)
	var polls, last atomic.Int64
	written := make(chan error, 1)
	reg := control(t, mgr, "lost", trimtab.Options{
		Reconcile: reconcile.Options[reconcile.Request]{Deadline: reconcile.DeadlineOptions{Timeout: period, LastWrite: time.Hour}},
	}, reconciler(func(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
		if req.Name != "hung" {
			polls.Add(1)
			return reconcile.Result{RequeueAfter: period}, nil
		}
		<-ctx.Done()
		ctx, cancel := reconcile.LastWrite(ctx)
		defer cancel()
		last.Add(1)
		err := stamp(ctx, slowly, certificate(s, req.Name))
		written <- err
		return reconcile.Result{}, fmt.Errorf("last write: %w", err)
	}))
	cancel, ended := startManager(t, mgr)
	t.Cleanup(cancel)
	for _, name := range []string{"a", "b", "c", "hung"} {
		s.create(t, name)
	}
	eventually(t, func() error {
		if polls.Load() < 6 || last.Load() == 0 {
			return fmt.Errorf("%d polls, %d last writes", polls.Load(), last.Load())
		}
		return nil
	})
	s.writes(t)
	require.Positive(t, goroutinesOf("trimtab/queue.", "trimtab/reconcile."))

	lease := &coordinationv1.Lease{ObjectMeta: s.object("lost")}
	require.NoError(t, world.Patch(t.Context(), lease, client.RawPatch(types.MergePatchType, []byte(`{"spec":{"holderIdentity":"somebody else"}}`))))
	select {
	case err := <-ended:
		require.ErrorContains(t, err, "leader election lost")
	case <-time.After(patience):
		require.Fail(t, "the manager goes on without its lease")
	}
	require.ErrorIs(t, <-written, context.Canceled)
	eventually(t, func() error {
		if n := goroutinesOf("trimtab/queue.", "trimtab/reconcile."); n > 0 {
			return fmt.Errorf("%d goroutines are left", n)
		}
		return nil
	})
	at := polls.Load()
	during(t, 3*period, func() error {
		if polls.Load() != at {
			return errors.New("a timer has run something")
		}
		return nil
	})
	require.InDelta(t, 1, last.Load(), 0)
	require.InDelta(t, 1, gather(t, reg).Sum("trimtab_runs_total", "class", "canceled"), 0)
	require.Zero(t, errorsOf(t, "lost"))
	for _, line := range lines() {
		require.NotContains(t, line, "Reconciler error")
	}
	for _, w := range s.writes(t) {
		require.False(t, w.Namespace == s.namespace && w.Resource == "certificates", "%s", w)
	}
}

// goroutinesOf returns how many goroutines are in a function of these packages.
func goroutinesOf(packages ...string) int {
	stacks := make([]byte, 16<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	n := 0
	for stack := range strings.SplitSeq(string(stacks), "\n\n") {
		for _, p := range packages {
			if strings.Contains(stack, "github.com/trimtab/"+p) {
				n++
				break
			}
		}
	}
	return n
}
