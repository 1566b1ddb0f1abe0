package controller

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	certv1 "github.com/trimtab/trimtab/examples/certrotator/api/v1"
	"github.com/trimtab/trimtab/requeue"
)

// CertificateReconciler keeps each Certificate's Secret as its spec asks.
type CertificateReconciler struct {
	// Client reads from the manager's cache, which must have CacheOptions, and
	// sees its own writes.
	client.Client

	// Live reads from the API server.
	Live client.Reader

	// CAReader reads the Secret of the CA. SetupWithManager sets it.
	CAReader client.Reader

	// Recorder writes the events.
	Recorder events.EventRecorder

	// CASecret is the name of the CA's Secret.
	CASecret types.NamespacedName

	// RenewJitter is the largest part of renewBefore by which a certificate is
	// renewed even earlier, from 0 to 1.
	RenewJitter float64

	// RecheckInterval is how often a Certificate looks again for what somebody
	// else has to do: give a CA, free the Secret.
	RecheckInterval time.Duration

	// RepairInterval is how often each Certificate is looked at in any case, to repair
	// what no event tells of. Zero means never.
	RepairInterval time.Duration

	// RotationSpread is the time over which a new CA is brought to the
	// Certificates, one after the other. Zero means all at once, though after
	// what users wait for.
	RotationSpread time.Duration

	// RunTimeout is how long one look at a Certificate may take: a call that hangs
	// must not keep a worker. Zero means as long as it likes.
	RunTimeout time.Duration
}

// +kubebuilder:rbac:groups=certs.trimtab.dev,resources=certificates,verbs=get;list;watch
// +kubebuilder:rbac:groups=certs.trimtab.dev,resources=certificates/status,verbs=update
// +kubebuilder:rbac:groups=certs.trimtab.dev,resources=certificates/finalizers,verbs=update
// +kubebuilder:rbac:groups="",resources=secrets,verbs=get;list;watch;create;update;delete
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

// Reconcile looks at one Certificate and its Secret, and issues a new
// certificate if it must. When all is as it should be, it writes nothing.
func (r *CertificateReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	cert := &certv1.Certificate{}
	if err := r.Get(ctx, req.NamespacedName, cert); err != nil {
		return requeue.Done(), client.IgnoreNotFound(err)
	}
	if !cert.DeletionTimestamp.IsZero() {
		return requeue.Done(), nil // the garbage collector takes the Secret along
	}

	found, err := r.secure(ctx, cert)
	if t, ok := errors.AsType[*trouble](err); ok {
		return r.reportTrouble(ctx, cert, found, t)
	}
	if errors.Is(err, errUnwanted) {
		return requeue.Done(), nil
	}
	if err != nil {
		return ctrl.Result{}, err
	}
	if err := r.deleteOldSecrets(ctx, cert); err != nil {
		return ctrl.Result{}, err
	}
	return r.reportIssued(ctx, cert, found)
}

// finding is what secure found, or has made.
type finding struct {
	leaf    *x509.Certificate // in the Secret; nil if it holds none of use
	ca      *authority        // that signed it
	renewal requeue.Renewal
	issued  string // the reason of the event, if it was issued just now
	why     string // it was issued
}

// secure returns what the Secret holds, after a new certificate was issued if
// there was none, or one with a fault, or one that is due.
func (r *CertificateReconciler) secure(ctx context.Context, cert *certv1.Certificate) (finding, error) {
	if err := checkSpec(&cert.Spec); err != nil {
		return finding{}, err
	}
	secret, err := r.readSecret(ctx, cert)
	if err != nil {
		return finding{}, err
	}
	leaf, fault := checkSecret(secret, cert, time.Now())
	ca, err := r.readCA(ctx)
	if err != nil {
		return finding{leaf: leaf}, err
	}
	if fault == "" {
		fault = checkIssuer(leaf, secret, ca, &cert.Spec)
	}
	if fault != "" {
		return r.reissue(ctx, cert, secret, ca, fault)
	}
	renewal, err := r.renewal(cert, leaf, ca)
	if err != nil {
		return finding{}, err
	}
	if renewal.Due {
		return r.reissue(ctx, cert, secret, ca, renewalDue)
	}
	return finding{leaf: leaf, ca: ca, renewal: renewal}, nil
}

// reissue issues a certificate into secret, or into a new Secret if that is nil.
func (r *CertificateReconciler) reissue(ctx context.Context, cert *certv1.Certificate, secret *corev1.Secret, ca *authority, why string) (finding, error) {
	pair, err := issue(ca, &cert.Spec, time.Now())
	if err != nil {
		return finding{}, err
	}
	if err := r.writeSecret(ctx, cert, secret, pair, ca); err != nil {
		return finding{}, err
	}
	renewal, err := r.renewal(cert, pair.leaf, ca)
	if err != nil {
		return finding{}, fmt.Errorf("plan the renewal: %w", err)
	}
	event := eventOf(cert, ca, why)
	log.FromContext(ctx).Info(event, "why", why, "notAfter", pair.leaf.NotAfter, "renewal", renewal.At)
	return finding{leaf: pair.leaf, ca: ca, renewal: renewal, issued: event, why: why}, nil
}
