package predicate_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/trimtab/trimtab/predicate"
	"github.com/trimtab/trimtab/predicate/predicatetest"
)

// PR15, PR22, PR26: no predicate of ours panics, changes an object, has an effect, or
// drops what is there at the start; in every form, from several goroutines.
func TestAllPredicates_PR13_PR15_PR22_PR26(t *testing.T) {
	d := as(client.Object(deployment()), func(d client.Object) {
		d.SetLabels(map[string]string{"a": "b"})
		d.SetAnnotations(map[string]string{"x": "y"})
		d.SetFinalizers([]string{"x/y"})
		d.SetOwnerReferences([]metav1.OwnerReference{{Name: "o", UID: "3"}})
	})
	for name, p := range ours(&counts{}) {
		for _, o := range []client.Object{d, secret(), node(nil)} {
			o = change(o, func(o client.Object) { o.SetNamespace("ns"); o.SetName("a") })
			require.NoError(t, predicatetest.Check(p, predicatetest.Options{Object: o}), "%s: %T", name, o)
		}
	}
	for _, p := range ours(&counts{}) {
		require.False(t, predicate.Matches(p, nil))
		require.False(t, predicate.Matches(p, (*corev1.Secret)(nil)))
	}
	require.NoError(t, predicatetest.Check(predicate.On(predicate.Deletes), predicatetest.Options{Object: d}), "it drops updates, too")
	require.ErrorContains(t, predicatetest.Check(predicate.On(predicate.Updates), predicatetest.Options{Object: d}), "no create")
}

// run is a controller of controller-runtime on a fake clock, which a test gives events
// by predicate, as a watch would.
func run(t *testing.T, p predicate.Predicate, r func(ctx context.Context) (reconcile.Result, error)) (update func(before, after client.Object)) {
	t.Helper()
	skip := true
	var queue workqueue.TypedRateLimitingInterface[reconcile.Request]
	key := reconcile.Request{NamespacedName: types.NamespacedName{Name: "a"}}
	c, err := controller.NewUnmanaged("c", controller.Options{
		SkipNameValidation: &skip,
		LogConstructor:     func(*reconcile.Request) logr.Logger { return logr.Discard() },
		Reconciler: reconcile.Func(func(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
			return r(ctx)
		}),
	})
	require.NoError(t, err)
	require.NoError(t, c.Watch(source.Func(func(_ context.Context, q workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
		queue = q
		return nil
	})))
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- c.Start(ctx) }()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-done)
	})
	synctest.Wait()
	return func(before, after client.Object) {
		if p.Update(event.UpdateEvent{ObjectOld: before, ObjectNew: after}) {
			queue.Add(key)
		}
		time.Sleep(time.Second)
		synctest.Wait()
	}
}

// A key that comes back by a timer has seen no predicate: the reconciler asks, with the
// same one, and lets a key go whose object has left.
func TestRequeuedKey_RQ28(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mine := predicate.InSelector(selector(t, "shard=mine"), predicate.SpecChanged())
		in, out := labelled(map[string]string{"shard": "mine"}), secret()
		var object atomic.Pointer[corev1.Secret]
		object.Store(in)
		var runs, polls atomic.Int64
		update := run(t, mine, func(context.Context) (reconcile.Result, error) {
			runs.Add(1)
			if !predicate.Matches(mine, object.Load()) {
				return reconcile.Result{}, nil
			}
			polls.Add(1)
			return reconcile.Result{RequeueAfter: time.Minute}, nil
		})
		update(out, in)
		time.Sleep(5 * time.Minute)
		synctest.Wait()
		require.EqualValues(t, 6, polls.Load())

		object.Store(out)
		update(in, out) // leaving is an event
		require.EqualValues(t, 7, runs.Load())
		time.Sleep(time.Hour)
		synctest.Wait()
		require.EqualValues(t, 7, runs.Load(), "it was the last run")
		require.EqualValues(t, 6, polls.Load())
	})
}

// Filters for changes, and for kinds of events, have no say of an object.
func TestMatchesAsksOfTheObject_RQ28(t *testing.T) {
	o := secret()
	for name, p := range changeFilters() {
		require.True(t, predicate.Matches(p, o), name)
		require.True(t, predicate.Matches(predicate.None(p), o), name)
		require.True(t, predicate.Matches(predicate.All(p, predicate.Named("a"), predicate.On(predicate.Updates)), o), name)
		require.False(t, predicate.Matches(predicate.Any(p, predicate.Named("z"), predicate.On(predicate.Updates)), o), name)
	}
	require.True(t, predicate.Matches(predicate.On(predicate.Deletes), o))
	require.True(t, predicate.Matches(predicate.OnUpdate(predicate.Named("z")), o))
	require.True(t, predicate.Matches(predicate.GenerationChangedPredicate{}, o))
	require.True(t, predicate.Matches(isA{}, o))
	require.False(t, predicate.Matches(predicate.NewPredicateFuncs(func(client.Object) bool { return false }), o))
}

// What became ready and unready again between two looks is no change: who waits comes
// back by itself.
func TestCompressedEvent_PR25(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := predicate.ConditionChanged("Ready")
		var ready, completed atomic.Bool
		update := run(t, p, func(context.Context) (reconcile.Result, error) {
			if !ready.Load() {
				return reconcile.Result{RequeueAfter: time.Minute}, nil
			}
			completed.Store(true)
			return reconcile.Result{}, nil
		})
		notReady := node(func(r, _ *corev1.NodeCondition) { r.Status = "False" })
		update(node(nil), notReady)
		ready.Store(true)
		update(node(nil), as(node(func(r, _ *corev1.NodeCondition) { r.LastTransitionTime = deletedAt }), func(*corev1.Node) {}))
		require.False(t, completed.Load(), "the event was dropped")
		time.Sleep(time.Minute)
		synctest.Wait()
		require.True(t, completed.Load())

		// The kit finds the waiter that would wait for ever.
		before := node(nil)
		require.Error(t, predicatetest.Stalled(p, before, before, reconcile.Result{}, nil))
		require.NoError(t, predicatetest.Stalled(p, before, before, reconcile.Result{RequeueAfter: time.Minute}, nil))
	})
}

// A run that relies on the event of its own write stalls with a better predicate.
func TestReliesOnOwnWrite_RQ31(t *testing.T) {
	before := deployment()
	created := as(before, func(d *appsv1.Deployment) { d.Status.Replicas = 1 })
	require.NoError(t, predicatetest.Stalled(predicate.All(), before, created, reconcile.Result{}, nil))
	require.ErrorContains(t, predicatetest.Stalled(predicate.SpecChanged(), before, created, reconcile.Result{}, nil), "nothing brings it back")
	require.NoError(t, predicatetest.Stalled(predicate.SpecChanged(), before, created, reconcile.Result{RequeueAfter: 1}, nil))
	require.NoError(t, predicatetest.Stalled(predicate.SpecChanged(), before, created, reconcile.Result{}, errors.New("again")))
	require.Error(t, predicatetest.Stalled(predicate.SpecChanged(), before, created, reconcile.Result{}, reconcile.TerminalError(errors.New("no more"))))
}

// Many instances that each stamp a condition anew whenever they see a change keep each
// other busy for ever; but not if a new time is none.
func TestStamps_PR18(t *testing.T) {
	const instances = 38
	settle := func(p predicate.Predicate) (writes int) {
		object := node(func(r, _ *corev1.NodeCondition) { r.Status = "False" })
		events := []event.UpdateEvent{{ObjectOld: node(nil), ObjectNew: object}}
		for len(events) > 0 && writes < 10_000 {
			e := events[0]
			events = events[1:]
			for range instances {
				if !p.Update(e) {
					continue
				}
				writes++
				stamped := as(object, func(n *corev1.Node) {
					n.Status.Conditions[0].LastHeartbeatTime = metav1.NewTime(deletedAt.Add(time.Duration(writes) * time.Second))
				})
				events = append(events, event.UpdateEvent{ObjectOld: object, ObjectNew: stamped})
				object = stamped
			}
		}
		return writes
	}
	require.Equal(t, instances, settle(predicate.ConditionChanged()), "one write each, for the change that was one")
	require.GreaterOrEqual(t, settle(predicate.StatusChanged()), 10_000, "it never ends")
}
