package bench_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	crhandler "sigs.k8s.io/controller-runtime/pkg/handler"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/handler"
	"github.com/trimtab/trimtab/queue"
	"github.com/trimtab/trimtab/reconcile"
	"github.com/trimtab/trimtab/trigger"
)

const (
	stormOf = 10_000 // watched objects that change, and as many that are resynced
	service = 5 * time.Millisecond
	beat    = 100 * time.Millisecond
)

// A storm of watched events and a resync stand in the queue when the four workers of
// a controller come; a user changes an object ten times a second until it is through.
// The time is a bubble's: what the queues compute takes none, so that only their
// order counts.
func TestStorm(t *testing.T) {
	p99 := map[string]time.Duration{}
	for _, c := range controllers(trimtab.Options{Registerer: prometheus.NewRegistry(), Queue: queue.Options[request]{MaxWait: time.Second}}) {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &storm{
					ready: map[string]time.Time{}, waits: map[string][]time.Duration{}, seconds: map[int]float64{},
					random: rand.New(rand.NewPCG(1, 2)), start: time.Now(),
				}
				s.blow(t, c.options, c.name == ours)
				require.Len(t, s.waits["watched"], stormOf)
				require.Len(t, s.waits["resync"], stormOf)
				require.Empty(t, s.ready, "all have run")
				p99[c.name] = quantile(s.waits["primary"], 0.99)
				printScenario(t, "Storm/by="+c.name,
					"ms-primary-P50", milliseconds(quantile(s.waits["primary"], 0.5)),
					"ms-primary-P99", milliseconds(p99[c.name]),
					"ms-primary-max", milliseconds(slices.Max(s.waits["primary"])),
					"s-watched-oldest", slices.Max(s.waits["watched"]).Seconds(),
					"s-resync-first", slices.Min(s.waits["resync"]).Seconds(),
					"s-resync-oldest", slices.Max(s.waits["resync"]).Seconds(),
					"s-complete", s.through.Seconds())
				printSeries(t, "StormWait", "second", c.name, "ms-longest", s.seconds)
			})
		})
	}
	require.LessOrEqual(t, p99[ours], 2*service)
	require.Greater(t, p99[controllerRuntime], time.Second, "the storm is one")
}

func milliseconds(d time.Duration) float64 { return d.Seconds() * 1000 }

// quantile returns the smallest wait that the fraction q of them don't exceed.
func quantile(waits []time.Duration, q float64) time.Duration {
	sorted := slices.Sorted(slices.Values(waits))
	return sorted[max(0, int(q*float64(len(sorted))+0.5)-1)]
}

// storm is a reconciler that takes its time, and what it has seen. Requests are named
// after what caused them: watched-1.
type storm struct {
	mu      sync.Mutex
	random  *rand.Rand
	ready   map[string]time.Time // when each was enqueued
	waits   map[string][]time.Duration
	seconds map[int]float64 // the longest wait of a user's change of each second, in ms
	start   time.Time
	through time.Duration
}

// blow runs the storm to its end. The handlers are controller-runtime's, as the
// builder's For and Watches use them: they decide on priorities.
func (s *storm) blow(t *testing.T, options optionsFunc, tagged bool) {
	t.Helper()
	var primary crhandler.EventHandler = &crhandler.EnqueueRequestForObject{}
	watched := crhandler.EnqueueRequestsFromMapFunc(func(_ context.Context, o client.Object) []reconcile.Request {
		return []reconcile.Request{{NamespacedName: types.NamespacedName{Namespace: "default", Name: o.GetName()}}}
	})
	if tagged {
		watched = handler.As(trigger.Watched, watched)
	}
	q, stop := startController(t, options(s), 4, func(q queueInterface) {
		for i := range stormOf { // no two come at the same time
			s.update(t, watched, q, "watched-"+strconv.Itoa(i), "2")
			time.Sleep(time.Microsecond)
			s.update(t, primary, q, "resync-"+strconv.Itoa(i), "1")
			time.Sleep(time.Microsecond)
		}
	})
	for i := 0; s.left() > 0; i++ {
		time.Sleep(beat)
		s.update(t, primary, q, "primary-"+strconv.Itoa(i), "2")
	}
	s.through = time.Since(s.start)
	time.Sleep(time.Second)
	stop()
}

// update has the handler see a change from version 1 to another: to 1 is a resync.
func (s *storm) update(t *testing.T, h crhandler.EventHandler, q queueInterface, name, version string) {
	t.Helper()
	s.mu.Lock()
	s.ready[name] = time.Now()
	s.mu.Unlock()
	object := func(version string) client.Object {
		o := &corev1.ConfigMap{}
		o.Namespace, o.Name, o.ResourceVersion = "default", name, version
		return o
	}
	h.Update(t.Context(), event.UpdateEvent{ObjectOld: object("1"), ObjectNew: object(version)}, q)
}

// left returns how much of the storm has not begun to run.
func (s *storm) left() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return 2*stormOf - len(s.waits["watched"]) - len(s.waits["resync"])
}

// Reconcile takes 4 to 6 ms, so that the workers don't march in step.
func (s *storm) Reconcile(_ context.Context, r reconcile.Request) (reconcile.Result, error) {
	s.mu.Lock()
	cause, _, _ := strings.Cut(r.Name, "-")
	wait := time.Since(s.ready[r.Name])
	s.waits[cause] = append(s.waits[cause], wait)
	if cause == "primary" {
		second := int(s.ready[r.Name].Sub(s.start).Seconds())
		s.seconds[second] = max(s.seconds[second], milliseconds(wait))
	}
	delete(s.ready, r.Name)
	takes := service + time.Duration((s.random.Float64()-0.5)*float64(2*time.Millisecond))
	s.mu.Unlock()
	time.Sleep(takes)
	return reconcile.Result{}, nil
}
