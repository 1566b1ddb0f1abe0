package trimtab_test

import (
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/predicate"
	"github.com/trimtab/trimtab/reconcile"
	"github.com/trimtab/trimtab/trigger"
)

// A loop counts what the predicates of its watches admit and drop, and their panics,
// under the name of its controller.
func TestObserve(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reg := prometheus.NewRegistry()
		o := newOperator(t, trimtab.TypedOptions[string]{Registerer: reg}, controller.TypedOptions[string]{},
			func(*operator, string) (reconcile.Result, error) { return reconcile.Result{}, nil })
		secrets := o.loop.Observe(trigger.Watched, "DataChanged", predicate.DataChanged())
		broken := o.loop.Observe(trigger.Primary, "Broken", predicate.NewPredicateFuncs(func(client.Object) bool { panic("broken") }))
		before := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{ResourceVersion: "1"}}
		after := before.DeepCopy()
		after.ResourceVersion = "2"

		require.True(t, secrets.Create(event.CreateEvent{Object: before}))
		require.False(t, secrets.Update(event.UpdateEvent{ObjectOld: before, ObjectNew: after}))
		require.False(t, secrets.Update(event.UpdateEvent{ObjectOld: before, ObjectNew: after}))
		require.True(t, broken.Create(event.CreateEvent{Object: before}))

		const events = `trimtab_events_total{controller="thing",predicate=%q,result=%q,trigger=%q}`
		s := gather(t, reg)
		require.InDelta(t, 1, s[fmt.Sprintf(events, "DataChanged", "admitted", "watched")], 0)
		require.InDelta(t, 2, s[fmt.Sprintf(events, "DataChanged", "dropped", "watched")], 0)
		require.InDelta(t, 1, s[fmt.Sprintf(events, "Broken", "admitted", "primary")], 0)
		require.InDelta(t, 1, s[`trimtab_predicate_panics_total{controller="thing",predicate="Broken"}`], 0)
	})
}

// Without metrics nothing is counted, and the predicate is what it was.
func TestObserveWithoutMetrics(t *testing.T) {
	loop := trimtab.New("things", trimtab.Options{DisableMetrics: true})
	p := loop.Observe(trigger.Primary, "Named", predicate.Named("a"))
	require.True(t, p.Create(event.CreateEvent{Object: &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "a"}}}))
	require.False(t, p.Create(event.CreateEvent{Object: &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "b"}}}))
	require.PanicsWithError(t, `predicate: Observe: name "": must not be empty`, func() { loop.Observe(trigger.Primary, "", p) })
}

// The predicates of a controller, counted.
func ExampleTypedLoop_Observe() {
	loop := trimtab.New("certificates", trimtab.Options{Registerer: prometheus.NewRegistry()})
	p := loop.Observe(trigger.Watched, "DataChanged", predicate.DataChanged())
	fmt.Println(p.Update(event.UpdateEvent{ObjectOld: &corev1.Secret{}, ObjectNew: &corev1.Secret{}}))
	// Output: false
}
