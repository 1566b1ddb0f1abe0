package reconcile_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/reconcile"
	"github.com/trimtab/trimtab/trigger"
)

// panics returns reconcilers that panic, each in its way.
func panics() map[string]func() {
	var nilMap map[string]int
	return map[string]func(){
		"text":    func() { panic("x") },
		"nil":     func() { panic(nil) }, //nolint:govet // That is the case.
		"error":   func() { panic(errBoom) },
		"nil map": func() { nilMap["a"] = 1 },
	}
}

func does(f func()) reconcile.Func {
	return func(context.Context, reconcile.Request) (reconcile.Result, error) {
		f()
		return reconcile.Result{}, nil
	}
}

// RC04: whatever it panics with, the panic is counted, reported as a failure,
// logged in one line with its stack, key and attempt, and goes on unchanged.
func TestPanic_RC04(t *testing.T) {
	for name, f := range panics() {
		t.Run(name, func(t *testing.T) {
			b := &book{info: trigger.Info{Attempt: 3}, known: true}
			r := chain(b, does(f))
			want := caught(f)
			got := caught(func() { _, _ = r.Reconcile(logged(t.Context(), b), request("a")) })
			require.IsType(t, want, got)
			require.Equal(t, fmt.Sprint(want), fmt.Sprint(got))

			require.Len(t, b.lines, 4)
			require.Equal(t, []string{"panicked", "report a panic", "ran unknown panic"}, append(b.lines[:1:1], b.lines[2:]...))
			for _, part := range []string{`"The reconciler panicked"`, `"request"="ns/a"`, `"attempt"=3`, "recover_test.go"} {
				require.Contains(t, b.lines[1], part)
			}
			require.Error(t, b.outcome.Err, "the queue must expect a retry")
			require.False(t, b.outcome.Exited)
		})
	}
}

func caught(f func()) (p any) {
	defer func() { p = recover() }()
	f()
	return nil
}

// RC04: for a host that does not recover, the panic becomes an error with its cause
// and stack.
func TestConvertedPanic_RC04(t *testing.T) {
	for name, f := range panics() {
		t.Run(name, func(t *testing.T) {
			b := &book{}
			r := reconcile.New[reconcile.Request](does(f), reconcile.Options[reconcile.Request]{Queue: b, Observer: b, ConvertPanics: true})
			result, err := r.Reconcile(t.Context(), request("a"))
			require.Zero(t, result)
			var p *reconcile.PanicError
			require.ErrorAs(t, err, &p)
			require.Contains(t, string(p.Stack), "recover_test.go")
			require.Equal(t, "reconcile: panic: "+fmt.Sprint(caught(f)), err.Error())
			require.Equal(t, name == "error", errors.Is(err, errBoom))
			require.Equal(t, []string{"panicked", "report a panic", "ran unknown panic"}, b.lines)
			require.Equal(t, err, b.outcome.Err)
		})
	}
}

// RC04: in a controller the panic counts as ever, its key backs off, and other keys
// run.
func TestPanicInController_RC04(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		var at []time.Duration
		others := 0
		h := start(t, 1, reconcile.Options[string]{}, func(_ context.Context, key string) (reconcile.Result, error) {
			if key != "bad" {
				others++
				return reconcile.Result{}, nil
			}
			at = append(at, time.Since(begin))
			panic("x")
		})
		h.queue.Add("bad")
		h.queue.Add("good")
		sleep(70 * time.Millisecond)
		require.Equal(t, []time.Duration{0, 10 * time.Millisecond, 30 * time.Millisecond, 70 * time.Millisecond}, at)
		require.Equal(t, 1, others)
		require.InDelta(t, 4, h.total(t, panicsTotal), 0)
		require.Empty(t, h.queue.Snapshot().Runs)
	})
}

// RC04: a reconciler that ends its goroutine takes one worker along. That is told,
// its key comes back after a backoff, and the other workers go on.
func TestGoexitInController_RC04(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		var at []time.Duration
		others := 0
		h := start(t, 2, reconcile.Options[string]{}, func(_ context.Context, key string) (reconcile.Result, error) {
			if key != "bad" {
				others++
				return reconcile.Result{}, nil
			}
			at = append(at, time.Since(begin))
			if len(at) == 1 {
				runtime.Goexit()
			}
			return reconcile.Result{}, nil
		})
		h.queue.Add("bad")
		h.queue.Add("good")
		sleep(time.Hour)
		require.Equal(t, []time.Duration{0, 10 * time.Millisecond}, at)
		require.Equal(t, 1, others)
		require.Equal(t, 1, count(h.lines, "worker lost"))
		require.Equal(t, 1, count(h.lines, "ran primary panic"))
		require.Equal(t, 1, count(h.lines, "ran retry success"))
		require.NotContains(t, h.lines, "panicked")
		require.Len(t, h.errors, 1)
		require.Contains(t, h.errors[0], "A worker is lost")
		require.Zero(t, h.queue.NumRequeues("bad"))
		for range 100 {
			h.queue.Add("good")
			sleep(time.Millisecond)
		}
		require.Equal(t, 101, others)
	})
}

// RC04: also code around the reconciler may end its goroutine; its request comes back.
func TestGoexitAroundRecover_RC04(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runs := 0
		h := start(t, 2, reconcile.Options[string]{Class: func(error) string {
			runtime.Goexit()
			return ""
		}}, func(context.Context, string) (reconcile.Result, error) {
			if runs++; runs == 1 {
				return reconcile.Result{}, errBoom
			}
			return reconcile.Result{}, nil
		})
		h.queue.Add("k")
		sleep(time.Hour)
		require.Equal(t, []string{"worker lost", "ran primary panic", "ran retry success"}, h.lines)
		require.Len(t, h.errors, 1)
	})
}

// RC04: a panic around Recover goes on, with the books closed.
func TestPanicAroundRecover_RC04(t *testing.T) {
	b := &book{}
	around := func(reconcile.Reconciler) reconcile.Reconciler { return does(func() { panic("x") }) }
	r := reconcile.Chain[reconcile.Request](returns(reconcile.Result{}, nil),
		reconcile.Instrument(reconcile.Options[reconcile.Request]{Queue: b, Observer: b}), around)
	require.Equal(t, "x", caught(func() { _, _ = r.Reconcile(logged(t.Context(), b), request("a")) }))
	require.Equal(t, []string{"report a panic", "ran unknown panic"}, b.lines)
}

func count(lines []string, line string) int {
	n := 0
	for _, l := range lines {
		if strings.HasPrefix(l, line) {
			n++
		}
	}
	return n
}

func ExamplePanicError() {
	r := reconcile.New[reconcile.Request](
		does(func() { panic(errBoom) }),
		reconcile.Options[reconcile.Request]{ConvertPanics: true},
	)
	_, err := r.Reconcile(context.Background(), request("web"))
	fmt.Println(err, errors.Is(err, errBoom))
	// Output: reconcile: panic: boom true
}
