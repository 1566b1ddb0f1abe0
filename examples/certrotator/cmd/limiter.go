package main

import (
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/trimtab/trimtab/ratelimit"
	"github.com/trimtab/trimtab/ratelimit/configfile"
	"github.com/trimtab/trimtab/reconcile"
)

// newLimiter returns what says how long a Certificate waits after an error: by the
// file if there is one, which the manager then follows, else by the flags.
func newLimiter(mgr ctrl.Manager, opts *options) (workqueue.TypedRateLimiter[reconcile.Request], error) {
	if opts.rateLimitFile == "" {
		return ratelimit.NewExponential[reconcile.Request](ratelimit.ExponentialOptions{
			BaseDelay: opts.backoffBase,
			MaxDelay:  opts.backoffMax,
			Jitter:    opts.backoffJitter,
		}), nil
	}
	file, err := configfile.Open[reconcile.Request](opts.rateLimitFile, configfile.Options{
		Log: mgr.GetLogger().WithName("ratelimit"), // each change, and why one changes nothing
	})
	if err != nil {
		return nil, err
	}
	return file.Limiter(), mgr.Add(file)
}
