package bench_test

import (
	"context"
	"fmt"
	"runtime"
	"strconv"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/controller"

	"github.com/trimtab/trimtab/reconcile"
)

// heater lets each of the keys run many times in a row.
type heater func(keys []request)

const hotRuns = 20 // in a row, of each key

// heaters are fresh ones of each library, with a scrape at the end.
func heaters() map[string]func(b *testing.B) heater {
	return map[string]func(b *testing.B) heater{
		ours: func(b *testing.B) heater {
			b.Helper()
			reg := prometheus.NewRegistry()
			r, q := join("bench", failing{}, reg, controller.Options{RateLimiter: atOnce()})
			b.Cleanup(q.ShutDown)
			return func(keys []request) {
				spin(r, q, keys, hotRuns)
				_, err := reg.Gather()
				require.NoError(b, err)
			}
		},
		flux:        func(*testing.B) heater { return runsOf(newFlux(idle{}, true)) },
		operatorpkg: func(*testing.B) heater { return runsOf(newOperatorpkg(idle{}, true)) },
	}
}

func runsOf(r reconcile.Reconciler) heater {
	return func(keys []request) {
		for _, key := range keys {
			for range hotRuns {
				_, _ = r.Reconcile(context.Background(), key)
			}
		}
	}
}

// BenchmarkHot lets other objects be hot in each round, and compares the heap after the
// last of the rounds with that after the first.
func BenchmarkHot(b *testing.B) {
	const n = 1000
	rounds, made := size(10, 3), 0
	for _, name := range []string{ours, flux, operatorpkg} {
		b.Run(fmt.Sprintf("keys=%d/rounds=%d/by=%s", n, rounds, name), func(b *testing.B) {
			factor := 0.0
			for b.Loop() {
				keys := requests(n * rounds)
				for i := range keys { // operatorpkg's metrics outlive a turn
					keys[i].Namespace = "turn-" + strconv.Itoa(made)
				}
				made++
				before := heap()
				heat := heaters()[name](b)
				heat(keys[:n])
				first := heap() - before
				for i := n; i < len(keys); i += n {
					heat(keys[i : i+n])
				}
				factor += (heap() - before) / first
				runtime.KeepAlive(keys)
				runtime.KeepAlive(&heat)
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(factor/float64(b.N), "x-first-round")
		})
	}
}
