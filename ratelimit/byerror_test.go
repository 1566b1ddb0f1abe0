package ratelimit_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/ratelimit"
)

func byError(classes map[string]limiters) *ratelimit.ByError[string] {
	return ratelimit.NewByError(ratelimit.ByErrorOptions[string]{Default: exponential(ratelimit.ExponentialOptions{}), Classes: classes})
}

// RQ29: what waits for a lock waits for no longer than its class has, however often,
// and the next error begins at the beginning.
func TestByErrorKeepsClassesApart_RQ29(t *testing.T) {
	l := byError(map[string]limiters{
		"locked": exponential(ratelimit.ExponentialOptions{BaseDelay: time.Second, MaxDelay: 15 * time.Second}),
	})
	for i := range 20 {
		d := l.WhenError("k", errBroken, "locked")
		require.Equal(t, min(time.Second<<i, 15*time.Second), d)
	}
	require.Equal(t, 5*time.Millisecond, l.WhenError("k", errBroken, "error"))
	require.Equal(t, 10*time.Millisecond, l.When("k"), "without a class it is Default's")
	require.Equal(t, 22, l.NumRequeues("k"), "of all classes")
	l.Forget("k")
	require.Zero(t, l.NumRequeues("k"))
	require.Equal(t, time.Second, l.WhenError("k", errBroken, "locked"))
}

// RQ30: the same by class: what only another's repair mends is asked for seldom.
func TestByErrorKeepsToAnInterval_RQ30(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := byError(map[string]limiters{
			"invalid": ratelimit.NewConstant[string](ratelimit.ConstantOptions{Delay: time.Hour}),
		})
		tries := 0
		for start := time.Now(); time.Since(start) < 24*time.Hour; tries++ {
			time.Sleep(l.WhenError("daily", errBroken, "invalid"))
		}
		require.LessOrEqual(t, tries, 24)
		require.Less(t, l.WhenError("daily", errBroken, "timeout"), time.Second)
	})
}

// Two classes may share a limiter: what one counts, the other goes on from.
func TestByErrorWithASharedLimiter(t *testing.T) {
	one := exponential(ratelimit.ExponentialOptions{BaseDelay: time.Second})
	l := byError(map[string]limiters{"conflict": one, "throttled": one})
	require.Equal(t, time.Second, l.WhenError("k", errBroken, "conflict"))
	require.Equal(t, 2*time.Second, l.WhenError("k", errBroken, "throttled"))
	require.Equal(t, 2, l.NumRequeues("k"), "counted once")
}

// What the caller does with its map afterwards is of no effect.
func TestByErrorCopiesItsClasses(t *testing.T) {
	classes := map[string]limiters{"conflict": exponential(ratelimit.ExponentialOptions{BaseDelay: time.Second})}
	l := byError(classes)
	delete(classes, "conflict")
	require.Equal(t, time.Second, l.WhenError("k", errBroken, "conflict"))
}

func TestByErrorValidate(t *testing.T) {
	inner := exponential(ratelimit.ExponentialOptions{})
	for want, opts := range map[string]ratelimit.ByErrorOptions[string]{
		"ratelimit: Default <nil>(nil): must be a limiter":           {},
		`ratelimit: Classes["a"] <nil>(nil): must be a limiter`:      {Default: inner, Classes: map[string]limiters{"b": nil, "a": nil, "c": nil}},
		`ratelimit: Classes["success"]: want the class of a failure`: {Default: inner, Classes: map[string]limiters{"success": inner}},
		`ratelimit: Classes[""]: want the class of a failure`:        {Default: inner, Classes: map[string]limiters{"": inner}},
	} {
		for range 10 { // the first, whatever the order of a map
			require.EqualError(t, opts.Validate(), want)
		}
		require.PanicsWithError(t, want, func() { ratelimit.NewByError(opts) })
	}
}
