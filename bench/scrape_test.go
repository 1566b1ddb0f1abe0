package bench_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller"

	"github.com/trimtab/trimtab/loopz"
	"github.com/trimtab/trimtab/metrics"
	"github.com/trimtab/trimtab/reconcile"
	"github.com/trimtab/trimtab/trigger"
)

var errFailed = errors.New("failed")

// failing is a reconciler that always fails.
type failing struct{}

func (failing) Reconcile(context.Context, reconcile.Request) (reconcile.Result, error) {
	return reconcile.Result{}, errFailed
}

// atOnce is a rate limiter under which a failure runs again at once.
func atOnce() workqueue.TypedRateLimiter[request] {
	return workqueue.NewTypedItemExponentialFailureRateLimiter[request](0, 0)
}

// spin lets each key in turn fail that often, as its controller's worker would.
func spin(r reconcile.Reconciler, q queueInterface, keys []request, times int) {
	for _, key := range keys {
		q.Add(key)
		for range times {
			got, _ := q.Get()
			_, _ = r.Reconcile(context.Background(), got)
			q.AddRateLimited(got)
			q.Done(got)
		}
		got, _ := q.Get()
		q.Forget(got)
		q.Done(got)
	}
}

// busyLoops are a registry of loops each of which has hot objects, runs in flight, and
// requests that are ready and that wait, and has counted something in every series.
func busyLoops(b *testing.B, loops int) (reg *prometheus.Registry, all []loopz.Loop) {
	b.Helper()
	reg = prometheus.NewRegistry()
	collectors := metrics.New(metrics.Options{})
	require.NoError(b, reg.Register(collectors))
	keys := requests(1000)
	for i := range loops {
		name := fmt.Sprint("controller-", i)
		loop := newLoop(name, reg)
		all = append(all, loop)
		r, q := joinLoop(loop, name, failing{}, controller.Options{RateLimiter: atOnce()})
		b.Cleanup(q.ShutDown)
		spin(r, q, keys[:100], 20)
		for at, key := range keys {
			if at%2 == 0 {
				q.AddAfter(key, time.Hour)
			} else {
				q.Add(key)
			}
		}
		for range 10 {
			q.Get()
		}
		countEverything(collectors.Controller(name))
	}
	return reg, all
}

// countEverything counts in each series that a loop can have, for three calls of the
// API and a predicate.
func countEverything(c *metrics.Controller) {
	for source := range trigger.All.Sources() {
		c.Added(source, true)
		c.Requeued(source)
		c.HandlerPanicked(source)
		c.Filtered(source, "SpecChanged", true)
		info := trigger.Info{
			Sources: trigger.SetOf(source), Attempt: 2,
			Added: time.Unix(0, 0), First: time.Unix(0, 0), Caused: time.Unix(0, 0), Ready: time.Unix(1, 0),
			OwnRun: time.Second, Started: time.Unix(3, 0),
		}
		c.Delivered(info)
		for _, class := range []string{"success", "requeue", "conflict", "throttled", "notfound", "invalid", "timeout", "canceled", "terminal", "panic", "error"} {
			c.Ran(trigger.Run{Info: info, Class: class, Converged: true, NoOp: true, Phases: trigger.Phases{Read: 1, Compute: 2, Write: 3, Status: 4}})
			c.Limited(class, time.Second)
		}
		c.Called(info.Sources, "get", "ConfigMap")
		c.Called(info.Sources, "patch", "Deployment")
		c.Called(info.Sources, "update", "ConfigMap/status")
	}
	c.Panicked()
	c.Overdue(1)
	c.Overdue(-1)
	c.WorkerLost()
}

// BenchmarkScrape answers a scrape, from the look at all queues to the last byte.
func BenchmarkScrape(b *testing.B) {
	const loops = 50
	reg, _ := busyLoops(b, loops)
	handler := promhttp.HandlerFor(reg, promhttp.HandlerOpts{})
	for _, op := range []string{"text", "text,-compressed"} {
		b.Run(fmt.Sprintf("op=%s/loops=%d/by=%s", op, loops, ours), func(b *testing.B) {
			request := httptest.NewRequest(http.MethodGet, "/metrics", nil)
			if op != "text" {
				request.Header.Set("Accept-Encoding", "gzip")
			}
			answer := httptest.NewRecorder()
			handler.ServeHTTP(answer, request)
			size, series := answer.Body.Len(), seriesIn(answer.Body.Bytes())
			for b.Loop() {
				answer.Body.Reset()
				handler.ServeHTTP(answer, request)
			}
			b.ReportMetric(float64(size), "B/scrape")
			if op == "text" {
				b.ReportMetric(float64(series), "series/scrape")
			}
		})
	}
}

// seriesIn returns how many lines of an answer are no comments.
func seriesIn(text []byte) int {
	n := 0
	for line := range bytes.Lines(text) {
		if line[0] != '#' {
			n++
		}
	}
	return n
}
