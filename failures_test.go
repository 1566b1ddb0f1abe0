package trimtab_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/queue"
	"github.com/trimtab/trimtab/ratelimit"
	"github.com/trimtab/trimtab/reconcile"
)

// store is an API server with one object, whose generation the test sets.
type store struct {
	client.Client
	mu     sync.Mutex
	object *corev1.Secret // nil if it is gone
}

func (s *store) set(f func(*corev1.Secret)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(s.object)
}

func (s *store) Get(_ context.Context, key client.ObjectKey, obj client.Object, _ ...client.GetOption) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.object == nil {
		return apierrors.NewNotFound(schema.GroupResource{Resource: "secrets"}, key.Name)
	}
	s.object.DeepCopyInto(obj.(*corev1.Secret))
	return nil
}

// List finds nothing.
func (*store) List(context.Context, client.ObjectList, ...client.ListOption) error { return nil }

// Update changes the spec: there is a new generation.
func (s *store) Update(_ context.Context, obj client.Object, _ ...client.UpdateOption) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.object = obj.(*corev1.Secret).DeepCopy()
	s.object.Generation++
	s.object.DeepCopyInto(obj.(*corev1.Secret))
	return nil
}

var storeKey = types.NamespacedName{Namespace: "ns", Name: "a"}

// keeper is an operator for the object of a store, in a bubble.
type keeper struct {
	store    *store
	registry *prometheus.Registry
	add      func() // an event
	start    time.Time

	mu sync.Mutex
	at []time.Duration
}

// newKeeper starts an operator whose reconciler reads its object and answers with answer.
func newKeeper(t *testing.T, opts trimtab.Options, answer func(ctx context.Context, c client.Client, s *corev1.Secret) (reconcile.Result, error)) *keeper {
	t.Helper()
	k := &keeper{start: time.Now(), registry: prometheus.NewRegistry()}
	k.store = &store{object: &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: storeKey.Namespace, Name: storeKey.Name, UID: "1", Generation: 1}}}
	opts.For, opts.Registerer, opts.Log = &corev1.Secret{}, k.registry, logr.Discard()
	loop := trimtab.New("secrets", opts)
	c := loop.Client(k.store)
	skip := true
	ctrl, err := controller.NewTypedUnmanaged("secret", loop.ControllerOptions(controller.Options{
		SkipNameValidation: &skip,
		Logger:             logr.Discard(),
		Reconciler: loop.Reconciler(reconcile.Func(func(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
			k.mu.Lock()
			k.at = append(k.at, time.Since(k.start))
			k.mu.Unlock()
			var s corev1.Secret
			if err := c.Get(ctx, req.NamespacedName, &s); err != nil {
				return reconcile.Result{}, err
			}
			return answer(ctx, c, &s)
		})),
	}))
	require.NoError(t, err)
	require.NoError(t, ctrl.Watch(source.Func(func(_ context.Context, q workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
		k.add = func() { q.Add(reconcile.Request{NamespacedName: storeKey}) }
		return nil
	})))
	ctx, cancel := context.WithCancel(t.Context())
	stopped := make(chan error, 1)
	go func() { stopped <- ctrl.Start(ctx) }()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-stopped)
	})
	synctest.Wait()
	k.add()
	return k
}

// minutes returns when the runs were since it was last called.
func (k *keeper) minutes() []float64 {
	synctest.Wait()
	k.mu.Lock()
	defer k.mu.Unlock()
	var minutes []float64
	for _, at := range k.at {
		minutes = append(minutes, at.Minutes())
	}
	k.at = nil
	return minutes
}

// byMinutes waits 1, 2, 4, 8 and so on minutes after each failure.
func byMinutes() workqueue.TypedRateLimiter[reconcile.Request] {
	return ratelimit.NewExponential[reconcile.Request](ratelimit.ExponentialOptions{BaseDelay: time.Minute, MaxDelay: 24 * time.Hour})
}

func broken(context.Context, client.Client, *corev1.Secret) (reconcile.Result, error) {
	return reconcile.Result{}, errBroken
}

// RL05: a backoff starts anew when the object's spec changes and when its deletion
// starts; a new label ends the wait, as any event does, and not the backoff.
func TestFailureResetInLoop_RL05(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKeeper(t, trimtab.Options{RateLimiter: byMinutes()}, broken)
		time.Sleep(20 * time.Minute)
		require.Equal(t, []float64{0, 1, 3, 7, 15}, k.minutes())

		k.store.set(func(s *corev1.Secret) { s.Labels = map[string]string{"a": "b"} })
		k.add()
		time.Sleep(20 * time.Minute)
		require.Equal(t, []float64{20}, k.minutes(), "the next is 32 minutes later")

		k.store.set(func(s *corev1.Secret) { s.Generation++ })
		k.add()
		time.Sleep(10 * time.Minute)
		require.Equal(t, []float64{40, 41, 43, 47}, k.minutes())

		k.store.set(func(s *corev1.Secret) {
			s.Generation++
			s.DeletionTimestamp = &metav1.Time{Time: time.Now()}
		})
		k.add()
		time.Sleep(10 * time.Minute)
		require.Equal(t, []float64{50, 51, 53, 57}, k.minutes())
		require.Equal(t, 2.0, gather(t, k.registry)[`trimtab_failure_resets_total{controller="secret"}`])

		k.store.mu.Lock()
		k.store.object = nil
		k.store.mu.Unlock()
		time.Sleep(time.Hour)
		require.Equal(t, []float64{65}, k.minutes(), "it is gone, which is a success")
	})
}

// RL05: an operator that writes its own spec and fails does not reset itself, be it
// that an event of its own write comes, too.
func TestOwnWriteResetsNothing_RL05_PR21(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKeeper(t, trimtab.Options{RateLimiter: byMinutes()}, func(ctx context.Context, c client.Client, s *corev1.Secret) (reconcile.Result, error) {
			if err := c.Update(ctx, s); err != nil {
				return reconcile.Result{}, err
			}
			return reconcile.Result{}, errBroken
		})
		time.Sleep(20 * time.Minute)
		require.Equal(t, []float64{0, 1, 3, 7, 15}, k.minutes())
		k.add()
		time.Sleep(30 * time.Minute)
		require.Equal(t, []float64{20}, k.minutes())
		require.Zero(t, gather(t, k.registry)[`trimtab_failure_resets_total{controller="secret"}`])
	})
}

// RL10: the loop passes GiveUp on, and counts.
func TestGiveUpInLoop_RL10(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []string
		k := newKeeper(t, trimtab.Options{RateLimiter: byMinutes(), Queue: queue.Options[reconcile.Request]{
			GiveUp: 2,
			OnGiveUp: func(r reconcile.Request, failures int, err error) {
				told = append(told, fmt.Sprint(r.Name, " ", failures, " ", err))
			},
		}}, broken)
		time.Sleep(20 * time.Hour)
		require.Equal(t, []float64{0, 1, 3}, k.minutes())
		k.add()
		time.Sleep(20 * time.Hour)
		require.Len(t, k.minutes(), 1)
		require.Equal(t, []string{"a 3 broken"}, told)
		require.Equal(t, 1.0, gather(t, k.registry)[`trimtab_given_up_total{controller="secret"}`])
		k.store.set(func(s *corev1.Secret) { s.Generation++ })
		k.add()
		time.Sleep(20 * time.Hour)
		require.Len(t, k.minutes(), 3, "the change starts the count anew")
	})
}

// The loop's own object decides whether MaxInterval brings another run.
func TestMaxIntervalInLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKeeper(t, trimtab.Options{Queue: queue.Options[reconcile.Request]{MaxInterval: 10 * time.Minute}},
			func(ctx context.Context, _ client.Client, s *corev1.Secret) (reconcile.Result, error) {
				if s.Labels["finished"] == "true" {
					reconcile.Stop(ctx)
				}
				return reconcile.Result{}, nil
			})
		time.Sleep(25 * time.Minute)
		require.Equal(t, []float64{0, 10, 20}, k.minutes())
		k.store.set(func(s *corev1.Secret) { s.Labels = map[string]string{"finished": "true"} })
		time.Sleep(5 * time.Hour)
		require.Equal(t, []float64{30}, k.minutes())

		k.store.set(func(s *corev1.Secret) { s.Labels = nil })
		k.add()
		time.Sleep(5 * time.Minute)
		require.Len(t, k.minutes(), 1)
		k.store.mu.Lock()
		k.store.object = nil
		k.store.mu.Unlock()
		time.Sleep(5 * time.Hour)
		require.Len(t, k.minutes(), 1, "it found nothing")
		require.Zero(t, gather(t, k.registry)[`trimtab_queue_delayed{controller="secret"}`])
	})
}

// counting is a limiter that counts how it is asked.
type counting struct {
	workqueue.TypedRateLimiter[string]
	whens int
}

func (c *counting) When(key string) time.Duration {
	c.whens++
	return c.TypedRateLimiter.When(key)
}

// telling is a limiter that wants to know the error.
type telling struct {
	*counting
	told []string
}

func (l *telling) WhenError(key string, err error, class string) time.Duration {
	l.told = append(l.told, fmt.Sprint(key, " ", err, " ", class))
	return time.Second
}

var _ ratelimit.ErrorAware[string] = (*telling)(nil)

// RL14, RL15: the limiter that was configured is asked once for each failing run,
// with the error if it wants that, and for no event.
func TestLimiterOfTheLoop_RL14_RL15(t *testing.T) {
	for name, inOptions := range map[string]bool{"of the loop": true, "of the controller": false} {
		for _, wantsErrors := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, errors %t", name, wantsErrors), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					asked := &counting{TypedRateLimiter: ratelimit.NewExponential[string](ratelimit.ExponentialOptions{})}
					told := &telling{counting: asked}
					var limiter workqueue.TypedRateLimiter[string] = asked
					if wantsErrors {
						limiter = told
					}
					var opts trimtab.TypedOptions[string]
					var base controller.TypedOptions[string]
					if inOptions {
						opts.RateLimiter = limiter
					} else {
						base.RateLimiter = limiter
					}
					runs := 0
					o := newOperator(t, opts, base, func(*operator, string) (reconcile.Result, error) {
						switch runs++; runs {
						case 1:
							return reconcile.Result{}, errBroken
						case 2:
							panic("x")
						case 3:
							return reconcile.Result{Requeue: true}, nil //nolint:staticcheck // Deprecated, and still in use.
						default:
							return reconcile.Result{}, nil
						}
					})
					o.queue.Add("a")
					time.Sleep(time.Minute)
					require.Len(t, o.seen(), 4)
					if wantsErrors {
						require.Equal(t, []string{"a broken error", "a reconcile: the reconciler panicked panic", "a <nil> requeue"}, told.told)
						require.Zero(t, asked.whens)
					} else {
						require.Equal(t, 3, asked.whens)
					}
					for range 100 {
						o.queue.Add("a")
						synctest.Wait()
					}
					require.Len(t, o.seen(), 104)
					require.LessOrEqual(t, asked.whens, 3)
					require.LessOrEqual(t, len(told.told), 3)
				})
			})
		}
	}
}
