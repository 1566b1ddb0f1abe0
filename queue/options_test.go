package queue_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/queue"
	"github.com/trimtab/trimtab/ratelimit"
)

func TestOptions(t *testing.T) {
	require.NoError(t, queue.Options[string]{}.Validate())
	require.NoError(t, queue.Options[string]{SaturationDepth: 1}.Validate())
	bad := queue.Options[string]{SaturationDepth: -1}
	require.EqualError(t, bad.Validate(), "queue: SaturationDepth -1: must not be negative")
	require.PanicsWithError(t, "queue: SaturationDepth -1: must not be negative", func() { queue.New("test", bad) })
	require.EqualError(t, queue.Options[string]{RateLimiter: (*ratelimit.Exponential[string])(nil)}.Validate(),
		"queue: RateLimiter (*ratelimit.Exponential[string])(nil): must point to a limiter")
	require.EqualError(t, queue.Options[string]{Observer: (*nothing)(nil)}.Validate(),
		"queue: Observer (*queue_test.nothing)(nil): must point to an observer")
	require.Equal(t, "test", queue.New("test", queue.Options[string]{}).Name())
}

// nothing is an Observer of which there is none.
type nothing struct{ queue.Observer }
