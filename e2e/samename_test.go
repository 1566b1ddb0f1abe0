package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	certv1 "github.com/trimtab/trimtab/examples/certrotator/api/v1"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/predicate"
	"github.com/trimtab/trimtab/reconcile"

	"github.com/trimtab/trimtab/e2e/internal/scrape"
)

// RC09, RL05: what is not the run's own object changes nothing in the signals of it,
// be it a Secret with the name of its Certificate, or a Certificate of another name:
// not when it is missing, made, changed, about to be deleted, or gone.
func TestNeighbours_RC09_RL05(t *testing.T) {
	for name, other := range map[string]client.Object{
		"other-name":         secretNamed("beside"),
		"same-name":          secretNamed("own"),
		"same-name-untyped":  untyped("v1", "Secret", "own"),
		"another-of-its-own": &certv1.Certificate{ObjectMeta: metav1.ObjectMeta{Name: "beside"}, Spec: anySpec()},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			other.SetNamespace(s.namespace)
			n := &neighbour{registry: prometheus.NewRegistry(), other: other}
			n.start(t, s.namespace)
			s.create(t, "own")
			var m scrape.Sample
			eventually(t, func() error {
				if m = gather(t, n.registry); m.Sum("trimtab_runs_total", "class", "success") == 0 {
					return n.failed()
				}
				return nil
			})
			require.Equal(t, map[string]float64{
				"runs that missed it":   2,
				"runs that failed":      4,
				"runs with success":     1,
				"requeues":              6,
				"requeues of the own":   6,
				"runs without a change": 1,
				"failure resets":        0,
				"converged":             1,
				"attempts until then":   7,
			}, map[string]float64{
				"runs that missed it":   m.Sum("trimtab_runs_total", "class", "notfound"),
				"runs that failed":      m.Sum("trimtab_runs_total", "class", "error"),
				"runs with success":     m.Sum("trimtab_runs_total", "class", "success"),
				"requeues":              m.Sum("trimtab_requeues_total", "reason", "retry"),
				"requeues of the own":   m.Sum("trimtab_object_requeues", "object", s.namespace+"/own"),
				"runs without a change": m.Sum("trimtab_noop_runs_total"),
				"failure resets":        m.Sum("trimtab_failure_resets_total"),
				"converged":             m.Histogram("trimtab_convergence_seconds").Count(),
				"attempts until then":   m.Sum("trimtab_convergence_attempts"),
			})
			require.InDelta(t, 7, m.Sum("trimtab_runs_total"), 0)
		})
	}
}

func secretNamed(name string) *corev1.Secret {
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name}}
}

func anySpec() certv1.CertificateSpec {
	return certv1.CertificateSpec{DNSNames: []string{"a.example"}, Duration: metav1.Duration{Duration: time.Hour}, SecretName: "any"}
}

// untyped returns an object without its Go type.
func untyped(version, kind, name string) client.Object {
	u := &unstructured.Unstructured{}
	u.SetAPIVersion(version)
	u.SetKind(kind)
	u.SetName(name)
	return u
}

// neighbour is a reconciler that leads another object through its life, one step in
// each run, and fails until the end.
type neighbour struct {
	registry *prometheus.Registry
	client   client.Client
	other    client.Object
	step     int

	mu   sync.Mutex
	errs []error
}

var errUnfinished = errors.New("not yet")

// Reconcile implements reconcile.Reconciler. There is one worker.
func (n *neighbour) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	if err := n.client.Get(ctx, req.NamespacedName, &certv1.Certificate{}); err != nil {
		return reconcile.Result{}, fmt.Errorf("own: %w", err)
	}
	n.step++
	err := n.take(ctx, n.step)
	n.mu.Lock()
	defer n.mu.Unlock()
	n.errs = append(n.errs, err)
	return reconcile.Result{}, err
}

// failed returns an error that tells how the runs ended so far.
func (n *neighbour) failed() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return fmt.Errorf("no run has succeeded, but failed with %w", errors.Join(n.errs...))
}

func (n *neighbour) take(ctx context.Context, step int) error {
	read := func() error { return n.client.Get(ctx, client.ObjectKeyFromObject(n.other), n.other) }
	change := func(edit func()) error {
		if err := read(); err != nil {
			return err
		}
		edit()
		return n.client.Update(ctx, n.other)
	}
	var err error
	switch step {
	case 1: // It is not there.
		return read()
	case 2:
		n.other.SetFinalizers([]string{"trimtab.dev/test"})
		err = n.client.Create(ctx, n.other)
	case 3:
		err = change(func() { n.other.SetLabels(map[string]string{"changed": "true"}) })
	case 4:
		err = errors.Join(n.client.Delete(ctx, n.other), read()) // It is there still.
	case 5: // Its last finalizer goes, and with it the object.
		err = change(func() { n.other.SetFinalizers(nil) })
	case 6:
		err = n.client.Status().Update(ctx, n.other)
	}
	if err != nil || step > 6 {
		return err
	}
	return errUnfinished
}

// start runs the controller until the test ends. Its client has no cache, so that each
// step sees the last.
func (n *neighbour) start(t *testing.T, namespace string) {
	t.Helper()
	mgr := newManager(t, world.Config(), namespace, manager.Options{})
	var err error
	n.client, err = trimtab.NewClient(world.Config(), client.Options{Scheme: mgr.GetScheme()})
	require.NoError(t, err)
	loop := trimtab.New("neighbour", trimtab.Options{For: &certv1.Certificate{}, Registerer: n.registry})
	require.NoError(t, ctrl.NewControllerManagedBy(mgr).Named("neighbour").
		For(&certv1.Certificate{}).
		WithEventFilter(predicate.NewPredicateFuncs(func(o client.Object) bool { return o.GetName() == "own" })).
		WithOptions(loop.ControllerOptions(controller.Options{})).
		Complete(loop.Reconciler(n)))
	runManager(t, mgr)
}
