package main

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestPlay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var at []time.Duration
		var names []string
		note := func(context.Context) error {
			at = append(at, time.Since(start))
			time.Sleep(30 * time.Second)
			return nil
		}
		steps := []step{{0, "a", note}, {0.25, "b", note}, {0.75, "c", note}}
		err := play(t.Context(), steps, time.Minute, func(_ int, name string) { names = append(names, name) })

		require.NoError(t, err)
		require.Equal(t, []string{"a", "b", "c"}, names)
		require.Equal(t, []time.Duration{0, 30 * time.Second, time.Minute}, at, "a long step delays the next")
		require.Equal(t, 90*time.Second, time.Since(start))
	})
}

func TestPlayNamesTheStepThatFailed(t *testing.T) {
	cause := errors.New("no")
	steps := []step{{0, "break things", func(context.Context) error { return cause }}}
	err := play(t.Context(), steps, time.Minute, func(int, string) {})
	require.ErrorIs(t, err, cause)
	require.ErrorContains(t, err, "break things: ")
}

func TestPlayEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	steps := []step{{0, "stop", func(context.Context) error { cancel(); return nil }}}
	require.ErrorIs(t, play(ctx, steps, time.Hour, func(int, string) {}), context.Canceled)
}

func TestTimelineIsInOrder(t *testing.T) {
	steps := (&demo{}).timeline()
	for i := range steps[1:] {
		require.Less(t, steps[i].at, steps[i+1].at)
	}
	require.Less(t, steps[len(steps)-1].at, 1.0)
}
