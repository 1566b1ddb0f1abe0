package predicate_test

import (
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/trimtab/trimtab/metrics"
	"github.com/trimtab/trimtab/predicate"
	"github.com/trimtab/trimtab/trigger"
)

// A controller's metrics are an observer.
var _ predicate.Observer = (*metrics.Controller)(nil)

// counts is an observer that remembers.
type counts struct {
	mu   sync.Mutex
	told []string
}

func (c *counts) tell(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.told = append(c.told, fmt.Sprintf(format, args...))
}

func (c *counts) Filtered(source trigger.Source, name string, admitted bool) {
	c.tell("%s %s %t", source, name, admitted)
}

func (c *counts) PredicatePanicked(name string) { c.tell("%q panicked", name) }

func TestObserve(t *testing.T) {
	o := &counts{}
	d := deployment()
	p := predicate.Observe(o, trigger.Watched, "Spec", predicate.SpecChanged())
	status := as(d, func(d *appsv1.Deployment) { d.Status.Replicas++ })
	require.True(t, p.Create(event.CreateEvent{Object: d}))
	require.False(t, p.Update(event.UpdateEvent{ObjectOld: d, ObjectNew: status}))
	require.True(t, p.Delete(event.DeleteEvent{Object: d}))
	require.True(t, p.Generic(event.GenericEvent{Object: d}))
	require.Equal(t, []string{"watched Spec true", "watched Spec false", "watched Spec true", "watched Spec true"}, o.told)

	// Nobody is told of what is no event, nor of a question.
	require.False(t, p.Create(event.CreateEvent{}))
	require.False(t, p.Update(event.UpdateEvent{ObjectNew: d}))
	require.True(t, predicate.Matches(p, d))
	require.Len(t, o.told, 4)

	// In a combination it keeps its own count.
	o.told = nil
	named := predicate.Observe(o, trigger.Primary, "Named", predicate.Named("z"))
	require.False(t, predicate.All(named, p).Update(event.UpdateEvent{ObjectOld: d, ObjectNew: d}))
	require.Equal(t, []string{"primary Named false"}, o.told)
}

// A predicate that panics, wherever it stands, ends no informer: the event passes.
func TestPanics_PR13_PR15(t *testing.T) {
	broken := predicate.Funcs{
		CreateFunc:  func(event.CreateEvent) bool { panic("broken") },
		UpdateFunc:  func(event.UpdateEvent) bool { panic("broken") },
		DeleteFunc:  func(event.DeleteEvent) bool { panic("broken") },
		GenericFunc: func(event.GenericEvent) bool { panic("broken") },
	}
	d := deployment()
	scaled := as(d, func(d *appsv1.Deployment) { d.Spec.Replicas = new(int32) })
	replicas := predicate.Changed(func(d *appsv1.Deployment) int32 { return *d.Spec.Replicas })
	for name, tt := range map[string]struct {
		of   func(o predicate.Observer) predicate.Predicate
		told []string // of each event
	}{
		"Guard":         {func(o predicate.Observer) predicate.Predicate { return predicate.Guard(o, broken) }, []string{`"" panicked`}},
		"Guard, nobody": {func(predicate.Observer) predicate.Predicate { return predicate.Guard(nil, broken) }, nil},
		"Guard in Guard": {func(o predicate.Observer) predicate.Predicate {
			return predicate.Guard(o, predicate.Guard(nil, broken))
		}, []string{`"" panicked`}},
		"Guard in Guard, each with its own": {func(o predicate.Observer) predicate.Predicate {
			return predicate.Guard(discard{}, predicate.Guard(o, broken))
		}, []string{`"" panicked`}},
		"Observe": {func(o predicate.Observer) predicate.Predicate {
			return predicate.Observe(o, trigger.Watched, "p", broken)
		}, []string{`"p" panicked`, "watched p true"}},
		"Observe a whole": {func(o predicate.Observer) predicate.Predicate {
			return predicate.Observe(o, trigger.Watched, "p", predicate.All(predicate.Guard(nil, broken)))
		}, []string{`"p" panicked`, "watched p true"}},
	} {
		t.Run(name, func(t *testing.T) {
			o := &counts{}
			p := tt.of(o)
			var want []string
			for range 4 {
				want = append(want, tt.told...)
			}
			require.True(t, p.Create(event.CreateEvent{Object: d}))
			require.True(t, p.Update(event.UpdateEvent{ObjectOld: d, ObjectNew: d}))
			require.True(t, p.Delete(event.DeleteEvent{Object: d}))
			require.True(t, p.Generic(event.GenericEvent{Object: d}))
			require.Equal(t, want, o.told)
			require.True(t, predicate.Matches(p, d))
		})
	}
	require.True(t, update(t, replicas, d, scaled), "the function panics: it passes")
	o := &counts{}
	require.True(t, update(t, predicate.Observe(o, trigger.Primary, "Replicas", replicas), d, scaled))
	require.Contains(t, o.told, `"Replicas" panicked`)
}

// What Guard and Observe do beside what they guard costs no memory.
func TestObserveAllocs(t *testing.T) {
	d := deployment()
	e := event.UpdateEvent{ObjectOld: d, ObjectNew: as(d, func(d *appsv1.Deployment) { d.Status.Replicas++ })}
	c := metrics.New(metrics.Options{}).Controller("c")
	for name, p := range map[string]predicate.Predicate{
		"Guard":   predicate.Guard(c, predicate.SpecChanged()),
		"Observe": predicate.Observe(c, trigger.Watched, "SpecChanged", predicate.SpecChanged()),
	} {
		p.Update(e)
		require.Zero(t, testing.AllocsPerRun(1000, func() { p.Update(e) }), name)
	}
	runtime.KeepAlive(c)
}
