package bench_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"
)

const ten = 10 * time.Second

// printSeries prints numbers for a plot: a benchmark for each of them, which says in
// one of its parts where along the plot it belongs.
func printSeries(t *testing.T, name, along, by, unit string, numbers map[int]float64) {
	t.Helper()
	for _, at := range slices.Sorted(maps.Keys(numbers)) {
		printScenario(t, fmt.Sprintf("%s/%s=%d/by=%s", name, along, at, by), unit, numbers[at])
	}
}
