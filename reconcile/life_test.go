package reconcile_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trimtab/trimtab/reconcile"
	"github.com/trimtab/trimtab/trigger"
)

// RC14: 10,000 runs of all kinds, for 100 requests that come and go, leave neither
// a goroutine nor anything in the chain.
func TestManyRunsLeaveNothing_RC14(t *testing.T) {
	full := reconcile.Options[reconcile.Request]{
		Observer: &silent{}, Tracer: forgetful{}, For: configMap(""),
		Deadline: reconcile.DeadlineOptions{Timeout: time.Hour},
		TraceID:  func(context.Context) string { return "id" },
	}
	c := reconcile.Client(&slow{})
	r := reconcile.New[reconcile.Request](reconcile.Func(func(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
		_ = c.Get(ctx, req.NamespacedName, configMap(req.Name))
		reconcile.Effect(ctx)
		switch req.Name[0] {
		case '1':
			return reconcile.Result{}, conflict
		case '2':
			panic("x")
		case '3':
			return reconcile.Result{}, errors.Join(errBoom, c.Status().Update(ctx, configMap(req.Name)))
		default:
			return reconcile.Result{RequeueAfter: 1}, nil
		}
	}), full)
	runs := func(n int) {
		for i := range n {
			func() {
				defer func() { _ = recover() }()
				_, _ = r.Reconcile(t.Context(), request(fmt.Sprint(i%100)))
			}()
		}
	}
	runs(200)
	goroutines, heap := runtime.NumGoroutine(), heapInUse()
	runs(10_000)
	require.InDelta(t, goroutines, runtime.NumGoroutine(), 5)
	require.Less(t, heapInUse(), heap+512<<10, "10,000 runs may not leave 50 bytes each")
}

// heapInUse returns the bytes that live objects take.
func heapInUse() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc) //nolint:gosec // It fits.
}

// forgetful is a tracer that keeps nothing.
type forgetful struct{}

func (forgetful) StartRun(ctx context.Context, _ any, _ trigger.Info) (context.Context, func(trigger.Run, error)) {
	return ctx, func(trigger.Run, error) {}
}

func (forgetful) StartCall(ctx context.Context, _, _, _ string) (context.Context, func(error)) {
	return ctx, func(error) {}
}

func (forgetful) ReadOwn(context.Context, map[string]string) {}

// RC13: once the manager has stopped, no pending timer causes a run, a run in flight
// ends, and no goroutine of the chain stays (the bubble would not end).
func TestNothingRunsAfterTheEnd_RC13(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var runs atomic.Int32
		h := start(t, 2, reconcile.Options[string]{Deadline: reconcile.DeadlineOptions{Timeout: time.Minute}},
			func(ctx context.Context, key string) (reconcile.Result, error) {
				runs.Add(1)
				switch key {
				case "in flight":
					<-ctx.Done()
					last, cancel := reconcile.LastWrite(ctx)
					defer cancel()
					require.Error(t, last.Err())
					return reconcile.Result{}, ctx.Err()
				case "quiet":
					return reconcile.Result{}, conflict
				case "fails":
					return reconcile.Result{}, errBoom
				default:
					return reconcile.Result{RequeueAfter: time.Second}, nil
				}
			})
		for _, key := range []string{"in flight", "quiet", "fails", "periodic"} {
			h.queue.Add(key)
		}
		synctest.Wait()
		h.stop()
		synctest.Wait()
		before := runs.Load()
		sleep(time.Hour)
		require.Equal(t, before, runs.Load())
		require.Equal(t, 1, count(h.lines, "ran primary canceled"))
	})
}

// A request of a user's own, with the name of a cluster, passes all of it.
func TestCustomRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := reconcile.Client(&slow{})
		seen := map[clusterRequest]int{}
		opts := reconcile.Options[clusterRequest]{Tracer: forgetful{}, Deadline: reconcile.DeadlineOptions{Timeout: time.Minute}}
		h := start(t, 1, opts, func(ctx context.Context, req clusterRequest) (reconcile.Result, error) {
			seen[req]++
			if err := c.Get(ctx, client.ObjectKey{Name: req.Name}, configMap("b")); err != nil {
				return reconcile.Result{}, err
			}
			if seen[req] == 1 && req.Cluster == "far" {
				return reconcile.Result{}, conflict
			}
			if seen[req] == 2 {
				runtime.Goexit()
			}
			return reconcile.Result{}, nil
		})
		far, near := clusterRequest{"far", request("a")}, clusterRequest{"near", request("a")}
		h.queue.Add(near)
		h.queue.Add(far)
		sleep(time.Minute)
		require.Equal(t, map[clusterRequest]int{near: 1, far: 2}, seen)
		require.Equal(t, []string{
			"called primary get ConfigMap", "ran primary success",
			"called primary get ConfigMap", "ran primary conflict",
			"called retry get ConfigMap", "worker lost", "ran retry panic",
		}, h.lines)
	})
}
