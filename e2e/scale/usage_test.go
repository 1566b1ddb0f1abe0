package scale_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"runtime"
	"slices"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"
)

const megabyte = 1 << 20

// heap returns the bytes of the live heap.
func heap() float64 {
	runtime.GC()
	runtime.GC() // The first leaves what is in a sync.Pool.
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

// allocations returns how often the process has allocated.
func allocations() float64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.Mallocs)
}

// processors returns how long the process has had a processor.
func processors() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err) // it has no reason to
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// peak returns the most memory that the process has had in use, in bytes, or 0 where
// the system is not Linux. The peak that getrusage knows is the parent's, too.
func peak() float64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		var kilobytes float64
		if _, err := fmt.Sscanf(lines.Text(), "VmHWM: %f kB", &kilobytes); err == nil {
			return kilobytes * 1024
		}
	}
	return 0
}

// scraped returns how many series a registry has, as text has them, the size of that
// text, and how long it takes, in the middle of several times.
func scraped(g prometheus.Gatherer) (series, size int, took time.Duration, err error) {
	const times = 5
	var all []time.Duration
	for range times {
		start := time.Now()
		families, gatherErr := g.Gather()
		if gatherErr != nil {
			return 0, 0, 0, gatherErr
		}
		var text bytes.Buffer
		for _, family := range families {
			if _, err := expfmt.MetricFamilyToText(&text, family); err != nil {
				return 0, 0, 0, err
			}
		}
		all = append(all, time.Since(start))
		series, size = 0, text.Len()
		for line := range bytes.Lines(text.Bytes()) {
			if line[0] != '#' {
				series++
			}
		}
	}
	return series, size, median(all), nil
}

// median returns the one in the middle.
func median[T int | float64 | time.Duration](all []T) T { return quantile(all, 0.5) }

// quantile returns the one of all, which there must be, that a share of them are at most.
func quantile[T int | float64 | time.Duration](all []T, share float64) T {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[int(share*float64(len(sorted)-1)+0.5)]
}
