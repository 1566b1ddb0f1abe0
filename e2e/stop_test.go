package e2e_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	certv1 "github.com/trimtab/trimtab/examples/certrotator/api/v1"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/reconcile"

	"github.com/trimtab/trimtab/e2e/internal/slow"
)

// RC03: a manager that stops in the middle of a run makes no error of it, whatever the
// run was waiting for, and writes nothing more, not even what is to be written last.
func TestStopInTheMiddle_RC03(t *testing.T) {
	slowly := slowed(slow.Transport{Read: time.Hour, Write: time.Hour, Status: time.Hour})
	limited := rest.CopyConfig(world.Config())
	limited.QPS, limited.Burst = 0.001, 1
	for name, tc := range map[string]struct {
		config *rest.Config
		cached bool
		call   func(context.Context, client.Client, *certv1.Certificate) error
	}{
		"read": {config: slowly, call: func(ctx context.Context, c client.Client, cert *certv1.Certificate) error {
			return c.Get(ctx, client.ObjectKeyFromObject(cert), cert)
		}},
		"write":  {config: slowly, call: touch},
		"status": {config: slowly, call: stamp},
		"own-limit": {config: limited, call: func(ctx context.Context, c client.Client, cert *certv1.Certificate) error {
			if err := c.Get(ctx, client.ObjectKeyFromObject(cert), cert); err != nil { // The first is free.
				return err
			}
			return stamp(ctx, c, cert)
		}},
		"cache-sync": {cached: true, call: func(ctx context.Context, c client.Client, cert *certv1.Certificate) error {
			return c.Get(ctx, client.ObjectKeyFromObject(cert), &corev1.Secret{})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			log, lines := errorLog()
			mgr := newManager(t, withoutSecrets(), s.namespace, manager.Options{Logger: log})
			c := mgr.GetClient()
			if !tc.cached {
				var err error
				c, err = trimtab.NewClient(tc.config, client.Options{Scheme: mgr.GetScheme(), Mapper: mgr.GetRESTMapper()})
				require.NoError(t, err)
			}
			var begun atomic.Int64
			ended := make(chan error, 100)
			reg := control(t, mgr, "stopped-"+name, trimtab.Options{
				Reconcile: reconcile.Options[reconcile.Request]{Deadline: reconcile.DeadlineOptions{Timeout: time.Hour}},
			}, reconciler(func(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
				begun.Add(1)
				cert := certificate(s, req.Name)
				err := tc.call(ctx, c, cert)
				last, cancel := reconcile.LastWrite(ctx)
				defer cancel()
				ended <- say(last, mgr.GetClient(), cert, "the run has failed")
				return reconcile.Result{}, fmt.Errorf("%s: %w", req.Name, err)
			}))
			stop := runManager(t, mgr)
			s.create(t, "a")
			eventually(t, func() error {
				if begun.Load() == 0 || gather(t, reg).Sum("trimtab_workers_busy") == 0 {
					return fmt.Errorf("no run yet")
				}
				return nil
			})
			s.writes(t)
			during(t, 300*time.Millisecond, func() error { // until it waits
				select {
				case err := <-ended:
					return fmt.Errorf("the run has ended: %w", err)
				default:
					return nil
				}
			})
			stop()

			require.Error(t, <-ended, "something was written after the end")
			require.InDelta(t, 1, gather(t, reg).Sum("trimtab_runs_total", "class", "canceled"), 0, "%v", gather(t, reg)["trimtab_runs_total"])
			require.InDelta(t, 1, gather(t, reg).Sum("trimtab_runs_total"), 0)
			require.Zero(t, errorsOf(t, "stopped-"+name))
			require.Empty(t, lines())
			for _, w := range s.writes(t) {
				require.NotEqual(t, s.namespace, w.Namespace, "%s", w)
			}
		})
	}
}

// withoutSecrets returns how to reach an API server that never answers who asks for
// Secrets.
func withoutSecrets() *rest.Config {
	config := rest.CopyConfig(world.Config())
	config.Wrap(func(rt http.RoundTripper) http.RoundTripper {
		return hiding{RoundTripper: rt, slow: &slow.Transport{RoundTripper: rt, Read: time.Hour}}
	})
	return config
}

type hiding struct {
	http.RoundTripper
	slow http.RoundTripper
}

// RoundTrip implements [http.RoundTripper].
func (h hiding) RoundTrip(req *http.Request) (*http.Response, error) {
	if strings.HasSuffix(req.URL.Path, "/secrets") {
		return h.slow.RoundTrip(req)
	}
	return h.RoundTripper.RoundTrip(req)
}
