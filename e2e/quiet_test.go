package e2e_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	certv1 "github.com/trimtab/trimtab/examples/certrotator/api/v1"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/reconcile"
	"github.com/trimtab/trimtab/trigger"

	"github.com/trimtab/trimtab/e2e/internal/slow"
)

// RC08, ME13, ME15: of six conflicts in a row, as the API server makes them, the fourth
// is an error and has a line in the log; none is a success, or a run that changed
// nothing; and the seventh attempt ends the row.
func TestConflicts_RC08_ME13_ME15(t *testing.T) {
	s := newScene(t)
	log, lines := errorLog()
	mgr := newManager(t, world.Config(), s.namespace, manager.Options{Logger: log})
	c := mgr.GetClient()
	var reg *prometheus.Registry
	var succeeded [7]float64 // the time of the last success, as the attempts saw it
	reg = control(t, mgr, "contested", trimtab.Options{}, reconciler(func(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
		cert := &certv1.Certificate{}
		if err := c.Get(ctx, req.NamespacedName, cert); err != nil {
			return reconcile.Result{}, err
		}
		info, _ := trigger.FromContext(ctx)
		if req.Name == "calm" {
			return reconcile.Result{}, nil
		}
		succeeded[info.Attempt-1] = gather(t, reg).Sum("trimtab_last_success_timestamp_seconds")
		if info.Attempt < 7 {
			cert.ResourceVersion = "1" // What a cache shows is too old, too.
		}
		cert.Labels = map[string]string{"attempt": fmt.Sprint(info.Attempt)}
		return reconcile.Result{}, c.Update(ctx, cert)
	}))
	runManager(t, mgr)
	s.create(t, "calm")
	eventually(t, func() error { return ranAs(t, reg, "success", 1) })
	s.create(t, "contested")
	eventually(t, func() error { return ranAs(t, reg, "success", 2) })

	m := gather(t, reg)
	require.InDelta(t, 6, m.Sum("trimtab_runs_total", "class", "conflict"), 0)
	require.InDelta(t, 8, m.Sum("trimtab_runs_total"), 0)
	require.InDelta(t, 6, m.Sum("trimtab_requeues_total", "reason", "retry"), 0)
	require.InDelta(t, 1, m.Sum("trimtab_noop_runs_total"), 0, "the calm one's")
	require.InDelta(t, 1+7, m.Sum("trimtab_convergence_attempts"), 0)
	require.InDelta(t, 1, errorsOf(t, "contested"), 0)
	require.Len(t, lines(), 1)
	require.Positive(t, succeeded[0])
	for _, at := range succeeded {
		require.InDelta(t, succeeded[0], at, 0, "a conflict is no success")
	}
}

// ME13, ME06: what the API server answers, or does not, has its class.
func TestClassesOfTheAPIServer_ME13_ME06(t *testing.T) {
	_, powerless, err := world.AddUser("powerless")
	require.NoError(t, err)
	impatient := slowed(slow.Transport{Read: time.Hour})
	impatient.Timeout = 200 * time.Millisecond
	for name, tc := range map[string]struct {
		config *rest.Config
		call   func(context.Context, client.Client, *certv1.Certificate) error
		class  string
		errors float64
	}{
		"exists": {world.Config(), func(ctx context.Context, c client.Client, cert *certv1.Certificate) error {
			return c.Create(ctx, &corev1.Namespace{ObjectMeta: certificate(&scene{}, cert.Namespace).ObjectMeta})
		}, "conflict", 0},
		"invalid": {world.Config(), func(ctx context.Context, c client.Client, cert *certv1.Certificate) error {
			return c.Create(ctx, &corev1.Secret{ObjectMeta: certificate(&scene{namespace: cert.Namespace}, "not a name").ObjectMeta})
		}, "invalid", 1},
		"forbidden": {powerless, func(ctx context.Context, c client.Client, cert *certv1.Certificate) error {
			return c.Get(ctx, client.ObjectKeyFromObject(cert), cert)
		}, "error", 1},
		"missing": {world.Config(), func(ctx context.Context, c client.Client, cert *certv1.Certificate) error {
			return c.Get(ctx, client.ObjectKeyFromObject(cert), &corev1.Secret{})
		}, "notfound", 1},
		"impatient": {impatient, func(ctx context.Context, c client.Client, cert *certv1.Certificate) error {
			return c.Get(ctx, client.ObjectKeyFromObject(cert), cert)
		}, "timeout", 1},
		"refused": {&rest.Config{Host: "127.0.0.1:1"}, func(ctx context.Context, c client.Client, cert *certv1.Certificate) error {
			return c.Get(ctx, client.ObjectKeyFromObject(cert), cert)
		}, "error", 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			mgr := newManager(t, world.Config(), s.namespace, manager.Options{})
			c, err := trimtab.NewClient(tc.config, client.Options{Scheme: mgr.GetScheme(), Mapper: mgr.GetRESTMapper()})
			require.NoError(t, err)
			var runs atomic.Int64
			reg := control(t, mgr, "class-"+name, trimtab.Options{}, reconciler(func(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
				if runs.Add(1) > 1 {
					return reconcile.Result{}, nil
				}
				return reconcile.Result{}, tc.call(ctx, c, certificate(s, req.Name))
			}))
			runManager(t, mgr)
			s.create(t, "a")
			eventually(t, func() error { return ranAs(t, reg, "success", 1) })
			require.InDelta(t, 1, gather(t, reg).Sum("trimtab_runs_total", "class", tc.class), 0)
			require.InDelta(t, 2, gather(t, reg).Sum("trimtab_runs_total"), 0)
			require.InDelta(t, tc.errors, errorsOf(t, "class-"+name), 0)
		})
	}
}
