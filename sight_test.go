package trimtab_test

import (
	"context"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/queue"
	"github.com/trimtab/trimtab/reconcile"
)

// reading gets its own object, and is content if that is gone.
func reading(ctx context.Context, c client.Client) (reconcile.Result, error) {
	return reconcile.Result{}, client.IgnoreNotFound(c.Get(ctx, storeKey, &corev1.Secret{}))
}

// MaxInterval does nothing without the loop's client: the log says so once, after
// some runs, and not if the client is there, whatever the runs come upon.
func TestClientIsMissing(t *testing.T) {
	stored := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: storeKey.Namespace, Name: storeKey.Name, UID: "1"}}
	for name, tc := range map[string]struct {
		object    *corev1.Secret
		foreign   bool // the client is not the loop's
		unneeded  bool // MaxInterval is not set
		runs      int
		reconcile func(context.Context, client.Client) (reconcile.Result, error)
		said      int
	}{
		"another client":       {object: stored, foreign: true, runs: 30, reconcile: reading, said: 1},
		"another, some runs":   {object: stored, foreign: true, runs: 9, reconcile: reading},
		"another, no option":   {object: stored, foreign: true, unneeded: true, runs: 30, reconcile: reading},
		"the loop's":           {object: stored, runs: 30, reconcile: reading},
		"the loop's, all gone": {runs: 30, reconcile: reading},
		"only writes": {object: stored, runs: 30, reconcile: func(ctx context.Context, c client.Client) (reconcile.Result, error) {
			return reconcile.Result{}, c.Update(ctx, stored.DeepCopy())
		}},
		"does not look": {object: stored, runs: 30, said: 1, reconcile: func(ctx context.Context, c client.Client) (reconcile.Result, error) {
			return reconcile.Result{}, c.List(ctx, &corev1.SecretList{})
		}},
		"fails": {object: stored, foreign: true, runs: 30, reconcile: func(context.Context, client.Client) (reconcile.Result, error) {
			return reconcile.Result{}, errBroken
		}},
		"stops": {object: stored, foreign: true, runs: 30, reconcile: func(ctx context.Context, _ client.Client) (reconcile.Result, error) {
			reconcile.Stop(ctx)
			return reconcile.Result{}, nil
		}},
	} {
		t.Run(name, func(t *testing.T) {
			var log sink
			opts := trimtab.Options{For: &corev1.Secret{}, Registerer: prometheus.NewRegistry(), Log: log.logger()}
			if !tc.unneeded {
				opts.Queue = queue.Options[reconcile.Request]{MaxInterval: time.Hour}
			}
			loop := trimtab.New("secrets", opts)
			var c client.Client = &store{object: tc.object.DeepCopy()}
			if !tc.foreign {
				c = loop.Client(c)
			}
			serve(t, loop, tc.runs, func(ctx context.Context) (reconcile.Result, error) { return tc.reconcile(ctx, c) })
			require.Equal(t, tc.said, log.count("trimtab.NewClient", "Queue.MaxInterval", "Secret"))
		})
	}
}

// serve takes that many requests from a queue of the loop and runs them.
func serve(t *testing.T, loop *trimtab.Loop, runs int, run func(context.Context) (reconcile.Result, error)) {
	t.Helper()
	r := loop.Reconciler(reconcile.Func(func(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) { return run(ctx) }))
	o := loop.ControllerOptions(controller.Options{})
	q := o.NewQueue("secret", o.RateLimiter)
	defer q.ShutDown()
	for range runs {
		q.Add(reconcile.Request{NamespacedName: storeKey})
		request, _ := q.Get()
		_, _ = r.Reconcile(t.Context(), request)
		q.Forget(request)
		q.Done(request)
	}
}
