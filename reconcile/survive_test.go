package reconcile_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trimtab/trimtab/reconcile"
	"github.com/trimtab/trimtab/trigger"
)

// mine is an Observer and a Tracer that panics in the method of that name.
type mine struct {
	spans
	in string
}

func (m *mine) enter(method string) {
	if m.in == method {
		panic(method)
	}
}

func (m *mine) Ran(run trigger.Run) {
	m.enter("Ran")
	m.book.Ran(run)
}

func (m *mine) Called(sources trigger.Set, verb, kind string) {
	m.enter("Called")
	m.book.Called(sources, verb, kind)
}

func (m *mine) Panicked() { m.enter("Panicked") }

func (m *mine) Overdue(change int) { m.enter(fmt.Sprintf("Overdue %+d", change)) }

func (m *mine) StartRun(ctx context.Context, req any, info trigger.Info) (context.Context, func(trigger.Run, error)) {
	m.enter("StartRun")
	inner, ended := m.spans.StartRun(ctx, req, info)
	return inner, func(run trigger.Run, err error) {
		ended(run, err)
		m.enter("run's end")
	}
}

func (m *mine) StartCall(ctx context.Context, phase, verb, kind string) (context.Context, func(error)) {
	m.enter("StartCall")
	inner, ended := m.spans.StartCall(ctx, phase, verb, kind)
	return inner, func(err error) {
		ended(err)
		m.enter("call's end")
	}
}

func (m *mine) ReadOwn(context.Context, map[string]string) { m.enter("ReadOwn") }

func (m *mine) options() reconcile.Options[reconcile.Request] {
	return reconcile.Options[reconcile.Request]{
		Queue: m, Observer: m, Tracer: m, For: configMap(""),
		Deadline: reconcile.DeadlineOptions{Timeout: time.Minute},
		Class:    func(error) string { m.enter("Class"); return "" },
		Quiet:    func(string, int) bool { m.enter("Quiet"); return false },
		TraceID:  func(context.Context) string { m.enter("TraceID"); return "id" },
	}
}

// RC04: what watches the runs may panic in any place, also in a timer's goroutine: the
// controller sees what the run returned, the books are closed, and the log tells.
func TestWatchersPanic_RC04(t *testing.T) {
	for _, method := range []string{
		"Ran", "Called", "Overdue +1", "Overdue -1", "StartRun", "StartCall", "ReadOwn",
		"run's end", "call's end", "Class", "Quiet", "TraceID",
	} {
		t.Run(method, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := &mine{in: method}
				m.known, m.info.Attempt = true, 1
				c := reconcile.Client(present{&slow{}})
				r := reconcile.New[reconcile.Request](reconcile.Func(func(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
					require.NoError(t, c.Get(ctx, req.NamespacedName, configMap("")))
					time.Sleep(time.Hour)
					return reconcile.Result{}, conflict
				}), m.options())
				_, err := r.Reconcile(logged(t.Context(), &m.book), request("a"))
				require.Equal(t, conflict, err)
				synctest.Wait()
				require.Equal(t, 1, count(m.lines, `log "msg"="What watches the runs panicked, and the run goes on"`), m.lines)
				require.Equal(t, 1, count(m.lines, "report a conflict"))
				if method != "Ran" {
					require.Equal(t, 1, count(m.lines, "ran unknown conflict"))
				}
				if method != "StartRun" {
					require.Equal(t, 1, count(m.lines, "ran conflict"), "the trace has ended")
				}
			})
		})
	}
}

// RC04: a panic of the run stays that, although its observer panics, too.
func TestPanicOfBoth_RC04(t *testing.T) {
	for _, method := range []string{"Panicked", "Ran", "TraceID", "run's end"} {
		m := &mine{in: method}
		r := reconcile.New[reconcile.Request](does(func() { panic("mine") }), m.options())
		require.Equal(t, "mine", caught(func() { _, _ = r.Reconcile(t.Context(), request("a")) }), method)
		require.Equal(t, 1, count(m.lines, "report a panic"))
	}
}

// RC07: a tracer that returns nothing traces nothing.
func TestTracerReturnsNil_RC07(t *testing.T) {
	c := reconcile.Client(&slow{})
	r := reconcile.New[reconcile.Request](reconcile.Func(func(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
		return reconcile.Result{}, c.Update(ctx, configMap("b"))
	}), reconcile.Options[reconcile.Request]{Tracer: nothing{}})
	_, err := r.Reconcile(t.Context(), request("a"))
	require.NoError(t, err)
}

type nothing struct{ forgetful }

func (nothing) StartRun(context.Context, any, trigger.Info) (context.Context, func(trigger.Run, error)) {
	return nil, nil //nolint:nilnil // That is the case.
}

func (nothing) StartCall(context.Context, string, string, string) (context.Context, func(error)) {
	return nil, nil //nolint:nilnil // That is the case.
}

// broken is an error one of whose methods panics.
type broken string

func (b broken) in(method string) {
	if string(b) == method {
		panic(method)
	}
}

func (b broken) Error() string {
	b.in("Error")
	return "broken"
}

func (b broken) Is(error) bool {
	b.in("Is")
	return false
}

func (b broken) As(any) bool {
	b.in("As")
	return false
}

func (b broken) Unwrap() error {
	b.in("Unwrap")
	return nil
}

// RC04: an error whose methods panic, or that is a nil pointer, is an error like any
// other.
func TestBrokenErrors_RC04(t *testing.T) {
	for name, err := range map[string]error{
		"Error": broken("Error"), "Is": broken("Is"), "As": broken("As"), "Unwrap": broken("Unwrap"),
		"joined": errors.Join(conflict, broken("Unwrap")), "nil pointer": (*apierrors.StatusError)(nil),
	} {
		t.Run(name, func(t *testing.T) {
			b := &book{info: trigger.Info{Attempt: 1}, known: true}
			quiet := reconcile.Options[reconcile.Request]{Queue: b, Observer: b, Quiet: func(string, int) bool { return true }}
			for _, r := range []reconcile.Reconciler{
				chain(b, returns(reconcile.Result{}, err)),
				reconcile.New[reconcile.Request](returns(reconcile.Result{}, err), quiet),
			} {
				b.lines = nil
				require.NotPanics(t, func() { _, _ = r.Reconcile(t.Context(), request("a")) })
				require.Equal(t, []string{"report a error", "ran unknown error"}, b.lines)
				require.Equal(t, err, b.outcome.Err)
			}
		})
	}
}

// RC09: the error by which the own object was missed may hold what cannot be compared.
func TestIncomparableNotFound_RC09(t *testing.T) {
	b := run(t, &slow{err: holder{incomparable{"a"}}}, func(ctx context.Context, c client.Client) error {
		return c.Update(ctx, configMap("a"))
	})
	require.Equal(t, "ran primary notfound", b.lines[len(b.lines)-1])
}

type incomparable []string

func (incomparable) Error() string { return "not there" }

func (incomparable) Unwrap() error {
	return apierrors.NewNotFound(schema.GroupResource{Resource: "configmaps"}, "a")
}

type holder struct{ error }

func (h holder) Unwrap() error { return h.error }

// RC07: a call whose client panics or ends its goroutine ends, too: it is counted, its
// trace is closed, and the time after it is the run's own.
func TestCallPanics_RC07(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &mine{}
		c := reconcile.Client(&slow{fresh: func() error { panic("client") }})
		r := reconcile.New[reconcile.Request](reconcile.Func(func(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
			for _, call := range calls(c) {
				require.Equal(t, "client", caught(func() { call(ctx) }))
			}
			time.Sleep(time.Second)
			return reconcile.Result{}, nil
		}), m.options())
		_, err := r.Reconcile(t.Context(), request("a"))
		require.NoError(t, err)
		require.Equal(t, trigger.Phases{Compute: time.Second}, m.phases)
		require.Equal(t, 12, count(m.lines, "called: reconcile: the client panicked"))
		require.Equal(t, 12, count(m.lines, "called unknown"), strings.Join(m.lines, "\n"))
	})
}

func calls(c client.Client) []func(context.Context) {
	obj, key := configMap("b"), request("b").NamespacedName
	return []func(context.Context){
		func(ctx context.Context) { _ = c.Get(ctx, key, obj) },
		func(ctx context.Context) { _ = c.List(ctx, list()) },
		func(ctx context.Context) { _ = c.Create(ctx, obj) },
		func(ctx context.Context) { _ = c.Update(ctx, obj) },
		func(ctx context.Context) { _ = c.Patch(ctx, obj, client.Merge) },
		func(ctx context.Context) { _ = c.Apply(ctx, nil) },
		func(ctx context.Context) { _ = c.Delete(ctx, nil) },
		func(ctx context.Context) { _ = c.DeleteAllOf(ctx, obj) },
		func(ctx context.Context) { _ = c.Status().Update(ctx, obj) },
		func(ctx context.Context) { _ = c.SubResource("scale").Get(ctx, obj, nil) },
		func(ctx context.Context) { _ = c.SubResource("eviction").Create(ctx, obj, nil) },
		func(ctx context.Context) { _ = c.Status().Patch(ctx, obj, client.Merge) },
	}
}
