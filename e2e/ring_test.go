package e2e_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/predicate"
	"github.com/trimtab/trimtab/reconcile"
)

// The ring of the test, and the labels by which its sharder speaks to its shards.
const (
	ringName  = "e2e"
	mainLabel = "shard.alpha.sharding.timebertt.dev/" + ringName
	goLabel   = "drain.alpha.sharding.timebertt.dev/" + ringName
)

// Three shards serve the objects that a sharder of kubernetes-controller-sharding's
// protocol gives them. It moves objects from one to another while users change them, one
// shard dies, and comes back. No object is ever served by two at a time, and each last
// change is seen by whom the object belongs to in the end.
func TestRing(t *testing.T) {
	const objects, changing = 200, 12 * time.Second
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))

	s := newScene(t)
	ring := newRing(s, random, objects)
	require.NoError(t, ring.create(t.Context()))
	stop := ring.startShard(t, "a", true)
	ring.startShard(t, "b", true)
	ring.startShard(t, "c", false)

	users, userCtx := make(chan error, 1), deadlineIn(t, changing)
	go func() { users <- ring.change(userCtx, rand.New(rand.NewPCG(seed, 1))) }()
	play := func(until time.Duration, moves int) {
		t.Helper()
		ctx := deadlineIn(t, until)
		for ctx.Err() == nil {
			require.NoError(t, ring.turn(t.Context(), moves))
		}
	}
	play(changing/3, 8)
	stop() // Its lease runs out: the sharder does not ask who is dead.
	delete(ring.alive, "a")
	play(changing/3, 8)
	ring.startShard(t, "a", true)
	play(changing/3, 8)
	require.NoError(t, <-users)

	eventually(t, func() error { return ring.settled(t.Context()) })
	require.Empty(t, ring.served.overlaps())
	require.Greater(t, ring.drained, objects/4, "objects that were let go by a living shard")
	for shard := range ring.alive {
		require.NotZero(t, ring.served.runs(shard), shard)
	}
	t.Logf("%d objects let go, %d taken from the dead, %d changes, runs: a %d, b %d, c %d", ring.drained, ring.orphaned,
		ring.changes.Load(), ring.served.runs("a"), ring.served.runs("b"), ring.served.runs("c"))
}

// deadlineIn returns a context that is done in d, or with the test.
func deadlineIn(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

// ring is objects, shards, and the sharder that gives the ones to the others.
type ring struct {
	*scene
	random            *rand.Rand
	objects           int
	alive             map[string]bool   // the shards that hold their lease
	target            map[string]string // where an object goes that is being let go
	drained, orphaned int
	changes           atomic.Int64
	served            serving
}

func newRing(s *scene, random *rand.Rand, objects int) *ring {
	return &ring{scene: s, random: random, objects: objects, alive: map[string]bool{}, target: map[string]string{}}
}

func (r *ring) create(ctx context.Context) error {
	for i := range r.objects {
		if err := world.Create(ctx, &corev1.ConfigMap{ObjectMeta: r.object(fmt.Sprintf("object-%d", i))}); err != nil {
			return err
		}
	}
	return nil
}

// startShard starts a process of the ring: with a cache of its own objects alone, as the
// protocol has it, or of all.
func (r *ring) startShard(t *testing.T, name string, filtered bool) (stop func()) {
	t.Helper()
	var opts manager.Options
	if filtered {
		opts.Cache.DefaultLabelSelector = labels.SelectorFromSet(labels.Set{mainLabel: name})
	}
	mgr := newManager(t, world.Config(), r.namespace, opts)
	loop := trimtab.New("ring-"+name, trimtab.Options{For: &corev1.ConfigMap{}, DisableMetrics: true})
	mine := predicate.ShardLabel(ringName, name, predicate.DataChanged())
	require.NoError(t, ctrl.NewControllerManagedBy(mgr).Named("ring-"+name).
		For(&corev1.ConfigMap{}, builder.WithPredicates(mine)).
		WithOptions(loop.ControllerOptions(controller.Options{MaxConcurrentReconciles: 4})).
		Complete(loop.Reconciler(&shard{mgr.GetClient(), name, mine, &r.served})))
	r.alive[name] = true
	return runManager(t, mgr)
}

// shard is the reconciler of one of the processes.
type shard struct {
	client.Client
	name   string
	mine   predicate.Predicate
	served *serving
}

// Reconcile lets go of what is not to be its own any more, and serves what is. A write
// that lets go has a resourceVersion: done twice, it would take the object from another.
func (s *shard) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	var m corev1.ConfigMap
	if err := s.Get(ctx, request.NamespacedName, &m); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if !predicate.Matches(s.mine, &m) {
		return reconcile.Result{}, nil
	}
	if _, leaving := m.Labels[goLabel]; leaving {
		before := m.DeepCopy()
		delete(m.Labels, mainLabel)
		delete(m.Labels, goLabel)
		return reconcile.Result{}, client.IgnoreNotFound(s.Patch(ctx, &m, exactly(before)))
	}
	defer s.served.begin(m.Name, s.name)()
	time.Sleep(time.Duration(rand.IntN(10)) * time.Millisecond)
	n, _ := strconv.Atoi(m.Data["n"])
	s.served.see(m.Name, s.name, n)
	return reconcile.Result{}, nil
}

// exactly patches only the very version that before is.
func exactly(before client.Object) client.Patch {
	return client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
}
