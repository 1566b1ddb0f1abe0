package metrics

import (
	"fmt"
	"math"
	"slices"
)

// Options configures New. The zero value is the default.
type Options struct {
	// Buckets are the upper bounds, in seconds, of the classic buckets of latency,
	// delay and convergence, in ascending order. Nil means 20 of them from 1 ms to 1 h
	// for latency, and 8 of them from 100 ms for the other two. Empty but not nil means
	// none: there are native histograms in any case.
	Buckets []float64

	// MaxLabelValues bounds how many values of an open label, the class of a run or of
	// a limiter's delay, the kind of an API call or the name of a predicate, each
	// controller has; all further ones count as "other". The 11 classes of package
	// reconcile come first. Zero means 25.
	MaxLabelValues int

	// TopK is the number of objects of each controller that trimtab_object_requeues
	// names, and that trimtab_object_busy_seconds names. Zero means 10. The queue
	// knows no more than 200 of each.
	TopK int
}

// Validate returns an error that names the first impossible field and its
// value.
func (o Options) Validate() error {
	for i, bound := range o.Buckets {
		switch {
		case math.IsNaN(bound), bound < 0:
			return fmt.Errorf("metrics: Buckets[%d] %v: must be a number of seconds, not negative", i, bound)
		case i > 0 && bound <= o.Buckets[i-1]:
			return fmt.Errorf("metrics: Buckets[%d] %v: must be more than the one before, %v", i, bound, o.Buckets[i-1])
		}
	}
	if o.MaxLabelValues < 0 {
		return fmt.Errorf("metrics: MaxLabelValues %d: must not be negative", o.MaxLabelValues)
	}
	if o.TopK < 0 {
		return fmt.Errorf("metrics: TopK %d: must not be negative", o.TopK)
	}
	return nil
}

// coarseBuckets returns the buckets of delay and convergence: what was delayed on
// purpose is of interest by its size, not by its percentiles, and each bucket of delay
// is there once for each trigger. 1000 s is where controller-runtime's backoff ends.
func (o Options) coarseBuckets() []float64 {
	if o.Buckets == nil {
		return []float64{0.1, 1, 10, 30, 60, 300, 1000, 3600}
	}
	return slices.Clone(o.Buckets)
}

// withDefaults returns o with a number for each zero. Nothing of it is shared
// with the caller.
func (o Options) withDefaults() Options {
	if o.Buckets == nil {
		// From a cached no-op run to a request that waited out a backoff of
		// 1000 s. The round times of alerts, 30 s and 1, 5 and 10 min, are bounds.
		o.Buckets = []float64{
			0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5,
			1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600,
		}
	}
	o.Buckets = slices.Clone(o.Buckets)
	if o.MaxLabelValues == 0 {
		o.MaxLabelValues = 25
	}
	if o.TopK == 0 {
		o.TopK = 10
	}
	return o
}
