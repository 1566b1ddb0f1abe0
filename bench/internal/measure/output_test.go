package measure_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/bench/internal/measure"
)

func TestOnlyResults(t *testing.T) {
	require.Equal(t, "goos: plan9\ngoarch: arm\npkg: p\nBenchmarkX 1 2 ns/op\n",
		measure.OnlyResults("goos: plan9\ngoarch: arm\npkg: p\ncpu: somebody's\nBenchmarkX 1 2 ns/op\nPASS\nok p 1s\n"))
}
