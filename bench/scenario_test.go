package bench_test

import (
	"flag"
	"fmt"
	"testing"
)

var scenarios = flag.Bool("scenarios", false, "print what the scenarios measure as benchmarks do")

// printScenario prints what a scenario measured as a benchmark does, with -scenarios.
func printScenario(t *testing.T, name string, metrics ...any) {
	t.Helper()
	if !*scenarios {
		return
	}
	line := "Benchmark" + name + " 1"
	for i := 0; i < len(metrics); i += 2 {
		line += fmt.Sprintf(" %.6g %s", metrics[i+1], metrics[i])
	}
	fmt.Println(line)
}
