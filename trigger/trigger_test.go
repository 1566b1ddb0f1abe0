package trigger_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/trigger"
)

func TestSourceNames(t *testing.T) {
	names := []string{}
	for s := range trigger.All.Sources() {
		names = append(names, s.String())
	}
	require.Equal(t, []string{"primary", "external", "watched", "retry", "periodic", "resync"}, names)
	require.Len(t, names, trigger.Count)
	require.Equal(t, "unknown", trigger.Source(trigger.Count).String())
	require.Equal(t, "unknown", trigger.Source(255).String())
}

func TestSet(t *testing.T) {
	for _, tc := range []struct {
		set       trigger.Set
		name      string
		strongest trigger.Source
		known     bool
	}{
		{0, "unknown", 0, false},
		{trigger.SetOf(trigger.Primary), "primary", trigger.Primary, true},
		{trigger.SetOf(trigger.Resync, trigger.Retry), "retry+resync", trigger.Retry, true},
		{trigger.SetOf(trigger.Source(7), trigger.Source(200)), "unknown", 0, false},
		{trigger.All, "primary+external+watched+retry+periodic+resync", trigger.Primary, true},
		{0xC0, "unknown", 0, false}, // bits that are no source
	} {
		require.Equal(t, tc.name, tc.set.String())
		got, ok := tc.set.Strongest()
		require.Equal(t, tc.known, ok, tc.name)
		require.Equal(t, tc.strongest, got, tc.name)
	}

	s := trigger.SetOf(trigger.Watched).With(trigger.Periodic)
	require.True(t, s.Has(trigger.Watched))
	require.False(t, s.Has(trigger.Primary))
	require.False(t, s.Has(trigger.Source(200)))
	for range s.Sources() {
		break // an early end of the loop is no panic
	}
	require.Equal(t, []trigger.Source{trigger.Watched, trigger.Periodic}, slices.Collect(s.Sources()))
}

func TestInfoSplitsTheTimeBeforeTheRun(t *testing.T) {
	at := func(s int) time.Time { return time.Unix(int64(s), 0) }
	info := trigger.Info{Added: at(0), Ready: at(10), OwnRun: 5 * time.Second, Caused: at(12), Started: at(18)}
	require.Equal(t, 10*time.Second, info.Delay())
	require.Equal(t, 3*time.Second, info.Wait())
	require.Equal(t, info.Started.Sub(info.Added), info.Delay()+info.OwnRun+info.Wait())

	// Latency starts when a worker could have taken it, or when its cause came.
	require.Equal(t, at(15), info.Since())
	info.Caused = at(16)
	require.Equal(t, at(16), info.Since())

	// Without Trimtab's queue only the start is known.
	for _, unknown := range []trigger.Info{{Started: at(18)}, {Added: at(0)}, {Ready: at(1)}, {}} {
		require.Zero(t, unknown.Delay())
		require.Zero(t, unknown.Wait())
	}
	require.True(t, trigger.Info{Started: at(18)}.Since().IsZero())

	// A clock that ran backwards gives no negative time.
	info = trigger.Info{Added: at(5), Ready: at(3), Started: at(1)}
	require.Zero(t, info.Delay())
	require.Zero(t, info.Wait())
}

func TestPhasesTotal(t *testing.T) {
	p := trigger.Phases{Read: 1, Compute: 20, Write: 300, Status: 4000}
	require.Equal(t, time.Duration(4321), p.Total())
}

func TestContext(t *testing.T) {
	_, ok := trigger.FromContext(t.Context())
	require.False(t, ok)
	_, ok = trigger.FromContext(trigger.NewContext(t.Context(), nil))
	require.False(t, ok)

	info := trigger.Info{Sources: trigger.SetOf(trigger.Watched), Attempt: 3, LastClass: "conflict"}
	got, ok := trigger.FromContext(trigger.NewContext(t.Context(), &info))
	require.True(t, ok)
	require.Equal(t, info, got)
	source, ok := got.Source()
	require.True(t, ok)
	require.Equal(t, trigger.Watched, source)
}

func ExampleFromContext() {
	// The chain of package reconcile makes such a context for every run.
	ctx := trigger.NewContext(context.Background(), &trigger.Info{
		Sources: trigger.SetOf(trigger.Watched, trigger.Retry),
		Attempt: 6,
	})

	if info, ok := trigger.FromContext(ctx); ok && info.Attempt > 5 {
		fmt.Printf("attempt %d, caused by %s\n", info.Attempt, info.Sources)
	}
	// Output: attempt 6, caused by watched+retry
}

func ExampleSetOf() {
	s := trigger.SetOf(trigger.Periodic, trigger.Primary)
	strongest, _ := s.Strongest()
	fmt.Println(s, "counts as", strongest)
	// Output: primary+periodic counts as primary
}
