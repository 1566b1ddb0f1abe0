package bench_test

import (
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/util/workqueue"

	"github.com/trimtab/trimtab/ratelimit"
)

const (
	outageOf    = 10_000 // keys that fail
	outageLasts = 10 * time.Minute
	callTakes   = 10 * time.Millisecond
	callers     = 16 // workers
)

// A dependency of all keys is out for ten minutes: each run fails until then, and none
// after. The queue is client-go's for all, so that only the limiters differ, and it
// starts with every key. The time is a bubble's: computing takes none.
func TestOutage(t *testing.T) {
	peaks := map[string]int{}
	for _, l := range outageLimiters() {
		t.Run(l.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				by, limiter, _ := strings.Cut(l.name, " ")
				o := &outage{start: time.Now(), sick: map[request]bool{}}
				o.pass(l.new())
				require.Empty(t, o.sick, "all are well")
				peaks[limiter] = o.peak()
				param := "/limiter=" + strings.ReplaceAll(limiter, " ", "-")
				printScenario(t, "Outage"+param+"/by="+by,
					"retries-meanwhile", float64(o.meanwhile()-outageOf),
					"s-half-well", quantile(o.well, 0.5).Seconds(),
					"s-all-well", quantile(o.well, 1).Seconds(),
					"peak-after", float64(peaks[limiter]))
				printSeries(t, "OutageRuns"+param, "ten-seconds", by, "runs", o.tens())
			})
		})
	}
	together := peaks["each key, 5ms to 1000s"]
	require.Greater(t, together, outageOf/20, "without jitter they come together")
	require.Less(t, peaks[string(ratelimit.Default)], together/2)
}

// outageLimiter is a limiter under the name of who made it, and its own after a space.
type outageLimiter struct {
	name string
	new  func() workqueue.TypedRateLimiter[request]
}

func outageLimiters() (all []outageLimiter) {
	for _, preset := range []ratelimit.Preset{ratelimit.Default, ratelimit.InCluster, ratelimit.ExternalAPI, ratelimit.Gentle} {
		all = append(all, outageLimiter{ours + " " + string(preset), func() workqueue.TypedRateLimiter[request] {
			l, err := ratelimit.Build[request](ratelimit.Config{Preset: preset})
			if err != nil {
				panic(err)
			}
			return l
		}})
	}
	return append(all,
		outageLimiter{clientGo + " each key, 5ms to 1000s", perItem},
		outageLimiter{clientGo + " the same and a bucket", workqueue.DefaultTypedControllerRateLimiter[request]})
}

// outage is what the workers see of it.
type outage struct {
	start time.Time

	mu     sync.Mutex
	sick   map[request]bool
	starts []time.Duration // of all runs, since start
	well   []time.Duration // of the keys, since the outage
}

// pass runs the outage, and until all keys are well.
func (o *outage) pass(l workqueue.TypedRateLimiter[request]) {
	q := workqueue.NewTypedRateLimitingQueue(l)
	for _, key := range requests(outageOf) {
		o.sick[key] = true
		q.Add(key)
	}
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			for key, down := q.Get(); !down; key, down = q.Get() {
				o.run(q, key)
			}
		})
	}
	wg.Wait()
}

// run lets the key fail or succeed, as controller-runtime's controller does.
func (o *outage) run(q queueInterface, key request) {
	defer q.Done(key)
	o.mu.Lock()
	o.starts = append(o.starts, time.Since(o.start))
	o.mu.Unlock()
	time.Sleep(callTakes)
	if time.Since(o.start) <= outageLasts {
		q.AddRateLimited(key)
		return
	}
	q.Forget(key)
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.sick, key)
	o.well = append(o.well, time.Since(o.start)-outageLasts)
	if len(o.sick) == 0 {
		q.ShutDown()
	}
}

// meanwhile returns how many runs began in the outage.
func (o *outage) meanwhile() (n int) {
	for _, at := range o.starts {
		if at < outageLasts {
			n++
		}
	}
	return n
}

// peak returns how many runs began in the fullest second after the outage.
func (o *outage) peak() (most int) {
	runs := map[time.Duration]int{}
	for _, at := range o.starts {
		if at >= outageLasts {
			second := at.Truncate(time.Second)
			runs[second]++
			most = max(most, runs[second])
		}
	}
	return most
}

// tens returns how many runs began in each ten seconds.
func (o *outage) tens() map[int]float64 {
	runs := map[int]float64{}
	for _, at := range o.starts {
		runs[int(at/ten)]++
	}
	return runs
}
