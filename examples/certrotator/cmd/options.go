package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/client-go/tools/leaderelection"
	"sigs.k8s.io/controller-runtime/pkg/client/config"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
)

// options are the flags of the operator.
type options struct {
	metricsAddress string
	probeAddress   string

	leaderElect     bool
	leaderNamespace string
	leaseDuration   time.Duration
	renewDeadline   time.Duration
	retryPeriod     time.Duration

	concurrency   int
	backoffBase   time.Duration
	backoffMax    time.Duration
	backoffJitter float64
	rateLimitFile string
	given         map[string]bool // the flags that were given, by name

	caSecret        string
	renewJitter     float64
	recheckInterval time.Duration
	repairInterval  time.Duration
	rotationSpread  time.Duration
	runTimeout      time.Duration

	qps             float64
	burst           int
	shutdownTimeout time.Duration

	zap zap.Options
}

// parseOptions reads args, without the program's name. The error names each
// flag with an impossible value, and the value. The help goes to output.
func parseOptions(args []string, output io.Writer) (*options, error) {
	o := &options{}
	fs := flag.NewFlagSet("certrotator", flag.ContinueOnError)
	fs.SetOutput(io.Discard) // it would print errors, too
	o.bind(fs)
	err := fs.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprintf(output, "certrotator issues and renews certificates from a CA in a Secret.\n\nFlags:\n")
		fs.SetOutput(output)
		fs.PrintDefaults()
	}
	if err != nil {
		return nil, err
	}
	o.given = make(map[string]bool)
	fs.Visit(func(f *flag.Flag) { o.given[f.Name] = true })
	if fs.NArg() > 0 {
		return nil, fmt.Errorf("argument %q: want flags only", fs.Arg(0))
	}
	if err := o.validate(); err != nil {
		return nil, err
	}
	return o, nil
}

func (o *options) bind(fs *flag.FlagSet) {
	fs.StringVar(&o.metricsAddress, "metrics-bind-address", "127.0.0.1:8080", "The `address` that serves metrics, in plain HTTP; 0 for none.")
	fs.StringVar(&o.probeAddress, "health-probe-bind-address", ":8081", "The `address` that serves the probes healthz and readyz; 0 for none.")

	fs.BoolVar(&o.leaderElect, "leader-elect", false, "Work only as the leader, so that there can be several replicas.")
	fs.StringVar(&o.leaderNamespace, "leader-election-namespace", "", "The `namespace` of the leader's Lease. Default: the one that the operator runs in.")
	fs.DurationVar(&o.leaseDuration, "leader-election-lease-duration", 15*time.Second, "How long the others wait for a leader that is gone.")
	fs.DurationVar(&o.renewDeadline, "leader-election-renew-deadline", 10*time.Second, "How long a leader tries to renew its Lease before it gives up; less than the lease duration.")
	fs.DurationVar(&o.retryPeriod, "leader-election-retry-period", 2*time.Second, "How long to wait between two tries; 1.2 times it is less than the renew deadline.")

	fs.IntVar(&o.concurrency, "concurrency", 4, "How many Certificates to work on at a time.")
	fs.DurationVar(&o.backoffBase, "backoff-base", 5*time.Millisecond, "How long to wait after the first error of a Certificate; doubled with each further one.")
	fs.DurationVar(&o.backoffMax, "backoff-max", 1000*time.Second, "The longest wait after an error.")
	fs.Float64Var(&o.backoffJitter, "backoff-jitter", 0.2, "The largest `fraction` of a wait that is taken off at random, from 0 to 1.")
	fs.StringVar(&o.rateLimitFile, "rate-limit-config", "", "The `path` of a file that says how long to wait after an error, in place of the flags for the backoff. It is followed: see the README.")

	fs.StringVar(&o.caSecret, "ca-secret", "certrotator-system/ca", "The Secret of the CA, as `namespace/name`.")
	fs.Float64Var(&o.renewJitter, "renew-jitter", 0.1, "The largest `fraction` of renewBefore by which a certificate is renewed even earlier, from 0 to 1.")
	fs.DurationVar(&o.recheckInterval, "recheck-interval", time.Minute, "How often to look again for what somebody else has to do: free a Secret, give a CA.")
	fs.DurationVar(&o.repairInterval, "repair-interval", 10*time.Minute, "How often to look at each Certificate in any case, to repair what no event tells of; 0 for never.")
	fs.DurationVar(&o.rotationSpread, "rotation-spread", time.Minute, "Over how long a new CA is brought to the Certificates, one after the other; 0 for all at once.")
	fs.DurationVar(&o.runTimeout, "run-timeout", time.Minute, "How long one look at a Certificate may take until its calls are cancelled; 0 for as long as it likes.")

	fs.Float64Var(&o.qps, "kube-api-qps", -1, "The most requests `per second` to the API server; -1 for no limit but the API server's own.")
	fs.IntVar(&o.burst, "kube-api-burst", 100, "How many requests may exceed kube-api-qps at once.")
	fs.DurationVar(&o.shutdownTimeout, "shutdown-timeout", 30*time.Second, "How long to wait at the end for work that has begun; 0 for not at all.")

	o.zap.BindFlags(fs)
	config.RegisterFlags(fs)
}

// validate returns an error that names each flag with an impossible value.
func (o *options) validate() error {
	return errors.Join(
		checkAddress("metrics-bind-address", o.metricsAddress),
		checkAddress("health-probe-bind-address", o.probeAddress),
		o.validateElection(),
		checkNumber("concurrency", o.concurrency, 1, 1000),
		checkDuration("backoff-base", o.backoffBase, time.Nanosecond),
		checkDuration("backoff-max", o.backoffMax, o.backoffBase),
		checkFraction("backoff-jitter", o.backoffJitter),
		o.validateRateLimit(),
		checkSecret("ca-secret", o.caSecret),
		checkFraction("renew-jitter", o.renewJitter),
		checkDuration("recheck-interval", o.recheckInterval, time.Second),
		checkPeriod("repair-interval", o.repairInterval),
		checkDuration("rotation-spread", o.rotationSpread, 0),
		checkDuration("run-timeout", o.runTimeout, 0),
		checkRate("kube-api-qps", o.qps),
		checkNumber("kube-api-burst", o.burst, 1, math.MaxInt32),
		checkDuration("shutdown-timeout", o.shutdownTimeout, 0),
	)
}

// validateElection knows what client-go asks of the times, and that a Lease
// holds whole seconds.
func (o *options) validateElection() error {
	if !o.leaderElect {
		return nil
	}
	errs := []error{
		checkDuration("leader-election-lease-duration", o.leaseDuration, time.Second),
		checkDuration("leader-election-renew-deadline", o.renewDeadline, time.Nanosecond),
		checkDuration("leader-election-retry-period", o.retryPeriod, time.Nanosecond),
	}
	if o.renewDeadline >= o.leaseDuration {
		errs = append(errs, bad("leader-election-renew-deadline", o.renewDeadline, "less than leader-election-lease-duration, %v", o.leaseDuration))
	}
	if leaderelection.JitterFactor*float64(o.retryPeriod) >= float64(o.renewDeadline) {
		errs = append(errs, bad("leader-election-retry-period", o.retryPeriod, "1.2 times it less than leader-election-renew-deadline, %v", o.renewDeadline))
	}
	ownNamespace := o.leaderNamespace == "" && inCluster()
	if !ownNamespace && len(validation.IsDNS1123Label(o.leaderNamespace)) > 0 {
		errs = append(errs, bad("leader-election-namespace", o.leaderNamespace, "the name of a namespace; it can be left out only in a cluster"))
	}
	return errors.Join(errs...)
}

// validateRateLimit knows that the file replaces the flags for the backoff, and that
// an empty path is more likely a variable which was not set.
func (o *options) validateRateLimit() error {
	const file = "rate-limit-config"
	if !o.given[file] {
		return nil
	}
	var errs []error
	if o.rateLimitFile == "" {
		errs = append(errs, bad(file, o.rateLimitFile, "the path of a file"))
	}
	for _, name := range []string{"backoff-base", "backoff-max", "backoff-jitter"} {
		if o.given[name] {
			errs = append(errs, bad(file, o.rateLimitFile, "it without --%s, which the file replaces", name))
		}
	}
	return errors.Join(errs...)
}

// inCluster reports whether the operator runs in a Pod, which has a namespace.
func inCluster() bool {
	_, err := os.Stat("/var/run/secrets/kubernetes.io/serviceaccount/namespace")
	return err == nil
}

// caSecretName is the value of ca-secret, once it is validated.
func (o *options) caSecretName() types.NamespacedName {
	namespace, name, _ := strings.Cut(o.caSecret, "/")
	return types.NamespacedName{Namespace: namespace, Name: name}
}
