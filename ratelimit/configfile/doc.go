// Package configfile makes a rate limiter whose numbers are in a file, and
// follows that while the operator runs: a ConfigMap that is mounted, say.
//
//	file, err := configfile.Open[reconcile.Request]("/etc/operator/ratelimit.yaml", configfile.Options{
//		Log: mgr.GetLogger(),
//	})
//	if err != nil {
//		return err
//	}
//	if err := mgr.Add(file); err != nil { // follows the file while the manager runs
//		return err
//	}
//	options := controller.Options{RateLimiter: file.Limiter()}
//
// The file is what ratelimit.ParseConfig reads. One that is bad, or gone,
// changes nothing: the numbers from before stay, and the log says why, once.
//
// The surprise: a ConfigMap that is mounted with subPath never changes. Mount
// its folder. A kubelet brings a change after up to a minute or two.
package configfile
