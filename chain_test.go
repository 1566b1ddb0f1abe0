package trimtab_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/controller"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/queue"
	"github.com/trimtab/trimtab/reconcile"
	"github.com/trimtab/trimtab/trigger"
)

// The loop's chain has a user's own classes and deadline, and the loop's queue,
// without which nothing could be quiet.
func TestChainOptions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conflict := apierrors.NewConflict(schema.GroupResource{Resource: "things"}, "a", errors.New("old"))
		shown := []error{}
		opts := trimtab.TypedOptions[string]{Reconcile: reconcile.Options[string]{
			Class: func(err error) string {
				if errors.Is(err, errBroken) {
					return "broken"
				}
				return ""
			},
			Quiet: func(class string, attempt int) bool {
				shown = append(shown, map[string]error{"broken": errBroken, "conflict": conflict}[class])
				return attempt < 3
			},
			Deadline: reconcile.DeadlineOptions{Timeout: time.Second},
		}}
		runs := 0
		o := newOperator(t, opts, controller.TypedOptions[string]{}, func(*operator, string) (reconcile.Result, error) {
			switch runs++; runs {
			case 1:
				return reconcile.Result{}, conflict
			case 2:
				return reconcile.Result{}, errBroken
			default:
				return reconcile.Result{}, nil
			}
		})
		o.queue.Add("a")
		time.Sleep(time.Minute)
		seen := o.seen()
		require.Len(t, seen, 3)
		require.Equal(t, "conflict", seen[1].class)
		require.Equal(t, "broken", seen[2].class)
		require.Equal(t, []error{conflict, errBroken}, shown)
	})
}

func TestChainOptionsOfTheLoop(t *testing.T) {
	for want, opts := range map[string]reconcile.Options[reconcile.Request]{
		"trimtab: Reconcile.For *v1.Secret: set Options.For instead":                       {For: &corev1.Secret{}},
		"trimtab: Reconcile.Observer trimtab_test.deaf: the loop observes its runs itself": {Observer: deaf{}},
		"trimtab: Reconcile.Queue *queue.Queue[sigs.k8s.io/controller-runtime/pkg/reconcile.Request]: the loop has its own queue": {
			Queue: queue.New("x", queue.Options[reconcile.Request]{}),
		},
		"trimtab: reconcile: Deadline.Timeout -1s: must not be negative": {Deadline: reconcile.DeadlineOptions{Timeout: -time.Second}},
	} {
		o := trimtab.Options{Reconcile: opts, Registerer: prometheus.NewRegistry()}
		require.EqualError(t, o.Validate(), want)
		require.PanicsWithError(t, want, func() { trimtab.New("x", o) })
	}
}

// A deadline of the loop ends a run that heeds its context.
func TestChainDeadline_RC01(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		loop := trimtab.NewTyped("things", trimtab.TypedOptions[string]{
			DisableMetrics: true,
			Reconcile:      reconcile.Options[string]{Deadline: reconcile.DeadlineOptions{Timeout: time.Second}},
		})
		begin := time.Now()
		_, err := loop.Reconciler(reconcile.TypedFunc[string](func(ctx context.Context, _ string) (reconcile.Result, error) {
			<-ctx.Done()
			return reconcile.Result{}, ctx.Err()
		})).Reconcile(t.Context(), "a")
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, time.Second, time.Since(begin))
	})
}

// deaf is an Observer.
type deaf struct{}

func (deaf) Ran(trigger.Run)                    {}
func (deaf) Called(trigger.Set, string, string) {}
func (deaf) Panicked()                          {}
func (deaf) Overdue(int)                        {}
func (deaf) WorkerLost()                        {}
