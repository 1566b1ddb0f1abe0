package controller

import (
	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/trimtab/trimtab"
	certv1 "github.com/trimtab/trimtab/examples/certrotator/api/v1"
	"github.com/trimtab/trimtab/handler"
	"github.com/trimtab/trimtab/loopz"
	"github.com/trimtab/trimtab/predicate"
	"github.com/trimtab/trimtab/reconcile"
	"github.com/trimtab/trimtab/requeue"
	"github.com/trimtab/trimtab/trigger"
)

// SetupWithManager adds the controller to mgr. Each watch says what it is: a
// change of the Certificate itself is served first, a Secret that needs repair
// next; a new CA concerns every certificate and may take its time, RotationSpread. A
// ticker brings what no watch tells of: each Certificate once in RepairInterval.
//
// And each says which of its events count, and counts them: trimtab_events_total. Of
// a Secret that we made, our labels and the owner count, too: without them we would
// lose sight of it. What others annotate does not.
func (r *CertificateReconciler) SetupWithManager(mgr ctrl.Manager, options controller.Options) error {
	if err := indexSecrets(mgr); err != nil {
		return err
	}
	caCache, err := r.newCACache(mgr)
	if err != nil {
		return err
	}
	r.CAReader = caCache

	loop := trimtab.New("certificate", trimtab.Options{
		For: &certv1.Certificate{},
		Reconcile: reconcile.Options[reconcile.Request]{
			Deadline: reconcile.DeadlineOptions{Timeout: r.RunTimeout},
		},
	})
	if err := loopz.AddTo(mgr, loop); err != nil { // a live page beside the metrics: /debug/loopz
		return err
	}
	specs := loop.Observe(trigger.Primary, "Certificate", predicate.SpecChanged())
	secrets := loop.Observe(trigger.Watched, "Secret", predicate.Any(
		predicate.DataChanged(), predicate.LabelsChanged(managedByLabel, certificateLabel), predicate.OwnersChanged()))
	ca := loop.Observe(trigger.Resync, "CA", predicate.DataChanged())
	b := ctrl.NewControllerManagedBy(mgr).
		Named("certificate").
		For(&certv1.Certificate{}, builder.WithPredicates(specs)).
		Watches(&corev1.Secret{}, handler.Owned(mgr, &certv1.Certificate{}), builder.WithPredicates(secrets)).
		WatchesRawSource(source.Kind[client.Object](caCache, &corev1.Secret{},
			handler.Spread(r.RotationSpread, handler.EnqueueRequestsFromMapFunc(r.allCertificates)), ca)).
		WithOptions(loop.ControllerOptions(options))
	if r.RepairInterval > 0 {
		b.WatchesRawSource(requeue.NewTicker(requeue.TickerOptions[reconcile.Request]{
			Period: r.RepairInterval,
			List:   requeue.Objects(mgr.GetCache(), &certv1.CertificateList{}),
		}))
	}
	return b.Complete(loop.Reconciler(r))
}
