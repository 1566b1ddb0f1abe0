package queue_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/queue"
)

func TestOptions(t *testing.T) {
	require.NoError(t, queue.Options[string]{}.Validate())
	require.NoError(t, queue.Options[string]{SaturationDepth: 1}.Validate())
	bad := queue.Options[string]{SaturationDepth: -1}
	require.EqualError(t, bad.Validate(), "queue: SaturationDepth -1: must not be negative")
	require.PanicsWithError(t, "queue: SaturationDepth -1: must not be negative", func() { queue.New("test", bad) })
	require.Equal(t, "test", queue.New("test", queue.Options[string]{}).Name())
}
