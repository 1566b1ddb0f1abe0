package metrics_test

import (
	"testing"
	"time"

	"github.com/trimtab/trimtab/metrics"
	"github.com/trimtab/trimtab/trigger"
)

// BenchmarkContended is what a run costs while others end on another core.
func BenchmarkContended(b *testing.B) {
	c := metrics.New(metrics.Options{}).Controller("c")
	run := trigger.Run{
		Info: trigger.Info{
			Sources: trigger.SetOf(trigger.Watched), Attempt: 1,
			Added: at(0), Ready: at(0.3), Caused: at(0), Started: at(0.302), First: at(0.3),
		},
		Class: "success", Converged: true,
		Phases: trigger.Phases{Read: 3 * time.Millisecond, Compute: 70 * time.Microsecond, Write: 9 * time.Millisecond},
	}
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			c.Delivered(run.Info)
			c.Ran(run)
		}
	})
}
