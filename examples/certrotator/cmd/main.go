// Command certrotator issues certificates from a CA in a Secret, and renews
// them before they end.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	crcontroller "sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/trimtab/trimtab"
	certv1 "github.com/trimtab/trimtab/examples/certrotator/api/v1"
	"github.com/trimtab/trimtab/examples/certrotator/internal/controller"
)

func main() {
	opts, err := parseOptions(os.Args[1:], os.Stdout)
	if errors.Is(err, flag.ErrHelp) {
		os.Exit(0)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "certrotator can't start:\n%v\n", err)
		os.Exit(2)
	}
	ctrl.SetLogger(zap.New(zap.UseFlagOptions(&opts.zap)))
	if err := run(ctrl.SetupSignalHandler(), opts); err != nil {
		ctrl.Log.Error(err, "certrotator has ended")
		os.Exit(1)
	}
}

// run works until ctx is done.
func run(ctx context.Context, opts *options) error {
	config, err := ctrl.GetConfig()
	if err != nil {
		return fmt.Errorf("find the API server: %w", err)
	}
	config.QPS, config.Burst = float32(opts.qps), opts.burst
	mgr, err := newManager(config, opts)
	if err != nil {
		return fmt.Errorf("make the manager: %w", err)
	}
	if err := requireCRD(mgr.GetRESTMapper()); err != nil {
		return err
	}
	if err := addController(mgr, opts); err != nil {
		return fmt.Errorf("make the controller: %w", err)
	}
	if err := mgr.Start(ctx); err != nil {
		return fmt.Errorf("run the manager: %w", err)
	}
	return nil
}

// The leader's Lease, and the events about it.
//
// +kubebuilder:rbac:groups=coordination.k8s.io,namespace=certrotator-system,resources=leases,verbs=get;create;update
// +kubebuilder:rbac:groups="",namespace=certrotator-system,resources=events,verbs=create;patch

func newManager(config *rest.Config, opts *options) (ctrl.Manager, error) {
	scheme, err := newScheme()
	if err != nil {
		return nil, err
	}
	mgr, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:                        scheme,
		NewClient:                     trimtab.NewClient, // splits the time of each run into reading, computing and writing
		Client:                        client.Options{Cache: &client.CacheOptions{EnableReadYourWritesConsistency: new(true)}},
		Cache:                         controller.CacheOptions(),
		Metrics:                       metricsserver.Options{BindAddress: opts.metricsAddress},
		HealthProbeBindAddress:        opts.probeAddress,
		LeaderElection:                opts.leaderElect,
		LeaderElectionID:              "certrotator.trimtab.dev",
		LeaderElectionNamespace:       opts.leaderNamespace,
		LeaderElectionReleaseOnCancel: true, // the process ends at once after the manager
		LeaseDuration:                 &opts.leaseDuration,
		RenewDeadline:                 &opts.renewDeadline,
		RetryPeriod:                   &opts.retryPeriod,
		GracefulShutdownTimeout:       &opts.shutdownTimeout,
	})
	if err != nil {
		return nil, err
	}
	return mgr, errors.Join(mgr.AddHealthzCheck("ping", healthz.Ping), mgr.AddReadyzCheck("ping", healthz.Ping))
}

func newScheme() (*runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	return scheme, errors.Join(clientgoscheme.AddToScheme(scheme), certv1.AddToScheme(scheme))
}

func addController(mgr ctrl.Manager, opts *options) error {
	live, err := trimtab.NewClient(mgr.GetConfig(), client.Options{
		HTTPClient: mgr.GetHTTPClient(),
		Scheme:     mgr.GetScheme(),
		Mapper:     mgr.GetRESTMapper(),
	})
	if err != nil {
		return err
	}
	reconciler := &controller.CertificateReconciler{
		Client:          mgr.GetClient(),
		Live:            live,
		Recorder:        mgr.GetEventRecorder("certrotator"),
		CASecret:        opts.caSecretName(),
		RenewJitter:     opts.renewJitter,
		RecheckInterval: opts.recheckInterval,
		RepairInterval:  opts.repairInterval,
		RotationSpread:  opts.rotationSpread,
		RunTimeout:      opts.runTimeout,
	}
	limiter, err := newLimiter(mgr, opts)
	if err != nil {
		return err
	}
	return reconciler.SetupWithManager(mgr, crcontroller.Options{
		MaxConcurrentReconciles: opts.concurrency,
		RateLimiter:             limiter,
	})
}

// requireCRD says what to do if the API server doesn't know the kind. Without
// it, the controller would wait for minutes first.
func requireCRD(mapper meta.RESTMapper) error {
	kind := certv1.GroupVersion.WithKind("Certificate")
	_, err := mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if meta.IsNoMatchError(err) {
		return fmt.Errorf("the API server doesn't know the kind %s: install the CRD first, with kubectl apply -k config/crd: %w", kind.Kind, err)
	}
	if err != nil {
		return fmt.Errorf("ask the API server for the kind %s: %w", kind.Kind, err)
	}
	return nil
}
