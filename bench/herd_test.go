package bench_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/trimtab/trimtab/requeue"
)

const (
	herdOf     = 10_000 // objects
	herdPeriod = 10 * time.Minute
)

// Objects that are looked at every ten minutes start at one instant, and again after a
// restart: when do they come back? The time is a bubble's: computing takes none.
func TestHerd(t *testing.T) {
	for _, way := range []struct {
		name, by    string
		watch       func(context.Context, *herd)
		second, ten float64 // the bars
	}{
		{"Every", ours, every, 2.1, 1.35},
		{"Ticker", ours, ticker, 1.1, 1.1},
		{"RequeueAfter-without-a-phase", controllerRuntime, together, math.Inf(1), math.Inf(1)},
	} {
		t.Run(way.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				for _, when := range []string{"at-first", "after-a-restart"} {
					h, start := &herd{seconds: map[int64]int{}}, time.Now()
					ctx, stop := context.WithCancel(t.Context())
					way.watch(ctx, h)
					time.Sleep(3 * herdPeriod)
					stop()
					synctest.Wait()
					time.Sleep(97 * time.Second)
					second, ten := h.peak(1), h.peak(10)
					require.LessOrEqual(t, second, way.second)
					require.LessOrEqual(t, ten, way.ten)
					params := "/op=" + way.name + "/when=" + when
					printScenario(t, "Herd"+params+"/by="+way.by, "x-second", second, "x-ten-seconds", ten)
					printSeries(t, "HerdLooks"+params, "ten-seconds", way.by, "objects", h.period(start.Add(herdPeriod)))
				}
			})
		})
	}
}

// herd is when objects were looked at.
type herd struct {
	workqueue.TypedRateLimitingInterface[request] // a Ticker only adds

	mu      sync.Mutex
	seconds map[int64]int // how many, in each second of the clock
}

func (h *herd) Add(request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.seconds[time.Now().Unix()]++
}

// peak returns how many came in the fullest so many seconds on end, for the mean.
func (h *herd) peak(seconds int64) float64 {
	most := 0
	for begin := range h.seconds {
		n := 0
		for second := begin; second < begin+seconds; second++ {
			n += h.seconds[second]
		}
		most = max(most, n)
	}
	return float64(most) / (herdOf / herdPeriod.Seconds() * float64(seconds))
}

// period returns how many came in each ten seconds of a period of the clock, in that
// which begins then.
func (h *herd) period(begin time.Time) map[int]float64 {
	looks := map[int]float64{}
	for second := begin; second.Before(begin.Add(herdPeriod)); second = second.Add(time.Second) {
		if n := h.seconds[second.Unix()]; n > 0 {
			looks[int(second.Sub(second.Truncate(herdPeriod))/ten)] += float64(n)
		}
	}
	return looks
}

// uids returns the UIDs of the objects, always the same.
func uids() []string {
	r := rand.New(rand.NewPCG(1, 1))
	ids := make([]string, herdOf)
	for i := range ids {
		ids[i] = fmt.Sprintf("%08x-%04x-4%03x-a%03x-%012x", r.Uint32(), r.IntN(1<<16), r.IntN(1<<12), r.IntN(1<<12), r.Int64N(1<<48))
	}
	return ids
}

// every comes back as requeue.Every says.
func every(ctx context.Context, h *herd) {
	for _, id := range uids() {
		go poll(ctx, h, func() reconcile.Result { return requeue.Every(herdPeriod, id) })
	}
}

// together comes back after the period.
func together(ctx context.Context, h *herd) {
	for range herdOf {
		go poll(ctx, h, func() reconcile.Result { return reconcile.Result{RequeueAfter: herdPeriod} })
	}
}

func poll(ctx context.Context, h *herd, next func() reconcile.Result) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(next().RequeueAfter):
			h.Add(request{})
		}
	}
}

func ticker(ctx context.Context, h *herd) {
	keys := requests(herdOf)
	source := requeue.NewTicker(requeue.TickerOptions[request]{
		Period: herdPeriod,
		List:   func(context.Context) ([]request, error) { return keys, nil },
	})
	_ = source.Start(ctx, h) // It returns no error.
}
