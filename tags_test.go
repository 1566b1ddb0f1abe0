package trimtab_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	crhandler "sigs.k8s.io/controller-runtime/pkg/handler"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/handler"
	"github.com/trimtab/trimtab/ratelimit"
	"github.com/trimtab/trimtab/reconcile"
	"github.com/trimtab/trimtab/trigger"
)

// What handlers tag is what the reconciler sees, over merges, retries and
// requeues; the attempt is what the limiter counts, whatever causes the run.
func TestTagsReachTheReconciler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limiter := ratelimit.NewExponential[string](ratelimit.ExponentialOptions{BaseDelay: 10 * time.Second})
		o := newOperator(t, trimtab.TypedOptions[string]{RateLimiter: limiter}, controller.TypedOptions[string]{},
			func(o *operator, _ string) (reconcile.Result, error) {
				time.Sleep(2 * time.Second)
				switch len(o.runs) {
				case 1, 2:
					return reconcile.Result{}, errBroken
				case 3:
					return reconcile.Result{RequeueAfter: time.Minute}, nil
				default:
					return reconcile.Result{}, nil
				}
			})
		send := func(source trigger.Source, after time.Duration) {
			h := crhandler.TypedFuncs[string, string]{
				GenericFunc: func(_ context.Context, e event.TypedGenericEvent[string], q workqueue.TypedRateLimitingInterface[string]) {
					q.AddAfter(e.Object, after)
				},
			}
			handler.As(source, h).Generic(t.Context(), event.TypedGenericEvent[string]{Object: "k"}, o.queue)
		}
		at := func(s int) { time.Sleep(time.Duration(s)*time.Second - time.Since(o.start)) }

		send(trigger.Watched, 0)
		at(1) // behind its own run, which fails at 2
		send(trigger.External, 0)
		send(trigger.Watched, 0)
		at(10) // in the backoff, which ends at 24
		send(trigger.Watched, 30*time.Second)
		at(50) // before the requeue, which comes at 86
		send(trigger.External, 36*time.Second)
		at(100)
		handler.Spread(time.Minute, handler.As(trigger.Watched, crhandler.TypedEnqueueRequestsFromMapFunc(func(context.Context, string) []string {
			return []string{"k"}
		}))).Generic(t.Context(), event.TypedGenericEvent[string]{}, o.queue)
		at(1000)
		require.Equal(t, []seen{
			{0, "k", "watched", 1, ""},
			{2 * time.Second, "k", "external+watched", 2, "error"},
			{24 * time.Second, "k", "watched+retry", 3, "error"},
			{86 * time.Second, "k", "external+periodic", 1, ""},
			{100 * time.Second, "k", "resync", 1, ""},
		}, o.seen())
	})
}
