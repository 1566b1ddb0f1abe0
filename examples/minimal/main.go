// Command minimal restarts a Deployment when a ConfigMap changes that its Pods
// read only at their start. The Pod template names the ConfigMap:
//
//	metadata:
//	  annotations:
//	    minimal.trimtab.dev/restart-on: settings
//
// It is an ordinary controller-runtime operator on built-in kinds. The two lines
// that bring in Trimtab are marked.
package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"os"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/loopz"
)

// The annotations of a Pod template: ours to read, and ours to write.
const (
	restartOn = "minimal.trimtab.dev/restart-on"
	startedBy = "minimal.trimtab.dev/started-by"
)

func main() {
	flag.Parse() // controller-runtime's --kubeconfig
	ctrl.SetLogger(zap.New())
	if err := run(ctrl.SetupSignalHandler()); err != nil {
		ctrl.Log.Error(err, "minimal has ended")
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	mgr, err := ctrl.NewManager(config, ctrl.Options{})
	if err != nil {
		return err
	}

	r := &restarter{Client: mgr.GetClient()}
	loop := trimtab.New("restarter", trimtab.Options{For: &appsv1.Deployment{}})
	err = ctrl.NewControllerManagedBy(mgr).
		Named("restarter").
		For(&appsv1.Deployment{}).
		Watches(&corev1.ConfigMap{}, handler.EnqueueRequestsFromMapFunc(r.readers)).
		WithOptions(loop.ControllerOptions(controller.Options{})). // Trimtab, line 1 of 2; was: WithOptions(controller.Options{})
		Complete(loop.Reconciler(r))                               // Trimtab, line 2 of 2; was: Complete(r)
	if err != nil {
		return err
	}
	if err := loopz.AddTo(mgr, loop); err != nil { // a live page beside the metrics: /debug/loopz
		return err
	}
	return mgr.Start(ctx)
}

type restarter struct {
	client.Client
}

// Reconcile notes in the Pod template what is in the ConfigMap. When that is
// news, the Deployment rolls out new Pods.
func (r *restarter) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	deployment := &appsv1.Deployment{}
	if err := r.Get(ctx, req.NamespacedName, deployment); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	name := deployment.Spec.Template.Annotations[restartOn]
	if name == "" {
		return reconcile.Result{}, nil
	}
	settings := &corev1.ConfigMap{}
	if err := r.Get(ctx, types.NamespacedName{Namespace: req.Namespace, Name: name}, settings); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err) // it will come, and bring a run
	}
	sum, err := fingerprint(settings)
	if err != nil {
		return reconcile.Result{}, err
	}
	if deployment.Spec.Template.Annotations[startedBy] == sum {
		return reconcile.Result{}, nil
	}
	before := deployment.DeepCopy()
	deployment.Spec.Template.Annotations[startedBy] = sum
	return reconcile.Result{}, r.Patch(ctx, deployment, client.MergeFrom(before))
}

// readers returns a request for each Deployment that names the ConfigMap.
func (r *restarter) readers(ctx context.Context, settings client.Object) []reconcile.Request {
	deployments := &appsv1.DeploymentList{}
	if err := r.List(ctx, deployments, client.InNamespace(settings.GetNamespace())); err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "A change of a ConfigMap was not brought to its readers")
		return nil
	}
	var requests []reconcile.Request
	for i := range deployments.Items {
		if deployments.Items[i].Spec.Template.Annotations[restartOn] == settings.GetName() {
			requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&deployments.Items[i])})
		}
	}
	return requests
}

// fingerprint is the same for the same content, since JSON sorts the keys.
func fingerprint(settings *corev1.ConfigMap) (string, error) {
	content, err := json.Marshal([]any{settings.Data, settings.BinaryData})
	if err != nil {
		return "", fmt.Errorf("encode the ConfigMap: %w", err)
	}
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:]), nil
}
