package e2e_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	certv1 "github.com/trimtab/trimtab/examples/certrotator/api/v1"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/reconcile"
)

// RC09: an object that somebody deletes in the middle of a run makes no error of what
// the run writes to it then, with a client that reads from a cache. For a write of the
// status that must have learned of it: the API server does not say whether the object
// is gone, or only lacks a status.
func TestDeletedInTheMiddle_RC09(t *testing.T) {
	for name, tc := range map[string]struct {
		write  func(context.Context, client.Client, *certv1.Certificate) error
		cached bool // whether the cache may show the object still
	}{
		"update": {func(ctx context.Context, c client.Client, cert *certv1.Certificate) error { return c.Update(ctx, cert) }, true},
		"patch": {func(ctx context.Context, c client.Client, cert *certv1.Certificate) error {
			before := client.MergeFrom(cert.DeepCopy())
			cert.Labels = map[string]string{"a": "b"}
			return c.Patch(ctx, cert, before)
		}, true},
		"status": {func(ctx context.Context, c client.Client, cert *certv1.Certificate) error {
			return c.Status().Update(ctx, cert)
		}, false},
		"status-patch": {stamp, false},
	} {
		t.Run(name, func(t *testing.T) {
			const objects = 20
			s := newScene(t)
			mgr := newManager(t, world.Config(), s.namespace, manager.Options{})
			c := mgr.GetClient()
			reg := control(t, mgr, "gone-"+name, trimtab.Options{}, reconciler(func(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
				cert := &certv1.Certificate{}
				if err := c.Get(ctx, req.NamespacedName, cert); err != nil {
					return reconcile.Result{}, err
				}
				if err := world.Delete(ctx, cert.DeepCopy()); err != nil {
					return reconcile.Result{}, err
				}
				for !tc.cached && !apierrors.IsNotFound(mgr.GetCache().Get(ctx, req.NamespacedName, &certv1.Certificate{})) {
					if err := ctx.Err(); err != nil {
						return reconcile.Result{}, err
					}
				}
				return reconcile.Result{}, tc.write(ctx, c, cert)
			}))
			runManager(t, mgr)
			s.createMany(t, objects)
			// One run for each object, and another for the event of its deletion, unless
			// the first was late.
			eventually(t, func() error { return ranAs(t, reg, "success", objects) })
			eventually(t, func() error {
				if m := gather(t, reg); m.Sum("trimtab_runs_total") < m.Sum("trimtab_adds_total")-m.Sum("trimtab_merges_total") {
					return fmt.Errorf("%.0f runs for %.0f adds", m.Sum("trimtab_runs_total"), m.Sum("trimtab_adds_total"))
				}
				return nil
			})
			m := gather(t, reg)
			require.InDelta(t, m.Sum("trimtab_runs_total"), m.Sum("trimtab_runs_total", "class", "success"), 0)
			require.Zero(t, errorsOf(t, "gone-"+name))
			require.Zero(t, m.Sum("trimtab_requeues_total"))
		})
	}
}
