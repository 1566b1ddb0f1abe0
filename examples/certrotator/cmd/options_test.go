package main

import (
	"flag"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"
)

func TestDefaults(t *testing.T) {
	o, err := parseOptions(nil, t.Output())
	require.NoError(t, err)
	require.Equal(t, "127.0.0.1:8080", o.metricsAddress)
	require.Equal(t, types.NamespacedName{Namespace: "certrotator-system", Name: "ca"}, o.caSecretName())
	require.Equal(t, time.Minute, o.rotationSpread)
}

func TestGoodOptions(t *testing.T) {
	for _, args := range []string{
		"--metrics-bind-address=0 --health-probe-bind-address=0",
		"--metrics-bind-address=[::1]:0",
		"--leader-elect --leader-election-namespace=here --leader-election-lease-duration=3s --leader-election-renew-deadline=2s --leader-election-retry-period=500ms",
		"--leader-election-renew-deadline=1h", // without an election it means nothing
		"--backoff-base=1s --backoff-max=1s --backoff-jitter=0",
		"--rate-limit-config=/etc/certrotator/ratelimit.yaml",
		"--renew-jitter=1 --concurrency=1 --shutdown-timeout=0 --rotation-spread=0 --run-timeout=0",
		"--kube-api-qps=0.5 --kube-api-burst=1",
		"--kubeconfig=/nowhere --zap-log-level=debug --zap-devel",
	} {
		_, err := parseOptions(strings.Fields(args), t.Output())
		require.NoError(t, err, args)
	}
}

// The message names the flag and the value.
func TestBadOptions(t *testing.T) {
	const election = "--leader-elect --leader-election-namespace=here "
	for args, want := range map[string]string{
		"--metrics-bind-address=8080":                       "--metrics-bind-address=8080: want host:port",
		"--metrics-bind-address=":                           "--metrics-bind-address=: want host:port",
		"--metrics-bind-address=:99999":                     "--metrics-bind-address=:99999: want a port",
		"--health-probe-bind-address=:http":                 "--health-probe-bind-address=:http: want a port",
		"--health-probe-bind-address=::1:8081":              "--health-probe-bind-address=::1:8081: want host:port",
		election + "--leader-election-namespace=A_b":        "--leader-election-namespace=A_b: want the name",
		election + "--leader-election-lease-duration=500ms": "--leader-election-lease-duration=500ms: want at least 1s",
		election + "--leader-election-lease-duration=-1s":   "--leader-election-lease-duration=-1s: want at least 1s",
		election + "--leader-election-renew-deadline=15s":   "--leader-election-renew-deadline=15s: want less than",
		election + "--leader-election-renew-deadline=0":     "--leader-election-renew-deadline=0s: want at least 1ns",
		election + "--leader-election-retry-period=0":       "--leader-election-retry-period=0s: want at least 1ns",
		election + "--leader-election-retry-period=9s":      "--leader-election-retry-period=9s: want 1.2 times it less than",
		"--leader-elect=perhaps":                            `invalid boolean value "perhaps" for -leader-elect`,
		"--concurrency=0":                                   "--concurrency=0: want 1 to 1000",
		"--concurrency=-4":                                  "--concurrency=-4: want 1 to 1000",
		"--concurrency=4.5":                                 `invalid value "4.5" for flag -concurrency`,
		"--backoff-base=0":                                  "--backoff-base=0s: want at least 1ns",
		"--backoff-base=-5ms":                               "--backoff-base=-5ms: want at least 1ns",
		"--backoff-base=5":                                  `invalid value "5" for flag -backoff-base`,
		"--backoff-max=1ms":                                 "--backoff-max=1ms: want at least 5ms",
		"--backoff-jitter=1.5":                              "--backoff-jitter=1.5: want 0 to 1",
		"--backoff-jitter=NaN":                              "--backoff-jitter=NaN: want 0 to 1",
		"--ca-secret=ca":                                    "--ca-secret=ca: want namespace/name",
		"--ca-secret=a/b/c":                                 "--ca-secret=a/b/c: want namespace/name",
		"--ca-secret=/ca":                                   "--ca-secret=/ca: want namespace/name",
		"--renew-jitter=-0.1":                               "--renew-jitter=-0.1: want 0 to 1",
		"--recheck-interval=0":                              "--recheck-interval=0s: want at least 1s",
		"--repair-interval=-1s":                             "--repair-interval=-1s: want at least 1s, or 0 for never",
		"--repair-interval=10ms":                            "--repair-interval=10ms: want at least 1s, or 0 for never",
		"--run-timeout=-1s":                                 "--run-timeout=-1s: want at least 0s",
		"--rotation-spread=-1s":                             "--rotation-spread=-1s: want at least 0s",
		"--kube-api-qps=0":                                  "--kube-api-qps=0: want more than 0, or -1",
		"--kube-api-qps=-2":                                 "--kube-api-qps=-2: want more than 0, or -1",
		"--kube-api-qps=Inf":                                "--kube-api-qps=+Inf: want more than 0, or -1",
		"--kube-api-burst=0":                                "--kube-api-burst=0: want 1 to",
		"--shutdown-timeout=-1s":                            "--shutdown-timeout=-1s: want at least 0s",
		"--zap-log-level=loud":                              `invalid value "loud" for flag -zap-log-level`,
		"--concurency=4":                                    "flag provided but not defined: -concurency",
		"run":                                               `argument "run": want flags only`,
		"--concurrency=0 --renew-jitter=2 --metrics-bind-address=nobody": "--renew-jitter=2: want 0 to 1",

		// The file replaces the flags for the backoff, even one with its default.
		"--rate-limit-config=":                                       "--rate-limit-config=: want the path of a file",
		"--rate-limit-config=a --backoff-base=5ms":                   "--rate-limit-config=a: want it without --backoff-base",
		"--rate-limit-config=a --backoff-max=1m":                     "--rate-limit-config=a: want it without --backoff-max",
		"--rate-limit-config=a --backoff-base=1s --backoff-jitter=0": "--rate-limit-config=a: want it without --backoff-jitter",
	} {
		_, err := parseOptions(strings.Fields(args), t.Output())
		require.ErrorContains(t, err, want, args)
	}
}

func TestHelp(t *testing.T) {
	var help strings.Builder
	_, err := parseOptions([]string{"--help"}, &help)
	require.ErrorIs(t, err, flag.ErrHelp)
	for _, name := range []string{"-ca-secret", "-rate-limit-config path", "-renew-jitter", "-kubeconfig", "-zap-log-level"} {
		require.Contains(t, help.String(), name)
	}
}

func TestRetryPeriodOverflow(t *testing.T) {
	o := &options{leaderElect: true, leaderNamespace: "here", leaseDuration: 15 * time.Second, renewDeadline: 10 * time.Second, retryPeriod: 1<<63 - 1}
	require.Error(t, o.validateElection())
}
