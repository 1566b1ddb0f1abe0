package bench_test

import (
	"context"
	"sync"
	"time"

	"github.com/awslabs/operatorpkg/reconciler"
	"github.com/awslabs/operatorpkg/status"
	"github.com/fluxcd/pkg/runtime/controller"
	fluxmetrics "github.com/fluxcd/pkg/runtime/metrics"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/record"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trimtab/trimtab/reconcile"
)

// Who wraps reconcilers besides us.
const (
	bare        = "bare" // nobody
	flux        = "flux"
	operatorpkg = "operatorpkg"
)

// ready is the only condition of each object.
func ready() metav1.Condition {
	return metav1.Condition{Type: "Ready", Status: metav1.ConditionTrue, Reason: "Succeeded"}
}

// fluxObject is what Flux takes for an object with conditions.
type fluxObject struct{ corev1.ConfigMap }

// GetConditions implements conditions.Getter.
func (*fluxObject) GetConditions() []metav1.Condition { return []metav1.Condition{ready()} }

// fluxReconciler is a reconciler as Flux's controllers are written: what is recorded of
// a run is, when that ends.
type fluxReconciler struct {
	controller.Metrics
	inner      reconcile.Reconciler
	conditions bool
}

func newFlux(r reconcile.Reconciler, conditions bool) reconcile.Reconciler {
	recorded := &fluxReconciler{inner: r, conditions: conditions}
	recorded.Scheme, recorded.MetricsRecorder = scheme.Scheme, fluxmetrics.NewRecorder()
	return controller.WrapReconciler(recorded)
}

func (f *fluxReconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	start := time.Now()
	obj := &fluxObject{} // which the reconciler would have read anyway
	obj.Kind, obj.APIVersion, obj.Name, obj.Namespace = "ConfigMap", "v1", req.Name, req.Namespace
	defer func() {
		f.RecordDuration(ctx, obj, start)
		if f.conditions {
			f.RecordSuspend(ctx, obj, false)
			f.RecordReadiness(ctx, obj)
		}
	}()
	return f.inner.Reconcile(ctx, req)
}

// statusObject is what operatorpkg takes for an object with conditions.
type statusObject struct {
	corev1.ConfigMap

	conditions []status.Condition
}

// StatusConditions implements status.Object.
func (o *statusObject) StatusConditions(opts ...status.ForOption) status.ConditionSet {
	return status.NewReadyConditions().For(o, opts...)
}

// GetConditions implements status.Object.
func (o *statusObject) GetConditions() []status.Condition { return o.conditions }

// SetConditions implements status.Object.
func (o *statusObject) SetConditions(c []status.Condition) { o.conditions = c }

// DeepCopyObject implements runtime.Object.
func (o *statusObject) DeepCopyObject() runtime.Object {
	return &statusObject{conditions: o.conditions}
}

// statusReader is a client that has every statusObject.
type statusReader struct{ client.Client }

// Get implements client.Reader.
func (statusReader) Get(_ context.Context, key client.ObjectKey, obj client.Object, _ ...client.GetOption) error {
	o := obj.(*statusObject)
	o.Name, o.Namespace, o.conditions = key.Name, key.Namespace, []status.Condition{status.Condition(ready())}
	return nil
}

// statusController observes conditions for Prometheus, in a controller of its own. It
// registers its metrics, so that there can be one.
var statusController = sync.OnceValue(func() reconcile.Reconciler {
	scheme.Scheme.AddKnownTypes(corev1.SchemeGroupVersion.WithKind("").GroupVersion(), &statusObject{})
	return status.NewController[*statusObject](statusReader{}, record.NewFakeRecorder(0))
})

// operatorpkgReconciler is the reconciler in operatorpkg's form, and the controller of
// conditions that runs whenever the object has changed.
type operatorpkgReconciler struct {
	inner    reconcile.Reconciler
	observer reconcile.Reconciler // nil if conditions are not recorded
}

func newOperatorpkg(r reconcile.Reconciler, conditions bool) reconcile.Reconciler {
	o := &operatorpkgReconciler{inner: reconciler.AsReconciler(operatorpkgForm{r})}
	if conditions {
		o.observer = statusController()
	}
	return o
}

func (o *operatorpkgReconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	result, err := o.inner.Reconcile(ctx, req)
	if o.observer != nil {
		_, _ = o.observer.Reconcile(ctx, req)
	}
	return result, err
}

type operatorpkgForm struct{ reconcile.Reconciler }

// Reconcile implements reconciler.Reconciler of operatorpkg.
func (f operatorpkgForm) Reconcile(ctx context.Context, req reconcile.Request) (reconciler.Result, error) {
	result, err := f.Reconciler.Reconcile(ctx, req)
	return reconciler.Result{RequeueAfter: result.RequeueAfter}, err
}
