package metrics_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/metrics"
	"github.com/trimtab/trimtab/trigger"
)

// took lets a run take that long in c, after no wait.
func took(c *metrics.Controller, d time.Duration) {
	c.Ran(trigger.Run{Class: "success", Phases: trigger.Phases{Compute: d}})
}

func latencyOf(c *metrics.Controller) metrics.Distribution {
	return c.Totals().Triggers[trigger.Count].Latency
}

func TestDistributionOfNothing(t *testing.T) {
	for _, d := range []metrics.Distribution{{}, latencyOf(metrics.New(metrics.Options{}).Controller("c"))} {
		require.Zero(t, d.Count())
		require.Zero(t, d.Mean())
		require.Zero(t, d.Quantile(0.99))
		require.Zero(t, d.Since(d).Quantile(0.99))
		require.Zero(t, d.Plus(d).Quantile(0.99))
	}
}

// A quantile is right to a tenth of it, whatever came before, and together with what
// else there is.
func TestDistributionQuantiles(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	c, other := metrics.New(metrics.Options{}).Controller("c"), metrics.New(metrics.Options{}).Controller("c")
	for range 1000 {
		took(c, time.Duration(rng.ExpFloat64()*float64(time.Minute)))
	}
	before := latencyOf(c)
	var all []time.Duration
	for i := range 2000 {
		d := 2*time.Millisecond + time.Duration(rng.ExpFloat64()*float64(50*time.Millisecond))
		all = append(all, d)
		if i%2 == 0 {
			took(c, d)
		} else {
			took(other, d)
		}
	}
	slices.Sort(all)
	d := latencyOf(c).Since(before).Plus(latencyOf(other))
	require.Equal(t, uint64(2000), d.Count())
	for _, q := range []float64{0.01, 0.5, 0.95, 0.99} {
		want := all[int(q*2000)].Seconds()
		require.InDelta(t, want, d.Quantile(q).Seconds(), want/9, q)
	}
	require.InDelta(t, 0.052, d.Mean().Seconds(), 0.005)
	require.Equal(t, before, before.Since(latencyOf(c)), "what is not earlier")
}

// What is under a millisecond is there, and spread over it.
func TestDistributionOfShortRuns(t *testing.T) {
	c := metrics.New(metrics.Options{}).Controller("c")
	for range 100 {
		took(c, 10*time.Microsecond)
	}
	require.InDelta(t, 0.0005, latencyOf(c).Quantile(0.5).Seconds(), 0.0001)
}

// A histogram whose times are far apart makes its buckets wider; what was read
// before that is still taken off rightly.
func TestDistributionOfWideningBuckets(t *testing.T) {
	c := metrics.New(metrics.Options{}).Controller("c")
	for d := time.Millisecond; d < 2*time.Second; d += d / 11 {
		took(c, d)
	}
	before := latencyOf(c)
	for d := 2 * time.Second; d < 500*time.Hour; d += d / 11 {
		took(c, d)
	}
	took(c, 3*time.Second)
	after := latencyOf(c)
	d := after.Since(before)
	require.Equal(t, after.Count()-before.Count(), d.Count())
	require.Greater(t, d.Quantile(0), time.Second, "none of those before")
	require.InDelta(t, 500*3600, d.Quantile(1).Seconds(), 500*3600*0.25)
	require.Equal(t, after.Count()+before.Count(), after.Plus(before).Count())
	require.InDelta(t, after.Plus(before).Quantile(0.5).Seconds(), before.Plus(after).Quantile(0.5).Seconds(), 1e-9)
}
