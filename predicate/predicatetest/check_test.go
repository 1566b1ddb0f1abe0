package predicatetest_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/trimtab/trimtab/predicate"
	"github.com/trimtab/trimtab/predicate/predicatetest"
)

func secret(data string) *corev1.Secret {
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "a", ResourceVersion: data, Labels: map[string]string{"a": "b"}},
		Data:       map[string][]byte{"key": []byte(data)},
	}
}

func updates(f func(e event.UpdateEvent) bool) predicate.Funcs {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		return e.ObjectOld != nil && e.ObjectNew != nil && e.ObjectOld != (*corev1.Secret)(nil) && e.ObjectNew != (*corev1.Secret)(nil) && f(e)
	}}
}

func TestCheck(t *testing.T) {
	var asked atomic.Int64
	for name, tt := range map[string]struct {
		p    predicate.Predicate
		want []string // each in a line of the error, and no other lines
	}{
		"good": {p: predicate.DataChanged()},
		"panics on nil": {
			p: predicate.Funcs{CreateFunc: func(e event.CreateEvent) bool { return e.Object.GetName() != "" }},
			want: []string{
				"create of no object: panics: ", "create of no object in the initial list: panics: ",
				"create of a nil *v1.Secret: panics: ", "create of a nil *v1.Secret in the initial list: panics: ",
				"update c: passes true, want false",
			},
		},
		"panics without the Go type": {
			p: updates(func(e event.UpdateEvent) bool { return e.ObjectNew.(*corev1.Secret).Data["key"][0] == 'b' }),
			want: []string{
				"resync of an unstructured object: panics: ", "update of an unstructured object: panics: ", "update b of an unstructured object: panics: ",
				"resync of metadata only: panics: ", "update of metadata only: panics: ", "update b of metadata only: panics: ",
				"update c of an unstructured object: panics: ", "update c of metadata only: panics: ",
			},
		},
		"changes the object": {
			p: predicate.Funcs{GenericFunc: func(e event.GenericEvent) bool {
				if s, ok := e.Object.(*corev1.Secret); ok && s != nil && s.Type != "x" {
					s.Type = "x"
				}
				return true
			}},
			want: []string{"generic event of a *v1.Secret: changes the object", "update c: passes true, want false"},
		},
		"another answer": {
			p:    predicate.Funcs{DeleteFunc: func(e event.DeleteEvent) bool { return e.DeleteStateUnknown || asked.Add(1) != 1 }},
			want: []string{"delete of a *v1.Secret: passes false, and asked again true", "update c: passes true, want false"},
		},
		"not what is wanted": {
			p:    updates(func(event.UpdateEvent) bool { return true }),
			want: []string{"update c: passes true, want false"},
		},
		"updates only": {
			p:    predicate.All(predicate.DataChanged(), predicate.On(predicate.Updates)),
			want: []string{"update b passes, and no create of the initial list"},
		},
		"updates only, by their first guise": {
			p:    predicate.All(predicate.DataChanged(), predicate.Funcs{CreateFunc: func(e event.CreateEvent) bool { return !e.IsInInitialList }}),
			want: []string{"update b passes, and no create of the initial list"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			opts := predicatetest.Options{Object: secret("a"), Updates: []predicatetest.Update{
				{Name: "b", Before: secret("a"), After: secret("b"), Want: true},
				{Name: "c", Before: secret("a"), After: secret("a"), Want: false},
			}}
			err := predicatetest.Check(tt.p, opts)
			if tt.want == nil {
				require.NoError(t, err)
				return
			}
			require.Error(t, err)
			lines := strings.Split(err.Error(), "\n")
			require.Len(t, lines, len(tt.want), err.Error())
			for _, want := range tt.want {
				require.Contains(t, err.Error(), "predicatetest: "+want)
			}
		})
	}
}

// PR22: a predicate that drops all creates is found without any pair of objects, unless
// it is meant so, or filters by what the objects are.
func TestUpdatesOnly_PR22(t *testing.T) {
	require.Error(t, predicatetest.Check(predicate.On(predicate.Updates), predicatetest.Options{Object: secret("a")}))
	require.NoError(t, predicatetest.Check(predicate.On(predicate.Updates), predicatetest.Options{Object: secret("a"), DropsCreates: true}))
	require.NoError(t, predicatetest.Check(predicate.Named("b"), predicatetest.Options{Object: secret("a")}))
	entering := predicatetest.Update{Name: "leaves", Before: secret("a"), After: &corev1.Secret{}, Want: true}
	inSelector := predicate.NewPredicateFuncs(func(o client.Object) bool { return o != nil && o != (*corev1.Secret)(nil) && o.GetName() == "a" })
	inSelector.UpdateFunc = predicate.Named("a").Update
	require.NoError(t, predicatetest.Check(inSelector, predicatetest.Options{Object: &corev1.Secret{}, Updates: []predicatetest.Update{entering}}))
}

func TestRefusals(t *testing.T) {
	p := predicate.SpecChanged()
	for want, f := range map[string]func(){
		"predicatetest: Object (<nil>)(nil): must be set":             func() { _ = predicatetest.Check(p, predicatetest.Options{}) },
		"predicatetest: Object (*v1.Secret)(nil): must be set":        func() { _ = predicatetest.Check(p, predicatetest.Options{Object: (*corev1.Secret)(nil)}) },
		"predicatetest: Check(nil, …): the predicate must not be nil": func() { _ = predicatetest.Check(nil, predicatetest.Options{Object: secret("a")}) },
		"predicatetest: Updates[0] \"x\": Before and After must be set": func() {
			_ = predicatetest.Check(p, predicatetest.Options{Object: secret("a"), Updates: []predicatetest.Update{{Name: "x"}}})
		},
		"predicatetest: Stalled(nil, …): the predicate must not be nil":                 func() { _ = predicatetest.Stalled(nil, secret("a"), secret("a"), reconcile.Result{}, nil) },
		"predicatetest: Stalled: before (<nil>) and after (*v1.Secret) must not be nil": func() { _ = predicatetest.Stalled(p, nil, secret("a"), reconcile.Result{}, nil) },
	} {
		require.PanicsWithError(t, want, f)
	}
}

// RQ31: a reconciler that creates something and waits for the event of its own status
// write stalls when a predicate drops that.
func TestStalled_RQ31(t *testing.T) {
	before := &corev1.Service{ObjectMeta: metav1.ObjectMeta{ResourceVersion: "1"}}
	after := before.DeepCopy()
	after.ResourceVersion = "2"
	after.Status.LoadBalancer.Ingress = []corev1.LoadBalancerIngress{{IP: "::1"}}
	require.NoError(t, predicatetest.Stalled(predicate.StatusChanged(), before, after, reconcile.Result{}, nil))
	require.EqualError(t, predicatetest.Stalled(predicate.SpecChanged(), before, after, reconcile.Result{}, nil),
		"predicatetest: the predicate drops what the run has written, and the run asks for no other: nothing brings it back")
	require.EqualError(t, predicatetest.Stalled(predicate.All(), before, before, reconcile.Result{}, nil),
		"predicatetest: the run has written nothing to the object and asks for no other: nothing brings it back")
	require.NoError(t, predicatetest.Stalled(predicate.SpecChanged(), before, after, reconcile.Result{Requeue: true}, nil)) //nolint:staticcheck // Requeue still counts.
	require.Error(t, predicatetest.Stalled(predicate.SpecChanged(), before, after, reconcile.Result{RequeueAfter: -1}, nil), "controller-runtime takes it for none")
}

// An author checks a predicate of their own.
func ExampleCheck() {
	mine := predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		return e.ObjectNew.GetAnnotations()["example.com/force"] != ""
	}}
	fmt.Println(predicatetest.Check(mine, predicatetest.Options{Object: &corev1.Secret{}}))
	// Output:
	// predicatetest: resync of no object: panics: runtime error: invalid memory address or nil pointer dereference
	// predicatetest: update to no object: panics: runtime error: invalid memory address or nil pointer dereference
	// predicatetest: resync of a nil *v1.Secret: panics: runtime error: invalid memory address or nil pointer dereference
	// predicatetest: update to a nil *v1.Secret: panics: runtime error: invalid memory address or nil pointer dereference
}

// The run has made a Secret, and counts on the event of its own status write to go on.
func ExampleStalled() {
	before := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Generation: 1, ResourceVersion: "1"}}
	after := before.DeepCopy()
	after.ResourceVersion, after.Status.Phase = "2", corev1.PodPending

	fmt.Println(predicatetest.Stalled(predicate.SpecChanged(), before, after, reconcile.Result{}, nil))
	// Output: predicatetest: the predicate drops what the run has written, and the run asks for no other: nothing brings it back
}
