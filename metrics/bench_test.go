package metrics_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/metrics"
	"github.com/trimtab/trimtab/trigger"
)

// busy is a registry with what 50 controllers have counted, each with hot objects.
func busy(b *testing.B) *prometheus.Registry {
	b.Helper()
	m, reg := metrics.New(metrics.Options{}), prometheus.NewRegistry()
	require.NoError(b, reg.Register(m))
	for i := range 50 {
		c := m.Controller(fmt.Sprint("controller-", i))
		all(c)
		c.SetState(func() metrics.State {
			var s metrics.State
			for object := range 2 * c.TopK() {
				name := fmt.Sprint("default/object-", object)
				s.Hot = append(s.Hot, metrics.HotObject{Object: name, Requeues: uint64(object)})
				s.Busiest = append(s.Busiest, metrics.BusyObject{Object: name, Time: time.Duration(object) * time.Second})
			}
			return s
		})
	}
	return reg
}

// nowhere takes an answer that nobody reads.
type nowhere struct{ header http.Header }

func (n nowhere) Header() http.Header       { return n.header }
func (nowhere) Write(p []byte) (int, error) { return len(p), nil }
func (nowhere) WriteHeader(int)             {}

// BenchmarkScrape answers a scrape in the two formats that Prometheus asks for, and
// gathers without an answer.
func BenchmarkScrape(b *testing.B) {
	reg := busy(b)
	b.Run("gather", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, err := reg.Gather()
			require.NoError(b, err)
		}
		b.ReportMetric(float64(len(samples(b, reg))), "samples")
	})
	for name, accept := range map[string]string{
		"text":     "text/plain;version=0.0.4",
		"protobuf": "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited",
	} {
		b.Run(name, func(b *testing.B) {
			handler := promhttp.HandlerFor(reg, promhttp.HandlerOpts{DisableCompression: true})
			request := httptest.NewRequest(http.MethodGet, "/metrics", nil)
			request.Header.Set("Accept", accept)
			b.ReportAllocs()
			for b.Loop() {
				handler.ServeHTTP(nowhere{http.Header{}}, request)
			}
		})
	}
}

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
