package reconcile_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/trimtab/trimtab/reconcile"
)

// RC05: in a controller the id is controller-runtime's.
func TestIDOfController_RC05(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ids, want []string
		h := start(t, 1, reconcile.Options[string]{}, func(ctx context.Context, _ string) (reconcile.Result, error) {
			ids = append(ids, reconcile.ID(ctx))
			want = append(want, string(controller.ReconcileIDFromContext(ctx)))
			return reconcile.Result{}, nil
		})
		h.queue.Add("a")
		h.queue.Add("b")
		synctest.Wait()
		require.Len(t, ids, 2)
		require.Equal(t, want, ids)
		require.NotEqual(t, ids[0], ids[1])
	})
}

// RC05: elsewhere each run gets an id of its own, which its log lines have, too.
func TestIDOfAnotherHost_RC05(t *testing.T) {
	b := &book{}
	var ids sync.Map
	r := chain(b, func(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
		id := reconcile.ID(ctx)
		require.Equal(t, id, reconcile.ID(ctx))
		require.Regexp(t, `^[0-9a-f-]{36}$`, id)
		log.FromContext(ctx).Info("mine")
		ids.Store(id, true)
		return reconcile.Result{}, nil
	})
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() { _, _ = r.Reconcile(logged(t.Context(), b), request("a")) })
	}
	wg.Wait()
	found := 0
	ids.Range(func(id, _ any) bool {
		require.Equal(t, 1, count(b.lines, fmt.Sprintf(`log "level"=0 "msg"="mine" "reconcileID"=%q`, id)))
		found++
		return true
	})
	require.Equal(t, 10, found)
}

// Without a logger there is an id all the same; outside a run there is none.
func TestIDWithoutLogger_RC05(t *testing.T) {
	_, err := chain(&book{}, func(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
		id := reconcile.ID(ctx)
		require.Len(t, id, 36)
		require.Equal(t, id, reconcile.ID(ctx))
		return reconcile.Result{}, nil
	}).Reconcile(t.Context(), request("a"))
	require.NoError(t, err)
	require.Empty(t, reconcile.ID(t.Context()))
}

func ExampleID() {
	r := reconcile.New[reconcile.Request](
		reconcile.Func(func(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
			fmt.Println(len(reconcile.ID(ctx)))
			return reconcile.Result{}, nil
		}),
		reconcile.Options[reconcile.Request]{},
	)
	_, _ = r.Reconcile(context.Background(), request("web"))
	// Output: 36
}
