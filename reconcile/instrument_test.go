package reconcile_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/trimtab/trimtab/reconcile"
	"github.com/trimtab/trimtab/trigger"
)

var conflict = apierrors.NewConflict(schema.GroupResource{Resource: "configmaps"}, "a", errors.New("old"))

// ME06, ME13: one class for each outcome, through wrapped and joined errors; the
// result and the error reach the controller as they are.
func TestClasses_ME06_ME13(t *testing.T) {
	for name, tc := range map[string]struct {
		result reconcile.Result
		err    error
		class  string
	}{
		"success":           {reconcile.Result{}, nil, "success"},
		"requeue after":     {reconcile.Result{RequeueAfter: 1}, nil, "requeue"},
		"requeue":           {reconcile.Result{Requeue: true}, nil, "requeue"}, //nolint:staticcheck // Deprecated, and still in use.
		"error":             {reconcile.Result{}, errBoom, "error"},
		"conflict":          {reconcile.Result{}, conflict, "conflict"},
		"conflict, wrapped": {reconcile.Result{}, fmt.Errorf("status: %w", conflict), "conflict"},
		"joined":            {reconcile.Result{}, errors.Join(conflict, errBoom), "error"},
		"terminal":          {reconcile.Result{}, fmt.Errorf("spec: %w", reconcile.TerminalError(errBoom)), "terminal"},
		"deadline":          {reconcile.Result{}, context.DeadlineExceeded, "timeout"},
	} {
		t.Run(name, func(t *testing.T) {
			b := &book{info: trigger.Info{Sources: trigger.SetOf(trigger.Watched)}, known: true}
			result, err := chain(b, returns(tc.result, tc.err)).Reconcile(t.Context(), request("a"))
			require.Equal(t, tc.result, result)
			require.Equal(t, tc.err, err)
			require.Equal(t, []string{"report a " + tc.class, "ran watched " + tc.class}, b.lines)
			require.Equal(t, tc.result, b.outcome.Result)
			require.Equal(t, tc.err, b.outcome.Err)
		})
	}
}

func TestInfoReachesTheReconciler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		info := trigger.Info{Sources: trigger.SetOf(trigger.Retry), Attempt: 4, LastClass: "conflict", Started: time.Now()}
		b := &book{info: info, known: true}
		var got trigger.Info
		_, err := chain(b, func(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
			var ok bool
			got, ok = trigger.FromContext(ctx)
			require.True(t, ok)
			return reconcile.Result{}, nil
		}).Reconcile(t.Context(), request("a"))
		require.NoError(t, err)
		require.Equal(t, info, got)
	})
}

// Without a queue the cause is unknown, and the run is measured all the same.
func TestWithoutQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &book{}
		r := reconcile.Chain[string](
			reconcile.TypedFunc[string](func(ctx context.Context, _ string) (reconcile.Result, error) {
				info, ok := trigger.FromContext(ctx)
				require.True(t, ok)
				require.Equal(t, trigger.Info{Started: time.Now()}, info)
				time.Sleep(time.Second)
				return reconcile.Result{}, nil
			}),
			reconcile.Instrument(reconcile.Options[string]{Observer: b}))
		_, err := r.Reconcile(t.Context(), "x")
		require.NoError(t, err)
		require.Equal(t, []string{"ran unknown success"}, b.lines)
		require.Equal(t, trigger.Phases{Compute: time.Second}, b.phases)
	})
}

func TestOptionsValidate(t *testing.T) {
	require.NoError(t, reconcile.Options[string]{}.Validate())
	require.NoError(t, reconcile.Options[reconcile.Request]{For: &corev1.Secret{}}.Validate())

	typedNil := reconcile.Options[reconcile.Request]{For: (*corev1.Secret)(nil)}
	require.EqualError(t, typedNil.Validate(), "reconcile: For (*v1.Secret)(nil): must point to an object")
	require.PanicsWithError(t, typedNil.Validate().Error(), func() { reconcile.Instrument(typedNil) })

	for want, opts := range map[string]reconcile.Options[reconcile.Request]{
		"reconcile: For *v1.PartialObjectMetadata without a kind: must have its GroupVersionKind set":  {For: &metav1.PartialObjectMetadata{}},
		"reconcile: For *unstructured.Unstructured without a kind: must have its GroupVersionKind set": {For: &unstructured.Unstructured{}},
		"reconcile: Queue (*reconcile_test.book)(nil): must point to a queue":                          {Queue: (*book)(nil)},
		"reconcile: Observer (*reconcile_test.book)(nil): must point to an observer":                   {Observer: (*book)(nil)},
		"reconcile: Quiet without Queue: needs Trimtab's queue, which knows the attempt":               {Quiet: never},
	} {
		require.EqualError(t, opts.Validate(), want)
	}

	custom := reconcile.Options[string]{For: &corev1.Secret{}}
	require.EqualError(t, custom.Validate(), "reconcile: For *v1.Secret: needs requests of type reconcile.Request, not string")
}

type silent struct{ runs int }

func (s *silent) Ran(trigger.Run)                  { s.runs++ }
func (*silent) Called(trigger.Set, string, string) {}
func (*silent) Panicked()                          {}
func (*silent) Overdue(int)                        {}
func (*silent) WorkerLost()                        {}

func BenchmarkChain(b *testing.B) {
	r := reconcile.Chain[reconcile.Request](returns(reconcile.Result{}, nil),
		reconcile.Instrument(reconcile.Options[reconcile.Request]{Observer: &silent{}}), reconcile.Classify, reconcile.Recover)
	ctx, req := b.Context(), request("a")
	b.ReportAllocs()
	for b.Loop() {
		_, _ = r.Reconcile(ctx, req)
	}
}

func ExampleInstrument() {
	r := reconcile.Chain[reconcile.Request](
		reconcile.Func(func(context.Context, reconcile.Request) (reconcile.Result, error) {
			return reconcile.Result{}, reconcile.TerminalError(errors.New("spec.size: must be positive"))
		}),
		reconcile.Instrument(reconcile.Options[reconcile.Request]{Observer: printer{}}),
		reconcile.Classify,
		reconcile.Recover,
	)
	_, err := r.Reconcile(context.Background(), request("web"))
	fmt.Println(err)
	// Output:
	// a run of class terminal
	// terminal error: spec.size: must be positive
}

type printer struct{}

func (printer) Ran(run trigger.Run)                { fmt.Println("a run of class", run.Class) }
func (printer) Called(trigger.Set, string, string) {}
func (printer) Panicked()                          {}
func (printer) Overdue(int)                        {}
func (printer) WorkerLost()                        {}

func never(string, int) bool { return false }
